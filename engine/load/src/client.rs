//! HTTP/1.1: a connection a client, and one call at a time on it.

use std::sync::Arc;

use callbench_kit::{Failure, Kind};

use crate::answer::{Answer, Progress};
use crate::carrier::{Asks, Carrier, Ended};
use crate::events::{Event, Events};
use crate::protocol::Protocol;
use crate::request::{Request, Values};
use crate::settings::Settings;
use crate::wire::Wire;
use crate::wishes::Wished;

/// A right answer of more octets is not remembered.
const LONGEST_RIGHT: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// No call is under way.
    Nothing,
    Connecting,
    /// The request is sent, and its answer awaited.
    Exchanging,
}

/// What the clients of an event loop read with.
struct Reader<'r> {
    scratch: &'r mut [u8],
    right: &'r mut Vec<u8>,
    known: &'r mut Vec<u8>,
}

struct Client {
    wire: Option<Wire>,
    doing: Doing,
    /// Counts connections, so that an event of one that is gone is known as such.
    generation: u32,
    index: u32,
    /// A request whose variables are filled.
    filled: Vec<u8>,
    sent: usize,
    answer: Answer,
    /// Octets that have come so far.
    received: u64,
}

impl Client {
    fn new(index: u32) -> Self {
        Client {
            wire: None,
            doing: Doing::Nothing,
            generation: 0,
            index,
            filled: Vec::new(),
            sent: 0,
            answer: Answer::default(),
            received: 0,
        }
    }

    fn is_connected(&self) -> bool {
        self.wire.is_some() && self.doing != Doing::Connecting
    }

    /// Begins to connect, for calls to come.
    fn connect(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        self.generation = self.generation.wrapping_add(1);
        let wire = Wire::connect(settings.endpoint.address, settings.tls.as_ref())?;
        events.watch(&wire, u64::from(self.generation) << 32 | u64::from(self.index))?;
        self.wire = Some(wire);
        self.doing = Doing::Connecting;
        Ok(())
    }

    /// After an event, for who only connects: whether it is connected, TLS included.
    fn connects(&mut self, event: Event) -> Result<bool, Failure> {
        let connecting = self.doing == Doing::Connecting && (event.token >> 32) as u32 == self.generation;
        let Some(wire) = self.wire.as_mut().filter(|_| connecting) else { return Ok(false) };
        if let Some(failure) = wire.connecting_failed() {
            return Err(failure);
        }
        let connected = wire.handshaken()?;
        if connected {
            self.doing = Doing::Nothing;
        } else if event.ended() {
            return Err(Failure::new(Kind::Closed, "the server closed the connection before it was there"));
        }
        Ok(connected)
    }

    /// Begins a call. A failure ends it at once.
    #[inline]
    fn begin(
        &mut self,
        settings: &Settings,
        request: &Request,
        events: &Events,
        mut values: impl FnMut() -> Values,
    ) -> Result<(), Failure> {
        self.sent = 0;
        self.answer.begin();
        if request.whole().is_none() {
            self.filled.clear();
            request.write(&values(), &mut self.filled);
        }
        if self.wire.is_none() {
            return self.connect(settings, events);
        }
        self.doing = Doing::Exchanging;
        self.send(request)
    }

    /// After an event: how the call ended, if it did.
    #[inline]
    fn go_on(&mut self, event: Event, asked: &Asked, reader: &mut Reader) -> Option<Result<(), Failure>> {
        if (event.token >> 32) as u32 != self.generation {
            return None;
        }
        match self.doing {
            Doing::Nothing => {
                // A server that closes what nobody uses, or says what nobody asked for.
                if event.readable() {
                    self.hang_up();
                }
                None
            }
            Doing::Connecting => {
                if let Some(failure) = self.wire.as_mut().and_then(Wire::connecting_failed) {
                    return Some(Err(failure));
                }
                self.doing = Doing::Exchanging;
                self.exchange(event, asked, reader).transpose()
            }
            Doing::Exchanging => self.exchange(event, asked, reader).transpose(),
        }
    }

    /// Ends the call. Its connection stays where it can.
    fn end(&mut self, settings: &Settings, result: &Result<(), Failure>) {
        self.doing = Doing::Nothing;
        // What was wrong with an answer that came whole is no fault of the connection.
        let whole = result.as_ref().map_or_else(|it| matches!(it.kind, Kind::Status | Kind::Redirect | Kind::WrongAnswer), |()| true);
        if !whole || !settings.keeps || self.answer.closes {
            self.hang_up();
        }
    }

    fn hang_up(&mut self) {
        self.wire = None;
        self.doing = Doing::Nothing;
    }

    fn exchange(&mut self, event: Event, asked: &Asked, reader: &mut Reader) -> Result<Option<()>, Failure> {
        // A server may answer, and close, before it has read everything: its answer counts.
        let sending = self.send(&asked.request);
        if !event.readable() {
            return sending.map(|()| None);
        }
        match self.receive(event, asked, reader) {
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

    fn receive(&mut self, event: Event, asked: &Asked, reader: &mut Reader) -> Result<Option<()>, Failure> {
        let Some(wire) = self.wire.as_mut() else { return Ok(None) };
        let (settings, bodiless) = (&asked.settings, asked.request.bodiless);
        while let Some(read) = wire.read(reader.scratch)? {
            if read == 0 {
                return self.closed(settings, reader.known).map(Some);
            }
            let piece = &reader.scratch[..read];
            self.received += read as u64;
            let begins = !self.answer.begun;
            if begins && reader.right == piece && !event.ended() {
                return Ok(Some(()));
            }
            let progress = self.answer.take(piece, &settings.expected, bodiless, settings.most)?;
            if let Progress::Whole { left } = progress {
                if left > 0 {
                    return Err(Failure::protocol(format!("{left} octets follow the end of the answer: its length is wrong")));
                }
                self.answer.closes |= event.ended();
                self.answer.judged(&settings.expected, reader.known)?;
                if begins && !self.answer.closes && !settings.expected.keeps && read <= LONGEST_RIGHT {
                    reader.right.clear();
                    reader.right.extend_from_slice(piece);
                }
                return Ok(Some(()));
            }
            if read < reader.scratch.len() && wire.short_reads_empty() && !event.ended() {
                break;
            }
        }
        Ok(None)
    }

    /// The server has closed.
    fn closed(&mut self, settings: &Settings, known: &mut Vec<u8>) -> Result<(), Failure> {
        if self.answer.ended() {
            return self.answer.judged(&settings.expected, known);
        }
        Err(if self.answer.begun {
            Failure::new(
                Kind::Cut,
                format!("the server closed the connection in the middle of its answer, after {} octets of its body", self.answer.octets()),
            )
        } else {
            Failure::new(Kind::Closed, "the server closed the connection instead of an answer")
        })
    }
}

/// A request of HTTP/1.1, and how it is called.
pub struct Asked {
    settings: Arc<Settings>,
    request: Request,
}

impl Asks for Asked {
    fn of(wished: Wished, _protocol: Protocol) -> Result<Self, Failure> {
        Ok(Asked { request: wished.draft.http1(&wished.settings.endpoint)?, settings: wished.settings })
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// The clients of an event loop.
pub struct Clients {
    asked: Arc<Asked>,
    each: Vec<Client>,
    /// The last right answer that came in one piece, head and all, after which its connection stayed: one of the same octets is right
    /// too, and need not be taken apart.
    right: Vec<u8>,
    /// The last right body, where bodies are taken apart: heads have times and numbers that differ.
    known: Vec<u8>,
}

impl Carrier for Clients {
    type Asked = Asked;

    fn new(asked: Arc<Asked>, _streams: usize, clients: usize) -> Self {
        Clients { asked, each: (0..clients as u32).map(Client::new).collect(), right: Vec::new(), known: Vec::new() }
    }

    fn go_by(&mut self, asked: &Arc<Asked>) {
        self.asked = Arc::clone(asked);
        // Another answer may be right from now on.
        self.right.clear();
        self.known.clear();
    }

    fn kept(&mut self) -> Vec<u8> {
        self.each[0].answer.kept()
    }

    fn received(&self) -> u64 {
        self.each.iter().map(|client| client.received).sum()
    }

    fn needed(&self, clients: usize) -> usize {
        clients
    }

    fn connections(&self) -> usize {
        self.each.iter().filter(|client| client.is_connected()).count()
    }

    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure> {
        self.each[place].connect(&self.asked.settings, events)
    }

    fn connects(&mut self, event: Event, _scratch: &mut [u8]) -> Result<bool, Failure> {
        self.each[event.token as u32 as usize].connects(event)
    }

    #[inline]
    fn begin(&mut self, client: usize, events: &Events, values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.each[client].begin(&self.asked.settings, &self.asked.request, events, values)
    }

    #[inline]
    fn go_on(&mut self, event: Event, _events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>) {
        let index = event.token as u32 as usize;
        let mut reader = Reader { scratch, right: &mut self.right, known: &mut self.known };
        ended.extend(self.each[index].go_on(event, &self.asked, &mut reader).map(|result| (index, result)));
    }

    #[inline]
    fn end(&mut self, client: usize, result: &Result<(), Failure>) {
        self.each[client].end(&self.asked.settings, result);
    }

    #[inline]
    fn flush(&mut self) {} // Every request was sent when its call began: nothing is gained by waiting for another client's.
}
