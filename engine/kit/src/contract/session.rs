//! A session with the core: dispatches requests.

use std::io::{self, Write};

use super::answers::{Answer, AnswerLine};
use super::checks::nothing_served;
use super::handler::Handler;
use super::requests::{self, Request, bad};
use crate::failure::{Failure, Kind};
use crate::panics;

pub(super) struct Session<P> {
    handler: P,
    out: Box<dyn Write>,
    last_id: u64,
    serving: bool,
}

impl<P: Handler> Session<P> {
    pub(super) fn new(handler: P, out: Box<dyn Write>) -> Self {
        Session { handler, out, last_id: 0, serving: false }
    }

    pub(super) fn greet(&mut self) -> io::Result<()> {
        let hello = self.handler.hello();
        say(&mut self.out, None, &Answer::Hello(Box::new(hello)))
    }

    /// Answers one line. False after `stop`, or if the handler is broken. An error means that the core cannot be reached.
    pub(super) fn answer(&mut self, line: &[u8]) -> io::Result<bool> {
        let (id, request) = requests::read(line);
        // Ids rise by one. So the id of a line without a readable id is known.
        let id = id.unwrap_or(self.last_id + 1);
        self.last_id = id;
        let stops = matches!(request, Ok(Request::Stop));
        let answer = panics::catch_panic(|| self.act(id, request?)).unwrap_or_else(|failure| Answer::Error {
            kind: failure.kind.name(),
            message: failure.message,
            ends: self.handler.broken(),
        });
        say(&mut self.out, Some(id), &answer)?;
        Ok(!stops && !self.handler.broken())
    }

    pub(super) fn refuse_long_line(&mut self) -> io::Result<bool> {
        self.last_id += 1;
        let message = format!("the line is longer than {} bytes", super::lines::MAX_LINE_BYTES);
        say(&mut self.out, Some(self.last_id), &Answer::Error { kind: Kind::BadRequest.name(), message, ends: false })?;
        Ok(true)
    }

    /// Returns the handler at the end of the session.
    pub(super) fn into_handler(self) -> P {
        self.handler
    }

    fn act(&mut self, id: u64, request: Request) -> Result<Answer, Failure> {
        Ok(match request {
            Request::Serve(request) => {
                self.refuse_second_server()?;
                let endpoint = self.handler.serve(&request)?;
                self.serving = true;
                Answer::Serving { endpoint }
            }
            Request::ServeAll(request) => {
                self.refuse_second_server()?;
                let endpoints = self.handler.serve_all(&request)?;
                self.serving = true;
                Answer::ServingAll { endpoints }
            }
            Request::Channel { name, on } => {
                self.needs_server()?;
                Answer::Channel { endpoints: self.handler.switch(&name, on)? }
            }
            Request::StopServing => {
                self.needs_server()?;
                self.serving = false;
                self.handler.stop_serving()?;
                Answer::StoppedServing
            }
            Request::Connect(request) => Answer::Connected { connections: self.handler.connect(&request)? },
            Request::Call(request) => Answer::Returned(self.handler.call(&request.call, &request.arguments)?),
            Request::Drive(request) => {
                let out = &mut self.out;
                let done = self.handler.drive(&request, &mut |it| say(out, Some(id), &Answer::Interval(it)).is_ok())?;
                Answer::Done(Box::new(done))
            }
            Request::Counted => {
                self.needs_server()?;
                Answer::Counts(self.handler.counted()?)
            }
            Request::Codec(request) => Answer::Codec(self.handler.codec(&request)?),
            Request::Heap => Answer::Heap { used_bytes: self.handler.heap()? },
            Request::Trace { trace } => Answer::Traced(Box::new(self.handler.trace(trace)?)),
            Request::Disconnect => {
                self.handler.disconnect()?;
                Answer::Disconnected
            }
            Request::Stop => {
                self.handler.stop()?;
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
    let mut line = serde_json::to_vec(&AnswerLine { id, answer })?;
    line.push(b'\n');
    // A single write, so that nobody sees half a line.
    out.write_all(&line)?;
    out.flush()
}
