//! HTTP/1.1: each client has a connection, with one call at a time.

use std::sync::Arc;

use callbench_kit::drive::EndpointStats;
use callbench_kit::{Failure, Kind};

use crate::addresses::Attempts;
use crate::answer::{Answer, Progress};
use crate::carrier::{Carrier, Ended, Spec};
use crate::connect_options::ConnectOptions;
use crate::draft::Draft;
use crate::events::{Event, Events, READS_A_TURN};
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
            broken: None,
            attempts: Attempts::default(),
            answer: Answer::default(),
            received: 0,
            cursor: Cursor::new(script),
        }
    }

    fn is_connected(&self) -> bool {
        self.wire.is_some() && self.doing != Doing::Connecting
    }

    fn token(&self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// Starts to connect.
    fn connect(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        self.attempts = settings.endpoint.addresses.begin();
        self.try_address(settings, events)
    }

    /// Starts to connect to the first further address with which that is possible.
    fn try_address(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        let addresses = &settings.endpoint.addresses;
        loop {
            self.generation = self.generation.wrapping_add(1);
            match Wire::connect(addresses.current(self.attempts), settings.tls.as_ref()) {
                Ok(wire) => {
                    events.watch(&wire, self.token())?;
                    self.wire = Some(wire);
                    self.doing = Doing::Connecting;
                    return Ok(());
                }
                Err(failure) => addresses.next(&mut self.attempts, failure)?,
            }
        }
    }

    /// Handles the first event of a connection. Returns whether it is established; if not, the next address is tried.
    fn is_established(&mut self, settings: &Settings, events: &Events) -> Result<bool, Failure> {
        let addresses = &settings.endpoint.addresses;
        let Some(failure) = self.wire.as_mut().and_then(Wire::connecting_failed) else {
            addresses.connected(self.attempts);
            return Ok(true);
        };
        addresses.next(&mut self.attempts, failure)?;
        self.try_address(settings, events)?;
        Ok(false)
    }

    /// Handles an event while connecting. Returns whether the connection is ready, including TLS.
    fn continue_connect(&mut self, event: Event, settings: &Settings, events: &Events) -> Result<bool, Failure> {
        let connecting = self.doing == Doing::Connecting && (event.token >> 32) as u32 == self.generation;
        if !connecting || !self.is_established(settings, events)? {
            return Ok(false);
        }
        let Some(wire) = self.wire.as_mut() else { return Ok(false) };
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
        self.broken = None;
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
        let unsent = self.is_unsent(spec.request(&self.cursor));
        self.cursor.handle_event(&spec.script, result.is_ok());
        // After a complete answer with wrong content, the connection can still be used.
        let whole = result.as_ref().map_or_else(|it| matches!(it.kind, Kind::Status | Kind::Redirect | Kind::WrongAnswer), |()| true);
        if !whole || unsent || !spec.settings.keep_alive || self.answer.closes {
            self.close();
        }
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
                Ok(written) => self.sent += written,
                Err(failure) => {
                    self.broken = Some(failure);
                    return;
                }
            }
        }
        self.broken = wire.push().err();
    }

    fn receive(&mut self, event: Event, spec: &CallSpec, reader: &mut Reader) -> Result<Option<()>, Failure> {
        let token = self.token();
        let unsent = self.is_unsent(spec.request(&self.cursor));
        let Some(wire) = self.wire.as_mut() else { return Ok(None) };
        let (step, settings) = (&spec.script.steps[self.cursor.step], &spec.settings);
        let bodiless = step.requests[self.cursor.request].bodiless;
        for _ in 0..READS_A_TURN {
            let read = match wire.read(reader.scratch) {
                Ok(None) => return Ok(None),
                Ok(Some(read)) => read,
                // What this side still sent made the server reset the connection, behind its answer.
                Err(_) if self.answer.ended() && unsent => 0,
                Err(failure) => return Err(self.broken.take().unwrap_or(failure)),
            };
            if read == 0 {
                return self.closed(step, reader.seen).map(Some);
            }
            let piece = &reader.scratch[..read];
            self.received += read as u64;
            let begins = !self.answer.begun;
            if begins && reader.seen.right == piece && !event.ended() {
                return Ok(Some(()));
            }
            let progress = self.answer.take(piece, &step.expected, bodiless, settings.limits)?;
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
                return Ok(None);
            }
        }
        reader.events.watch_again(wire, token)?;
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
            let closed = || Failure::new(Kind::Closed, "the server closed the connection instead of an answer");
            self.broken.take().unwrap_or_else(closed)
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
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::thread;
    use std::time::Duration;

    use callbench_kit::stack::{Connect, Options};

    use super::*;
    use crate::addresses::Addresses;
    use crate::connect_options;
    use crate::event_loop::EventLoop;
    use crate::h2;
    use crate::race::silent;

    /// An address where nobody listens.
    fn dead() -> SocketAddr {
        TcpListener::bind("127.0.0.78:0").and_then(|listener| listener.local_addr()).expect("an address")
    }

    /// Answers whatever is sent with these bytes.
    fn answering(bytes: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) && stream.write_all(bytes).is_ok() {});
            }
        });
        address
    }

    /// A loop of two clients of a name with these addresses.
    fn connected<C: Carrier>(protocol: Protocol, addresses: &[SocketAddr]) -> Result<EventLoop<C>, Failure> {
        let to = Connect { endpoint: "http://127.0.0.1:1/".to_owned(), timeout: Duration::from_secs(20), options: Options::new() };
        let mut parsed = connect_options::read(&to, protocol, None)?;
        let settings = Arc::get_mut(&mut parsed.settings).expect("settings of nobody else");
        settings.endpoint.addresses = Addresses::of(addresses.iter().copied()).expect("addresses");
        let spec = Arc::new(C::CallSpec::of(parsed, protocol)?);
        let mut event_loop = EventLoop::new(&spec, 1, Arc::default(), 0, 2)?;
        event_loop.connect(2)?;
        Ok(event_loop)
    }

    #[test]
    fn a_refused_address_is_followed_by_the_next() {
        let addresses = [dead(), dead(), answering(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")];
        let mut event_loop = connected::<Clients>(Protocol::Http1, &addresses).expect("connections");
        assert_eq!(event_loop.connections(), 2);
        for _ in 0..3 {
            event_loop.call().expect("an answer over a new connection");
        }
        let why = connected::<Clients>(Protocol::Http1, &[dead(), dead()]).err().expect("a refusal");
        assert!(why.kind == Kind::Refused && why.message.contains("none of the 2 addresses"), "{}", why.message);
    }

    #[test]
    fn an_address_that_is_silent_is_not_waited_for() {
        let (silent, _queue) = silent();
        let answering = answering(b"HTTP/1.1 204 No Content\r\n\r\n");
        let mut event_loop = connected::<Clients>(Protocol::Http1, &[silent, dead(), answering]).expect("connections");
        assert_eq!(event_loop.connections(), 2);
        event_loop.call().expect("an answer");
        let settings = self::answering(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        assert_eq!(connected::<h2::Clients>(Protocol::Http2, &[silent, settings]).expect("connections").connections(), 2);
    }

    #[test]
    fn a_refused_address_is_followed_by_the_next_with_http2() {
        let settings = answering(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        let event_loop = connected::<h2::Clients>(Protocol::Http2, &[dead(), settings]).expect("connections");
        assert_eq!(event_loop.connections(), 2);
        assert!(connected::<h2::Clients>(Protocol::Http2, &[dead(), dead()]).is_err());
    }
}
