//! One conversation with the core: which request does what.

use std::io::{self, Write};

use super::answers::{Answer, Said};
use super::checks::nothing_served;
use super::party::Party;
use super::requests::{self, Request, bad};
use crate::failure::{Failure, Kind};
use crate::panics;

pub(super) struct Session<P> {
    party: P,
    out: Box<dyn Write>,
    last_id: u64,
    serving: bool,
}

impl<P: Party> Session<P> {
    pub(super) fn new(party: P, out: Box<dyn Write>) -> Self {
        Session { party, out, last_id: 0, serving: false }
    }

    pub(super) fn greet(&mut self) -> io::Result<()> {
        let hello = self.party.hello();
        say(&mut self.out, None, &Answer::Hello(Box::new(hello)))
    }

    /// Answers one line; false after `stop`, and where the party is broken. The error is that the core cannot be written to.
    pub(super) fn answer(&mut self, line: &[u8]) -> io::Result<bool> {
        let (id, request) = requests::read(line);
        // Ids rise by one, so that a line without a readable id still has one.
        let id = id.unwrap_or(self.last_id + 1);
        self.last_id = id;
        let stops = matches!(request, Ok(Request::Stop));
        let answer = panics::contained(|| self.act(id, request?)).unwrap_or_else(|failure| Answer::Error {
            kind: failure.kind.name(),
            message: failure.message,
            ends: self.party.broken(),
        });
        say(&mut self.out, Some(id), &answer)?;
        Ok(!stops && !self.party.broken())
    }

    pub(super) fn refuse_long_line(&mut self) -> io::Result<bool> {
        self.last_id += 1;
        let message = format!("the line is longer than {} bytes", super::lines::LONGEST);
        say(&mut self.out, Some(self.last_id), &Answer::Error { kind: Kind::BadRequest.name(), message, ends: false })?;
        Ok(true)
    }

    /// What was spoken for, at the end.
    pub(super) fn into_party(self) -> P {
        self.party
    }

    fn act(&mut self, id: u64, request: Request) -> Result<Answer, Failure> {
        Ok(match request {
            Request::Serve(request) => {
                self.refuse_second_server()?;
                let endpoint = self.party.serve(&request)?;
                self.serving = true;
                Answer::Serving { endpoint }
            }
            Request::ServeAll(request) => {
                self.refuse_second_server()?;
                let endpoints = self.party.serve_all(&request)?;
                self.serving = true;
                Answer::ServingAll { endpoints }
            }
            Request::Channel { name, on } => {
                self.needs_server()?;
                Answer::Channel { endpoints: self.party.switch(&name, on)? }
            }
            Request::StopServing => {
                self.needs_server()?;
                self.serving = false;
                self.party.stop_serving()?;
                Answer::StoppedServing
            }
            Request::Connect(request) => Answer::Connected { connections: self.party.connect(&request)? },
            Request::Call(request) => Answer::Returned(self.party.call(&request.call, &request.arguments)?),
            Request::Drive(request) => {
                let out = &mut self.out;
                let done = self.party.drive(&request, &mut |it| {
                    say(out, Some(id), &Answer::Interval { at_ns: it.at_ns, calls: it.calls, errors: it.errors }).is_ok()
                })?;
                Answer::Done(Box::new(done))
            }
            Request::Counted => {
                self.needs_server()?;
                let (calls, processor) = self.party.counted()?;
                Answer::Counts { calls, processor }
            }
            Request::Codec(request) => Answer::Codec(self.party.codec(&request)?),
            Request::Heap => Answer::Heap { used_bytes: self.party.heap()? },
            Request::Trace { trace } => Answer::Traced(Box::new(self.party.trace(trace)?)),
            Request::Disconnect => {
                self.party.disconnect()?;
                Answer::Disconnected
            }
            Request::Stop => {
                self.party.stop()?;
                Answer::Stopped
            }
        })
    }

    fn refuse_second_server(&self) -> Result<(), Failure> {
        if self.serving { Err(bad("something is served already: say stop-serving first".to_owned())) } else { Ok(()) }
    }

    fn needs_server(&self) -> Result<(), Failure> {
        if self.serving { Ok(()) } else { Err(nothing_served()) }
    }
}

fn say(out: &mut dyn Write, id: Option<u64>, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Said { id, answer })?;
    line.push(b'\n');
    // One write, so that a line is never seen half.
    out.write_all(&line)?;
    out.flush()
}
