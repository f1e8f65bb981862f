//! One client: its connection and the call that it is making.

use callbench_kit::{Failure, Kind};

use crate::answer::{Answer, Progress};
use crate::crowd::Settings;
use crate::events::{Event, Events};
use crate::request::Values;
use crate::wire::Wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// No call is under way.
    Nothing,
    Connecting,
    /// The request is sent, and its answer awaited.
    Exchanging,
}

pub struct Client {
    wire: Option<Wire>,
    doing: Doing,
    /// Counts connections, so that an event of one that is gone is known as such.
    generation: u32,
    index: u32,
    /// A request whose variables are filled.
    filled: Vec<u8>,
    sent: usize,
    answer: Answer,
    /// When its call began, and when it was meant to.
    pub started: u64,
    pub intended: u64,
    /// Since when it has had nothing to do.
    pub since: u64,
    pub errors_in_a_row: u32,
    /// Whether it waits for its first call of a drive.
    pub ramps: bool,
    /// Octets of answers since the drive began.
    pub received: u64,
}

impl Client {
    pub fn new(index: u32) -> Self {
        Client {
            wire: None,
            doing: Doing::Nothing,
            generation: 0,
            index,
            filled: Vec::new(),
            sent: 0,
            answer: Answer::default(),
            started: 0,
            intended: 0,
            since: 0,
            errors_in_a_row: 0,
            ramps: false,
            received: 0,
        }
    }

    pub fn calls(&self) -> bool {
        self.doing != Doing::Nothing
    }

    pub fn is_connected(&self) -> bool {
        self.wire.is_some() && self.doing != Doing::Connecting
    }

    /// Begins to connect, for calls to come.
    pub fn connect(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        self.generation = self.generation.wrapping_add(1);
        let wire = Wire::connect(settings.endpoint.address, settings.tls.as_ref())?;
        events.watch(&wire, u64::from(self.generation) << 32 | u64::from(self.index))?;
        self.wire = Some(wire);
        self.doing = Doing::Connecting;
        Ok(())
    }

    /// After an event, for who only connects: whether it is connected, TLS included.
    pub fn connects(&mut self, event: Event) -> Result<bool, Failure> {
        let Some(wire) = self.wire.as_mut().filter(|_| (event.token >> 32) as u32 == self.generation) else { return Ok(false) };
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
    pub fn begin(&mut self, settings: &Settings, events: &Events, values: impl FnOnce() -> Values) -> Result<(), Failure> {
        self.sent = 0;
        self.answer.begin();
        if settings.request.whole().is_none() {
            self.filled.clear();
            settings.request.write(&values(), &mut self.filled);
        }
        if self.wire.is_none() {
            return self.connect(settings, events);
        }
        self.doing = Doing::Exchanging;
        self.send(settings)
    }

    /// After an event: how the call ended, if it did.
    pub fn go_on(&mut self, event: Event, settings: &Settings, scratch: &mut [u8]) -> Option<Result<(), Failure>> {
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
                if let Some(failure) = self.wire.as_ref().and_then(Wire::connecting_failed) {
                    return Some(Err(failure));
                }
                self.doing = Doing::Exchanging;
                self.exchange(event, settings, scratch).transpose()
            }
            Doing::Exchanging => self.exchange(event, settings, scratch).transpose(),
        }
    }

    /// Ends the call. Its connection stays where it can.
    pub fn end(&mut self, settings: &Settings, result: &Result<(), Failure>) {
        self.doing = Doing::Nothing;
        // What was wrong with an answer that came whole is no fault of the connection.
        let whole = result.as_ref().map_or_else(|it| matches!(it.kind, Kind::Status | Kind::Redirect | Kind::WrongAnswer), |()| true);
        if !whole || !settings.keeps || self.answer.closes {
            self.hang_up();
        }
        self.errors_in_a_row = if result.is_ok() { 0 } else { self.errors_in_a_row.saturating_add(1) };
    }

    pub fn hang_up(&mut self) {
        self.wire = None;
        self.doing = Doing::Nothing;
    }

    /// The body of the answer that has just come, where `Expected::keeps` says to keep it.
    pub fn kept(&mut self) -> Vec<u8> {
        self.answer.kept()
    }

    fn exchange(&mut self, event: Event, settings: &Settings, scratch: &mut [u8]) -> Result<Option<()>, Failure> {
        // A server may answer, and close, before it has read everything: its answer counts.
        let sending = self.send(settings);
        if !event.readable() {
            return sending.map(|()| None);
        }
        match self.receive(event, settings, scratch) {
            Ok(None) => sending.map(|()| None),
            other => other,
        }
    }

    #[inline]
    fn send(&mut self, settings: &Settings) -> Result<(), Failure> {
        let Some(wire) = self.wire.as_mut() else { return Ok(()) };
        let request = settings.request.whole().unwrap_or(&self.filled);
        while self.sent < request.len() {
            match wire.write(&request[self.sent..])? {
                0 => break,
                written => self.sent += written,
            }
        }
        Ok(())
    }

    fn receive(&mut self, event: Event, settings: &Settings, scratch: &mut [u8]) -> Result<Option<()>, Failure> {
        let Some(wire) = self.wire.as_mut() else { return Ok(None) };
        while let Some(read) = wire.read(scratch)? {
            if read == 0 {
                return self.closed(settings).map(Some);
            }
            self.received += read as u64;
            let progress = self.answer.take(&scratch[..read], &settings.expected, settings.request.bodiless, settings.most)?;
            if let Progress::Whole { left } = progress {
                if left > 0 {
                    return Err(Failure::protocol(format!("{left} octets follow the end of the answer: its length is wrong")));
                }
                self.answer.closes |= event.ended();
                return self.answer.judged(&settings.expected).map(Some);
            }
            if read < scratch.len() && wire.short_reads_empty() && !event.ended() {
                break;
            }
        }
        Ok(None)
    }

    /// The server has closed.
    fn closed(&mut self, settings: &Settings) -> Result<(), Failure> {
        if self.answer.ended() {
            return self.answer.judged(&settings.expected);
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
