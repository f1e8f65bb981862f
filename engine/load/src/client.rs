//! HTTP/1.1: each client has a connection, with one call at a time.

use std::sync::Arc;

use callbench_kit::drive::EndpointStats;
use callbench_kit::{Failure, Kind};

use crate::addresses::Attempts;
use crate::answer::Answer;
use crate::carrier::{Carrier, Ended, Spec};
use crate::connect_options::ConnectOptions;
use crate::draft::Draft;
use crate::events::{Event, Events};
use crate::protocol::Protocol;
use crate::request::{Request, Values};
use crate::script::cursor::{Cursor, Turns};
use crate::script::{self, Build, Script};
use crate::settings::Settings;
use crate::wire::Wire;

mod connecting;
mod receiving;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Nothing,
    Connecting,
    /// The request is sent, and its answer has not arrived yet.
    Exchanging,
}

/// Buffers that the clients of an event loop share.
struct Reader<'r> {
    events: &'r Events,
    scratch: &'r mut [u8],
    seen: &'r mut Seen,
}

/// What the clients of an event loop have seen of a step's answers.
#[derive(Default)]
struct Seen {
    /// The last correct answer that arrived in one piece, with its head, on a connection that stayed open. An identical answer is correct without
    /// being parsed.
    right: Vec<u8>,
    /// The last correct body. It is used if the heads differ, for example in dates.
    known: Vec<u8>,
}

struct Client {
    wire: Option<Wire>,
    doing: Doing,
    /// The number of connections so far. Events of earlier connections are recognised by it.
    generation: u32,
    index: u32,
    /// The request with its variables replaced.
    filled: Vec<u8>,
    sent: usize,
    /// Why nothing more could be sent. What the server sent before still counts.
    broken: Option<Failure>,
    attempts: Attempts,
    /// Whether the connection has brought an answer, so that the server may have closed it since.
    kept: bool,
    /// How many calls were sent again so far.
    sent_again: u64,
    answer: Answer,
    /// When the last piece of an answer came that was not its end; 0: none of this call has.
    piece_at: u64,
    /// How many answers so far came in pieces with a long pause between two.
    held_back: u64,
    /// The bytes received so far.
    received: u64,
    /// The bytes sent so far, in all calls.
    sent_in_all: u64,
    cursor: Cursor,
}

impl Client {
    fn new(index: u32, script: &Script<Request>) -> Self {
        Client {
            wire: None,
            doing: Doing::Nothing,
            generation: 0,
            index,
            filled: Vec::new(),
            sent: 0,
            broken: None,
            attempts: Attempts::default(),
            kept: false,
            sent_again: 0,
            answer: Answer::default(),
            piece_at: 0,
            held_back: 0,
            received: 0,
            sent_in_all: 0,
            cursor: Cursor::new(script),
        }
    }

    fn is_connected(&self) -> bool {
        self.wire.is_some() && self.doing != Doing::Connecting
    }

    fn token(&self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// Starts a call. An error ends the call immediately.
    #[inline]
    fn begin(&mut self, spec: &CallSpec, turns: &mut Turns, events: &Events, mut values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.sent = 0;
        self.broken = None;
        self.piece_at = 0;
        self.answer.begin();
        self.cursor.choose(&spec.script, turns);
        let request = spec.request(&self.cursor);
        if request.whole().is_none() {
            self.filled.clear();
            request.write(&values(), &self.cursor.values, &mut self.filled);
        }
        if self.wire.is_none() {
            return self.connect(&spec.settings, events);
        }
        self.doing = Doing::Exchanging;
        self.send(request);
        Ok(())
    }

    /// Handles an event. Returns the result of the call if it has ended.
    #[inline]
    fn handle_event(&mut self, event: Event, spec: &CallSpec, reader: &mut Reader) -> Option<Result<(), Failure>> {
        if (event.token >> 32) as u32 != self.generation {
            return None;
        }
        match self.doing {
            Doing::Nothing => {
                // The server closes an unused connection, or sends an answer to no request.
                if event.readable() {
                    self.close();
                }
                None
            }
            Doing::Connecting => {
                match self.is_established(&spec.settings, reader.events) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(failure) => return Some(Err(failure)),
                }
                self.doing = Doing::Exchanging;
                self.exchange(event, spec, reader).transpose()
            }
            Doing::Exchanging => self.exchange(event, spec, reader).transpose(),
        }
    }

    /// Ends the call. The connection is reused if possible.
    fn end(&mut self, spec: &CallSpec, result: &Result<(), Failure>) {
        self.doing = Doing::Nothing;
        // The server answered before it had the whole request, so the next one would be taken for its rest.
        let request = spec.request(&self.cursor);
        let last = request.closes || self.is_unsent(request);
        self.cursor.handle_event(&spec.script, result.is_ok());
        // After a complete answer with wrong content, the connection can still be used.
        let whole = result.as_ref().map_or_else(|it| matches!(it.kind, Kind::Status | Kind::Redirect | Kind::WrongAnswer), |()| true);
        if !whole || last || !spec.settings.keep_alive || self.answer.closes {
            self.close();
        }
        self.kept = self.wire.is_some();
    }

    fn close(&mut self) {
        self.wire = None;
        self.doing = Doing::Nothing;
    }

    fn exchange(&mut self, event: Event, spec: &CallSpec, reader: &mut Reader) -> Result<Option<()>, Failure> {
        self.send(spec.request(&self.cursor));
        if event.readable() { self.receive(event, spec, reader) } else { Ok(None) }
    }

    /// Whether a part of the request has not been sent.
    fn is_unsent(&self, request: &Request) -> bool {
        self.broken.is_some() || self.sent < request.whole().unwrap_or(&self.filled).len()
    }

    /// Sends as much as possible now. A server may answer and close the connection before it has read the whole request. This answer counts, so a
    /// failure to send ends the call only once nothing more can be received. The kernel reports an event of its own for that.
    #[inline]
    fn send(&mut self, request: &Request) {
        let Some(wire) = self.wire.as_mut().filter(|_| self.broken.is_none()) else { return };
        let request = request.whole().unwrap_or(&self.filled);
        while self.sent < request.len() {
            match wire.write(&request[self.sent..]) {
                Ok(0) => break,
                Ok(written) => {
                    self.sent += written;
                    self.sent_in_all += written as u64;
                }
                Err(failure) => {
                    self.broken = Some(failure);
                    return;
                }
            }
        }
        self.broken = wire.push().err();
    }
}

/// The requests of HTTP/1.1, and how they are called.
#[derive(Debug)]
pub struct CallSpec {
    settings: Arc<Settings>,
    script: Script<Request>,
}

impl CallSpec {
    #[inline]
    fn request(&self, cursor: &Cursor) -> &Request {
        &self.script.steps[cursor.step].requests[cursor.request]
    }
}

impl Spec for CallSpec {
    fn of(parsed: ConnectOptions, protocol: Protocol) -> Result<Self, Failure> {
        let settings = parsed.settings;
        let script = match &parsed.script {
            Some(wanted) => {
                let build = Build { endpoint: &settings.endpoint, protocol, form: &Draft::http1 };
                script::read(wanted, &parsed.draft, &build)?
            }
            None => Script::single(parsed.draft.http1(&settings.endpoint)?, settings.expected.clone()),
        };
        Ok(CallSpec { settings, script })
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn endpoints(&self) -> Vec<EndpointStats> {
        self.script.endpoints()
    }
}

/// The clients of an event loop.
pub struct Clients {
    spec: Arc<CallSpec>,
    each: Vec<Client>,
    turns: Turns,
    /// By step.
    seen: Vec<Seen>,
}

impl Carrier for Clients {
    type CallSpec = CallSpec;

    fn new(spec: Arc<CallSpec>, _streams: usize, clients: usize) -> Self {
        let each = (0..clients as u32).map(|index| Client::new(index, &spec.script)).collect();
        Clients { each, turns: Turns::new(&spec.script), seen: unseen(&spec.script), spec }
    }

    fn use_spec(&mut self, spec: &Arc<CallSpec>) {
        if Arc::ptr_eq(&self.spec, spec) {
            return; // Sessions go on where they are.
        }
        self.spec = Arc::clone(spec);
        // A different answer may be correct from now on.
        self.seen = unseen(&spec.script);
        self.turns = Turns::new(&spec.script);
        self.each.iter_mut().for_each(|client| client.cursor = Cursor::new(&spec.script));
    }

    fn kept_body(&mut self) -> Vec<u8> {
        self.each[0].answer.kept_body()
    }

    fn received(&self) -> u64 {
        self.each.iter().map(|client| client.received).sum()
    }

    fn sent(&self) -> u64 {
        self.each.iter().map(|client| client.sent_in_all).sum()
    }

    fn sent_again(&self) -> u64 {
        self.each.iter().map(|client| client.sent_again).sum()
    }

    fn held_back(&self) -> Option<u64> {
        Some(self.each.iter().map(|client| client.held_back).sum())
    }

    fn connections_needed(&self, clients: usize) -> usize {
        clients
    }

    fn connections(&self) -> usize {
        self.each.iter().filter(|client| client.is_connected()).count()
    }

    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure> {
        self.each[place].connect(&self.spec.settings, events)
    }

    fn continue_connect(&mut self, event: Event, events: &Events, _scratch: &mut [u8]) -> Result<bool, Failure> {
        self.each[event.token as u32 as usize].continue_connect(event, &self.spec.settings, events)
    }

    #[inline]
    fn begin(&mut self, client: usize, events: &Events, values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.each[client].begin(&self.spec, &mut self.turns, events, values)
    }

    #[inline]
    fn handle_event(&mut self, event: Event, events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>) {
        let index = event.token as u32 as usize;
        let mut reader = Reader { events, scratch, seen: &mut self.seen[self.each[index].cursor.step] };
        ended.extend(self.each[index].handle_event(event, &self.spec, &mut reader).map(|result| (index, result)));
    }

    #[inline]
    fn end(&mut self, client: usize, result: &Result<(), Failure>) {
        self.each[client].end(&self.spec, result);
    }

    #[inline]
    fn step_of(&self, client: usize) -> usize {
        self.each[client].cursor.step
    }

    fn sessions(&self) -> usize {
        self.spec.script.sessions.len()
    }

    fn enter(&mut self, session: usize) {
        self.each[0].cursor.enter(&self.spec.script, session);
    }

    fn is_between(&self) -> bool {
        self.each[0].cursor.is_between()
    }

    #[inline]
    fn flush(&mut self) {} // Every request is sent when its call begins.
}

fn unseen(script: &Script<Request>) -> Vec<Seen> {
    script.steps.iter().map(|_| Seen::default()).collect()
}

#[cfg(test)]
mod tests;
