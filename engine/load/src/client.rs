//! HTTP/1.1: each client has a connection, with one call at a time.

use std::sync::Arc;

use callbench_kit::drive::EndpointStats;
use callbench_kit::{Failure, Kind};

use crate::answer::{Answer, Progress};
use crate::carrier::{Carrier, Ended, Spec};
use crate::connect_options::ConnectOptions;
use crate::draft::Draft;
use crate::events::{Event, Events};
use crate::protocol::Protocol;
use crate::request::{Request, Values};
use crate::script::cursor::{Cursor, Turns};
use crate::script::{self, Build, Script, Step, take};
use crate::settings::Settings;
use crate::wire::Wire;

/// A longer correct answer is not remembered.
const MAX_RIGHT_BYTES: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Nothing,
    Connecting,
    /// The request is sent, and its answer has not arrived yet.
    Exchanging,
}

/// Buffers that the clients of an event loop share.
struct Reader<'r> {
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
    answer: Answer,
    /// The bytes received so far.
    received: u64,
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
            answer: Answer::default(),
            received: 0,
            cursor: Cursor::new(script),
        }
    }

    fn is_connected(&self) -> bool {
        self.wire.is_some() && self.doing != Doing::Connecting
    }

    /// Starts to connect, before any call.
    fn connect(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        self.generation = self.generation.wrapping_add(1);
        let wire = Wire::connect(settings.endpoint.address, settings.tls.as_ref())?;
        events.watch(&wire, u64::from(self.generation) << 32 | u64::from(self.index))?;
        self.wire = Some(wire);
        self.doing = Doing::Connecting;
        Ok(())
    }

    /// Handles an event while connecting. Returns whether the connection is ready, including TLS.
    fn continue_connect(&mut self, event: Event) -> Result<bool, Failure> {
        let connecting = self.doing == Doing::Connecting && (event.token >> 32) as u32 == self.generation;
        let Some(wire) = self.wire.as_mut().filter(|_| connecting) else { return Ok(false) };
        if let Some(failure) = wire.connecting_failed() {
            return Err(failure);
        }
        let connected = wire.continue_handshake()?;
        if connected {
            self.doing = Doing::Nothing;
            // The server's end may come with the same event. No other event tells of it.
            if event.ended() {
                self.close();
            }
        } else if event.ended() {
            return Err(Failure::new(Kind::Closed, "the server closed the connection before it was established"));
        }
        Ok(connected)
    }

    /// Starts a call. An error ends the call immediately.
    #[inline]
    fn begin(&mut self, spec: &CallSpec, turns: &mut Turns, events: &Events, mut values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.sent = 0;
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
        self.send(request)
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
                if let Some(failure) = self.wire.as_mut().and_then(Wire::connecting_failed) {
                    return Some(Err(failure));
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
        self.cursor.handle_event(&spec.script, result.is_ok());
        // After a complete answer with wrong content, the connection can still be used.
        let whole = result.as_ref().map_or_else(|it| matches!(it.kind, Kind::Status | Kind::Redirect | Kind::WrongAnswer), |()| true);
        if !whole || !spec.settings.keep_alive || self.answer.closes {
            self.close();
        }
    }

    fn close(&mut self) {
        self.wire = None;
        self.doing = Doing::Nothing;
    }

    fn exchange(&mut self, event: Event, spec: &CallSpec, reader: &mut Reader) -> Result<Option<()>, Failure> {
        // A server may answer and close the connection before it has read the whole request. This answer counts.
        let sending = self.send(spec.request(&self.cursor));
        if !event.readable() {
            return sending.map(|()| None);
        }
        match self.receive(event, spec, reader) {
            Ok(None) => sending.map(|()| None),
            other => other,
        }
    }

    #[inline]
    fn send(&mut self, request: &Request) -> Result<(), Failure> {
        let Some(wire) = self.wire.as_mut() else { return Ok(()) };
        let request = request.whole().unwrap_or(&self.filled);
        while self.sent < request.len() {
            match wire.write(&request[self.sent..])? {
                0 => break,
                written => self.sent += written,
            }
        }
        wire.push()
    }

    fn receive(&mut self, event: Event, spec: &CallSpec, reader: &mut Reader) -> Result<Option<()>, Failure> {
        let Some(wire) = self.wire.as_mut() else { return Ok(None) };
        let (step, settings) = (&spec.script.steps[self.cursor.step], &spec.settings);
        let bodiless = step.requests[self.cursor.request].bodiless;
        while let Some(read) = wire.read(reader.scratch)? {
            if read == 0 {
                return self.closed(step, reader.seen).map(Some);
            }
            let piece = &reader.scratch[..read];
            self.received += read as u64;
            let begins = !self.answer.begun;
            if begins && reader.seen.right == piece && !event.ended() {
                return Ok(Some(()));
            }
            let progress = self.answer.take(piece, &step.expected, bodiless, settings.most)?;
            if let Progress::Complete { left } = progress {
                if left > 0 {
                    return Err(Failure::protocol(format!("{left} bytes follow the end of the answer: its length is wrong")));
                }
                self.answer.closes |= event.ended();
                self.judge(step, reader.seen)?;
                if begins && !self.answer.closes && !step.expected.keep_body && step.takes.is_empty() && read <= MAX_RIGHT_BYTES {
                    reader.seen.right.clear();
                    reader.seen.right.extend_from_slice(piece);
                }
                return Ok(Some(()));
            }
            if read < reader.scratch.len() && wire.short_reads_empty() && !event.ended() {
                break;
            }
        }
        Ok(None)
    }

    /// A whole answer: whether it is right, with the values that later requests use.
    fn judge(&mut self, step: &Step<Request>, seen: &mut Seen) -> Result<(), Failure> {
        self.answer.judge(&step.expected, &mut seen.known)?;
        if step.takes.is_empty() {
            return Ok(());
        }
        let (fields, body) = self.answer.taken();
        take::take(&step.takes, &step.expected.fields, fields, body, &mut self.cursor.values)
    }

    /// The server has closed the connection.
    fn closed(&mut self, step: &Step<Request>, seen: &mut Seen) -> Result<(), Failure> {
        if self.answer.ended() {
            return self.judge(step, seen);
        }
        Err(if self.answer.begun {
            Failure::new(
                Kind::Cut,
                format!("the server closed the connection in the middle of its answer, after {} bytes of its body", self.answer.bytes()),
            )
        } else {
            Failure::new(Kind::Closed, "the server closed the connection instead of an answer")
        })
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

    fn connections_needed(&self, clients: usize) -> usize {
        clients
    }

    fn connections(&self) -> usize {
        self.each.iter().filter(|client| client.is_connected()).count()
    }

    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure> {
        self.each[place].connect(&self.spec.settings, events)
    }

    fn continue_connect(&mut self, event: Event, _scratch: &mut [u8]) -> Result<bool, Failure> {
        self.each[event.token as u32 as usize].continue_connect(event)
    }

    #[inline]
    fn begin(&mut self, client: usize, events: &Events, values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.each[client].begin(&self.spec, &mut self.turns, events, values)
    }

    #[inline]
    fn handle_event(&mut self, event: Event, _events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>) {
        let index = event.token as u32 as usize;
        let mut reader = Reader { scratch, seen: &mut self.seen[self.each[index].cursor.step] };
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
