//! One conversation with the core: which request does what.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::answers::{Answer, Said};
use super::clients::Clients;
use super::requests::{Codec, Drive, Request, bad, nanoseconds};
use super::serving::Serving;
use super::{clients, driving, hello, requests, tracing};
use crate::failure::{Failure, Kind};
use crate::stack::{Adapter, Options, Stack};
use crate::{codec, heap, panics};

pub(super) struct Session {
    adapter: Arc<dyn Adapter>,
    out: Box<dyn Write>,
    stopping: Arc<AtomicBool>,
    last_id: u64,
    // Clients go before the server that they are connected to.
    clients: Clients,
    serving: Option<Serving>,
}

impl Session {
    pub(super) fn new(adapter: Arc<dyn Adapter>, out: Box<dyn Write>, stopping: Arc<AtomicBool>) -> Self {
        Session { adapter, out, stopping, last_id: 0, clients: Clients::none(), serving: None }
    }

    pub(super) fn greet(&mut self) -> io::Result<()> {
        let hello = hello::hello(self.adapter.as_ref());
        say(&mut self.out, None, &Answer::Hello(Box::new(hello)))
    }

    /// Answers one line; false after `stop`. The error is that the core cannot be written to.
    pub(super) fn answer(&mut self, line: &[u8]) -> io::Result<bool> {
        let (id, request) = requests::read(line);
        // Ids rise by one, so that a line without a readable id still has one.
        let id = id.unwrap_or(self.last_id + 1);
        self.last_id = id;
        let stops = matches!(request, Ok(Request::Stop));
        let answer = panics::contained(|| self.act(id, request?))
            .unwrap_or_else(|failure| Answer::Error { kind: failure.kind.name(), message: failure.message });
        say(&mut self.out, Some(id), &answer)?;
        Ok(!stops)
    }

    pub(super) fn refuse_long_line(&mut self) -> io::Result<bool> {
        self.last_id += 1;
        let message = format!("the line is longer than {} bytes", super::lines::LONGEST);
        say(&mut self.out, Some(self.last_id), &Answer::Error { kind: Kind::BadRequest.name(), message })?;
        Ok(true)
    }

    /// Closes what is open.
    pub(super) fn end(&mut self) {
        self.clients = Clients::none();
        self.serving = None;
    }

    fn act(&mut self, id: u64, request: Request) -> Result<Answer, Failure> {
        Ok(match request {
            Request::Serve(request) => {
                self.refuse_second_server()?;
                let serving = self.serving.insert(Serving::one(self.adapter.as_ref(), &request)?);
                Answer::Serving { endpoint: serving.endpoint() }
            }
            Request::ServeAll(request) => {
                self.refuse_second_server()?;
                let serving = self.serving.insert(Serving::all(self.adapter.as_ref(), &request)?);
                Answer::ServingAll { endpoints: serving.endpoints() }
            }
            Request::Channel { name, on } => {
                let serving = self.serving.as_mut().ok_or_else(nothing_served)?;
                serving.switch(&name, on)?;
                Answer::Channel { endpoints: serving.endpoints() }
            }
            Request::StopServing => {
                self.serving.take().ok_or_else(nothing_served)?;
                Answer::StoppedServing
            }
            Request::Connect(request) => {
                self.clients = Clients::none();
                self.clients = clients::connect(&self.adapter, request)?;
                Answer::Connected { connections: self.clients.connections() }
            }
            Request::Call(request) => {
                let call = clients::call_of(&request.call, &request.arguments)?;
                if self.clients.count() == 0 {
                    return Err(nobody_connected());
                }
                Answer::Returned(self.clients.call(&call)?)
            }
            Request::Drive(request) => self.drive(id, &request)?,
            Request::Counted => {
                let serving = self.serving.as_ref().ok_or_else(nothing_served)?;
                let (calls, processor) = serving.counted()?;
                Answer::Counts { calls, processor }
            }
            Request::Codec(request) => self.codec(&request)?,
            Request::Heap => {
                let unknown = || Failure::new(Kind::Unsupported, "this C library does not tell what its heap holds");
                Answer::Heap { used_bytes: heap::used_bytes().ok_or_else(unknown)? }
            }
            Request::Trace { .. } if !self.adapter.replays() => {
                return Err(Failure::new(Kind::Unsupported, "the clients here have a loop of their own, which replays no traces"));
            }
            Request::Trace { trace } => Answer::Traced(Box::new(tracing::traced(trace, &self.stopping)?)),
            Request::Disconnect => {
                self.clients = Clients::none();
                Answer::Disconnected
            }
            Request::Stop => {
                self.end();
                Answer::Stopped
            }
        })
    }

    fn drive(&mut self, id: u64, request: &Drive) -> Result<Answer, Failure> {
        let plan = driving::plan(request)?;
        let connected = self.clients.count();
        let wanted = request.clients.unwrap_or(connected);
        if connected == 0 {
            return Err(nobody_connected());
        }
        if !(1..=connected).contains(&wanted) {
            return Err(bad(format!("clients is {wanted}: it must be from 1 to the {connected} that are connected")));
        }
        let out = &mut self.out;
        let outcome = self.clients.drive(wanted, &plan, &self.stopping, &mut |it| {
            say(out, Some(id), &Answer::Interval { at_ns: it.at_ns, calls: it.calls, errors: it.errors }).is_ok()
        })?;
        Ok(Answer::Done(Box::new(driving::done(outcome))))
    }

    fn codec(&self, request: &Codec) -> Result<Answer, Failure> {
        let stack = stack_named(self.adapter.as_ref(), &request.stack)?;
        let message = || format!("stack {} has no codec that can be parted from its channel", request.stack);
        let parted = stack.codec().ok_or_else(|| Failure::new(Kind::Unsupported, message()))?;
        refuse_unknown(&request.options, stack.options(), &[])?;
        let other = stack.codec_with(&request.options)?;
        let call = clients::call_of(&request.call, &request.arguments)?;
        Ok(Answer::Codec(codec::time(other.as_deref().unwrap_or(parted), &call, nanoseconds("seconds", request.seconds)?)?))
    }

    fn refuse_second_server(&self) -> Result<(), Failure> {
        match self.serving {
            Some(_) => Err(bad("something is served already: say stop-serving first".to_owned())),
            None => Ok(()),
        }
    }
}

/// The stack of this name, which carries the adapter's.
pub(super) fn stack_named<'a>(adapter: &'a dyn Adapter, name: &str) -> Result<&'a dyn Stack, Failure> {
    let short = name.strip_prefix(adapter.name()).and_then(|rest| rest.strip_prefix('/'));
    let found = short.and_then(|short| adapter.stacks().iter().find(|stack| stack.name() == short));
    found.map(AsRef::as_ref).ok_or_else(|| {
        let shown: String = name.chars().take(64).collect();
        bad(format!("stack {shown} is not one of mine: hello lists them"))
    })
}

/// Refuses options that neither the stack (`own`) nor every server (`shared`) knows.
pub(super) fn refuse_unknown(options: &Options, own: &[&str], shared: &[&str]) -> Result<(), Failure> {
    let known_here = |name: &str| own.contains(&name) || shared.contains(&name);
    let Some(unknown) = options.keys().find(|name| !known_here(name)) else { return Ok(()) };
    let known = [own, shared].concat();
    let known = if known.is_empty() { "none is known here".to_owned() } else { format!("known are {}", known.join(", ")) };
    Err(bad(format!("the option {unknown} is unknown: {known}")))
}

fn nothing_served() -> Failure {
    bad("nothing is served: say serve first".to_owned())
}

fn nobody_connected() -> Failure {
    bad("no client is connected: say connect first".to_owned())
}

fn say(out: &mut dyn Write, id: Option<u64>, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Said { id, answer })?;
    line.push(b'\n');
    // One write, so that a line is never seen half.
    out.write_all(&line)?;
    out.flush()
}
