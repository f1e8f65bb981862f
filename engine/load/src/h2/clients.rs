//! The connections of an event loop, each with the calls of several clients.

use std::sync::Arc;

use callbench_kit::{Failure, Kind};

use super::asked::Asked;
use super::connection::{Connection, News};
use crate::carrier::{Carrier, Ended};
use crate::events::{Event, Events};
use crate::request::Values;
use crate::wire::Wire;

const PROTOCOL: &[u8] = b"h2";

/// A connection with its socket.
struct Line {
    wire: Wire,
    connection: Connection,
    /// Counts connections, so that an event of one that is gone is known as such.
    generation: u32,
    /// Whether octets can be sent: it is connected, TLS included.
    there: bool,
    /// Whether it has been told of as connected.
    told: bool,
    /// Why nothing more could be sent. What the server has said before counts all the same.
    broken: Option<Failure>,
    /// Octets that have come and are not counted yet.
    received: u64,
}

/// The place of some clients: the connection on which they call, and those that let calls end before they go.
struct Berth {
    clients: usize,
    line: Option<Line>,
    leaving: Vec<Line>,
    /// Whether there may be something to be sent.
    dirty: bool,
}

/// The clients of an event loop.
pub struct Clients {
    asked: Arc<Asked>,
    streams: usize,
    berths: Vec<Berth>,
    generation: u32,
    dirty: Vec<usize>,
    news: News,
    received: u64,
}

impl Clients {
    fn line(&mut self, place: usize, events: &Events) -> Result<&mut Line, Failure> {
        if self.berths[place].line.is_none() {
            self.connect(place, events)?;
        }
        let line = self.berths[place].line.as_mut();
        line.ok_or_else(|| Failure::new(Kind::Internal, "a connection that was just made is not there"))
    }

    fn must_flush(&mut self, place: usize) {
        if !std::mem::replace(&mut self.berths[place].dirty, true) {
            self.dirty.push(place);
        }
    }

    /// Tells what the octets of a server came to, and makes again what it has not looked at.
    fn tell(&mut self, place: usize, events: &Events, ended: &mut Vec<Ended>) {
        let first = place * self.streams;
        ended.extend(self.news.ended.drain(..).map(|(client, result)| (first + client, result)));
        while let Some((client, values)) = self.news.again.pop() {
            match self.line(place, events) {
                Ok(line) => line.connection.begin(client, values),
                Err(failure) => ended.push((first + client, Err(failure))),
            }
        }
        self.must_flush(place);
    }
}

impl Carrier for Clients {
    type Asked = Asked;

    fn new(asked: Arc<Asked>, streams: usize, clients: usize) -> Self {
        let berth = |place: usize| {
            let clients = streams.min(clients - place * streams);
            Berth { clients, line: None, leaving: Vec::new(), dirty: false }
        };
        let berths = (0..clients.div_ceil(streams)).map(berth).collect();
        Clients { asked, streams, berths, generation: 0, dirty: Vec::new(), news: News::default(), received: 0 }
    }

    fn go_by(&mut self, asked: &Arc<Asked>) {
        self.asked = Arc::clone(asked);
        self.berths.iter_mut().flat_map(Berth::lines).for_each(|line| line.connection.go_by(asked));
    }

    fn kept(&mut self) -> Vec<u8> {
        self.berths[0].line.as_mut().map_or_else(Vec::new, |line| line.connection.kept(0))
    }

    fn received(&self) -> u64 {
        self.received
    }

    fn needed(&self, clients: usize) -> usize {
        clients.div_ceil(self.streams)
    }

    fn connections(&self) -> usize {
        self.berths.iter().filter(|berth| berth.line.as_ref().is_some_and(|line| line.connection.is_settled())).count()
    }

    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure> {
        self.generation = self.generation.wrapping_add(1);
        let settings = &self.asked.settings;
        let wire = Wire::connect(settings.endpoint.address, settings.tls.as_ref())?;
        events.watch(&wire, u64::from(self.generation) << 32 | place as u64)?;
        let berth = &mut self.berths[place];
        let connection = Connection::new(Arc::clone(&self.asked), berth.clients);
        berth.line = Some(Line { wire, connection, generation: self.generation, there: false, told: false, broken: None, received: 0 });
        Ok(())
    }

    fn connects(&mut self, event: Event, scratch: &mut [u8]) -> Result<bool, Failure> {
        let berth = &mut self.berths[event.token as u32 as usize];
        let clients = berth.clients;
        let Some(line) = berth.of((event.token >> 32) as u32) else { return Ok(false) };
        line.go_on(event, scratch, &mut self.news)?;
        if !line.connection.is_settled() || line.told {
            return Ok(false);
        }
        line.told = true;
        let most = line.connection.most_streams();
        if (most as usize) < clients {
            let why = format!("the server takes {most} calls at once on a connection, not {clients}: ask for no more with --streams");
            return Err(Failure::new(Kind::BadRequest, why));
        }
        line.send();
        Ok(true)
    }

    #[inline]
    fn begin(&mut self, client: usize, events: &Events, mut values: impl FnMut() -> Values) -> Result<(), Failure> {
        let (place, client) = (client / self.streams, client % self.streams);
        self.line(place, events)?.connection.begin(client, values());
        self.must_flush(place);
        Ok(())
    }

    fn go_on(&mut self, event: Event, events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>) {
        let place = event.token as u32 as usize;
        let generation = (event.token >> 32) as u32;
        let Some(line) = self.berths[place].of(generation) else { return };
        let gone_on = line.go_on(event, scratch, &mut self.news);
        self.received += std::mem::take(&mut line.received);
        if let Err(failure) = gone_on {
            line.lost(&failure, &mut self.news);
            self.berths[place].forget(generation);
        } else if !line.connection.takes_calls() || !self.berths[place].leaving.is_empty() {
            self.berths[place].tidy();
        }
        self.tell(place, events, ended);
    }

    #[inline]
    fn end(&mut self, client: usize, _result: &Result<(), Failure>) {
        let (place, client) = (client / self.streams, client % self.streams);
        if self.berths[place].gives_up(client) {
            self.must_flush(place);
        }
        if !self.asked.settings.keeps {
            self.berths[place].line = None;
        }
    }

    #[inline]
    fn flush(&mut self) {
        while let Some(place) = self.dirty.pop() {
            let berth = &mut self.berths[place];
            berth.dirty = false;
            berth.lines().for_each(Line::send);
        }
    }
}

impl Berth {
    fn lines(&mut self) -> impl Iterator<Item = &mut Line> {
        self.line.iter_mut().chain(&mut self.leaving)
    }

    fn of(&mut self, generation: u32) -> Option<&mut Line> {
        self.lines().find(|line| line.generation == generation)
    }

    /// Whether a call was still under way, and is no more.
    #[inline]
    fn gives_up(&mut self, client: usize) -> bool {
        let Some(line) = self.lines().find(|line| line.connection.has(client)) else { return false };
        let (dumb, generation) = (line.connection.is_dumb(client), line.generation);
        line.connection.cancel(client);
        if dumb {
            // A server that has said nothing meanwhile may be gone: the next call tries another connection.
            self.leaving.extend(self.line.take_if(|line| line.generation == generation));
        }
        self.tidy();
        true
    }

    fn forget(&mut self, generation: u32) {
        self.line.take_if(|line| line.generation == generation);
        self.leaving.retain(|line| line.generation != generation);
    }

    /// Lets a connection go that takes no calls any more, as soon as those under way on it have ended.
    fn tidy(&mut self) {
        self.leaving.extend(self.line.take_if(|line| !line.connection.takes_calls()));
        self.leaving.retain(|line| line.connection.is_used());
    }
}

impl Line {
    /// After an event. A failure is one of the whole connection; so is its end.
    fn go_on(&mut self, event: Event, scratch: &mut [u8], news: &mut News) -> Result<(), Failure> {
        let arrived = !self.there;
        if arrived {
            if let Some(failure) = self.wire.connecting_failed() {
                return Err(failure);
            }
            self.there = self.wire.handshaken()?;
            if !self.there {
                return if event.ended() { Err(closed(None, false)) } else { Ok(()) };
            }
            self.wire.must_speak(PROTOCOL)?;
        }
        self.send();
        // With the end of a handshake the first octets behind it may have come, of which no event tells.
        if !event.readable() && !arrived {
            return Ok(());
        }
        while let Some(read) = self.wire.read(scratch)? {
            if read == 0 {
                return Err(self.broken.take().unwrap_or_else(|| closed(None, self.connection.is_settled())));
            }
            self.received += read as u64;
            self.connection.take(&scratch[..read], news)?;
            if read < scratch.len() && self.wire.short_reads_empty() && !event.ended() {
                break;
            }
        }
        Ok(())
    }

    fn send(&mut self) {
        if !self.there || self.broken.is_some() {
            return;
        }
        let mut send = || {
            while !self.connection.unsent().is_empty() {
                match self.wire.write(self.connection.unsent())? {
                    0 => break,
                    written => self.connection.has_sent(written),
                }
            }
            self.wire.push()
        };
        self.broken = send().err();
    }

    /// Ends all calls, since the connection is gone.
    fn lost(&mut self, failure: &Failure, news: &mut News) {
        let why = |octets: Option<u64>| match (failure.kind, octets) {
            (Kind::Closed, Some(_)) => closed(octets, true),
            _ => failure.clone(),
        };
        self.connection.lost(&why, news);
    }
}

/// The server has closed. `octets`: so many of an answer's body had come; `settled`: it had said its settings.
fn closed(octets: Option<u64>, settled: bool) -> Failure {
    let (kind, why) = match octets {
        Some(octets) => {
            (Kind::Cut, format!("the server closed the connection in the middle of its answer, after {octets} octets of its body"))
        }
        None if settled => (Kind::Closed, "the server closed the connection instead of an answer".to_owned()),
        None => {
            let why = "the server closed the connection before it had said anything of HTTP/2: it may speak HTTP/1.1 only";
            (Kind::Closed, why.to_owned())
        }
    };
    Failure::new(kind, why)
}
