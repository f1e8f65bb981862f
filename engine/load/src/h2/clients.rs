//! The connections of an event loop. Each carries the calls of several clients.

use std::sync::Arc;

use callbench_kit::{Failure, Kind};

use super::call_spec::CallSpec;
use super::connection::{Changes, Connection};
use super::exchange::Call;
use crate::addresses::Attempts;
use crate::carrier::{Carrier, Ended};
use crate::events::{Event, Events, READS_A_TURN};
use crate::request::Values;
use crate::script::cursor::{Cursor, Turns};
use crate::settings::Settings;
use crate::wire::Wire;

const PROTOCOL: &[u8] = b"h2";

/// A connection with its socket.
struct OpenConnection {
    wire: Wire,
    connection: Connection,
    /// The number of connections so far. Events of earlier connections are recognised by it.
    generation: u32,
    /// The addresses that were tried, until one could be connected to.
    attempts: Attempts,
    established: bool,
    /// Whether bytes can be sent: the connection is established, including TLS.
    connected: bool,
    /// Whether it has been reported as connected.
    announced: bool,
    /// Why nothing more could be sent. What the server sent before still counts.
    broken: Option<Failure>,
    /// Received bytes that are not counted yet.
    received: u64,
    /// Sent bytes that are not counted yet.
    sent: u64,
}

/// The current connection of some clients, and earlier connections that only finish their calls.
struct Slot {
    clients: usize,
    line: Option<OpenConnection>,
    draining: Vec<OpenConnection>,
    /// Whether there may be something to send.
    dirty: bool,
}

/// The clients of an event loop.
pub struct Clients {
    spec: Arc<CallSpec>,
    streams: usize,
    /// By client.
    cursors: Vec<Cursor>,
    turns: Turns,
    slots: Vec<Slot>,
    generation: u32,
    dirty: Vec<usize>,
    changes: Changes,
    received: u64,
    sent: u64,
}

impl Clients {
    fn line(&mut self, place: usize, events: &Events) -> Result<&mut OpenConnection, Failure> {
        if self.slots[place].line.is_none() {
            self.connect(place, events)?;
        }
        let line = self.slots[place].line.as_mut();
        line.ok_or_else(|| Failure::new(Kind::Internal, "a new connection is missing"))
    }

    /// Starts to connect to the first further address with which that is possible.
    fn dial(&mut self, place: usize, attempts: &mut Attempts, events: &Events) -> Result<Wire, Failure> {
        let Settings { endpoint, tls, .. } = &*self.spec.settings;
        self.generation = self.generation.wrapping_add(1);
        loop {
            match Wire::connect(endpoint.addresses.current(*attempts), tls.as_ref()) {
                Ok(wire) => {
                    events.watch(&wire, u64::from(self.generation) << 32 | place as u64)?;
                    return Ok(wire);
                }
                Err(failure) => endpoint.addresses.next(attempts, failure)?,
            }
        }
    }

    /// Whether the connection of this event is established. If it could not be, it is tried with the next address.
    fn is_established(&mut self, event: Event, events: &Events) -> Result<bool, Failure> {
        let (place, spec) = (event.token as u32 as usize, Arc::clone(&self.spec));
        let addresses = &spec.settings.endpoint.addresses;
        let Some(line) = self.slots[place].of((event.token >> 32) as u32) else { return Ok(true) };
        if line.established {
            return Ok(true);
        }
        let Some(failure) = line.wire.connecting_failed() else {
            line.established = true;
            addresses.connected(line.attempts);
            return Ok(true);
        };
        addresses.next(&mut line.attempts, failure)?;
        let mut attempts = line.attempts;
        let wire = self.dial(place, &mut attempts, events)?;
        let generation = self.generation;
        if let Some(line) = self.slots[place].of((event.token >> 32) as u32) {
            (line.wire, line.attempts, line.generation) = (wire, attempts, generation);
        }
        Ok(false)
    }

    fn must_flush(&mut self, place: usize) {
        if !std::mem::replace(&mut self.slots[place].dirty, true) {
            self.dirty.push(place);
        }
    }

    /// Passes on the calls that have ended, and repeats the calls that the server did not process.
    fn process_changes(&mut self, place: usize, events: &Events, ended: &mut Vec<Ended>) {
        let first = place * self.streams;
        ended.extend(self.changes.ended.drain(..).map(|(client, result)| (first + client, result)));
        for (client, values) in self.changes.taken.drain(..) {
            self.cursors[first + client].values = values;
        }
        while let Some((client, call)) = self.changes.retry.pop() {
            match self.line(place, events) {
                Ok(line) => line.connection.begin(client, call),
                Err(failure) => ended.push((first + client, Err(failure))),
            }
        }
        self.must_flush(place);
    }
}

impl Carrier for Clients {
    type CallSpec = CallSpec;

    fn new(spec: Arc<CallSpec>, streams: usize, clients: usize) -> Self {
        let slot = |place: usize| {
            let clients = streams.min(clients - place * streams);
            Slot { clients, line: None, draining: Vec::new(), dirty: false }
        };
        let slots = (0..clients.div_ceil(streams)).map(slot).collect();
        let cursors = (0..clients).map(|_| Cursor::new(&spec.script)).collect();
        let turns = Turns::new(&spec.script);
        Clients {
            spec,
            streams,
            cursors,
            turns,
            slots,
            generation: 0,
            dirty: Vec::new(),
            changes: Changes::default(),
            received: 0,
            sent: 0,
        }
    }

    fn use_spec(&mut self, spec: &Arc<CallSpec>) {
        if Arc::ptr_eq(&self.spec, spec) {
            return; // Sessions go on where they are.
        }
        self.spec = Arc::clone(spec);
        self.turns = Turns::new(&spec.script);
        self.cursors.iter_mut().for_each(|cursor| *cursor = Cursor::new(&spec.script));
        self.slots.iter_mut().flat_map(Slot::lines).for_each(|line| line.connection.use_spec(spec));
    }

    fn kept_body(&mut self) -> Vec<u8> {
        self.slots[0].line.as_mut().map_or_else(Vec::new, |line| line.connection.kept_body(0))
    }

    fn received(&self) -> u64 {
        self.received
    }

    fn sent(&self) -> u64 {
        self.sent
    }

    fn connections_needed(&self, clients: usize) -> usize {
        clients.div_ceil(self.streams)
    }

    fn connections(&self) -> usize {
        self.slots.iter().filter(|slot| slot.line.as_ref().is_some_and(|line| line.connection.is_settled())).count()
    }

    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure> {
        let mut attempts = self.spec.settings.endpoint.addresses.begin();
        let wire = self.dial(place, &mut attempts, events)?;
        let slot = &mut self.slots[place];
        let connection = Connection::new(Arc::clone(&self.spec), slot.clients);
        slot.line = Some(OpenConnection {
            wire,
            connection,
            generation: self.generation,
            attempts,
            established: false,
            connected: false,
            announced: false,
            broken: None,
            received: 0,
            sent: 0,
        });
        Ok(())
    }

    fn continue_connect(&mut self, event: Event, events: &Events, scratch: &mut [u8]) -> Result<bool, Failure> {
        if !self.is_established(event, events)? {
            return Ok(false);
        }
        let slot = &mut self.slots[event.token as u32 as usize];
        let clients = slot.clients;
        let Some(line) = slot.of((event.token >> 32) as u32) else { return Ok(false) };
        line.handle_event(event, events, scratch, &mut self.changes)?;
        if !line.connection.is_settled() || line.announced {
            return Ok(false);
        }
        line.announced = true;
        let most = line.connection.most_streams();
        if (most as usize) < clients {
            let why = format!("the server accepts {most} simultaneous calls on a connection, not {clients}: use a smaller --streams");
            return Err(Failure::new(Kind::BadRequest, why));
        }
        line.send();
        Ok(true)
    }

    #[inline]
    fn begin(&mut self, client: usize, events: &Events, mut values: impl FnMut() -> Values) -> Result<(), Failure> {
        let cursor = &mut self.cursors[client];
        cursor.choose(&self.spec.script, &mut self.turns);
        let call = Call { values: values(), step: cursor.step, request: cursor.request, taken: cursor.values.clone() };
        let (place, client) = (client / self.streams, client % self.streams);
        self.line(place, events)?.connection.begin(client, call);
        self.must_flush(place);
        Ok(())
    }

    fn handle_event(&mut self, event: Event, events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>) {
        let place = event.token as u32 as usize;
        let generation = (event.token >> 32) as u32;
        let established = self.is_established(event, events);
        let Some(line) = self.slots[place].of(generation) else { return };
        let handled = match established {
            Ok(true) => line.handle_event(event, events, scratch, &mut self.changes),
            Ok(false) => Ok(()),
            Err(failure) => Err(failure),
        };
        self.received += std::mem::take(&mut line.received);
        self.sent += std::mem::take(&mut line.sent);
        if let Err(failure) = handled {
            line.lost(&failure, &mut self.changes);
            self.slots[place].forget(generation);
        } else if !line.connection.accepts_calls() || !self.slots[place].draining.is_empty() {
            self.slots[place].drop_drained();
        }
        self.process_changes(place, events, ended);
    }

    #[inline]
    fn end(&mut self, client: usize, result: &Result<(), Failure>) {
        self.cursors[client].handle_event(&self.spec.script, result.is_ok());
        let (place, client) = (client / self.streams, client % self.streams);
        if self.slots[place].cancel_call(client) {
            self.must_flush(place);
        }
        if !self.spec.settings.keep_alive {
            self.slots[place].line = None;
        }
    }

    #[inline]
    fn step_of(&self, client: usize) -> usize {
        self.cursors[client].step
    }

    fn sessions(&self) -> usize {
        self.spec.script.sessions.len()
    }

    fn enter(&mut self, session: usize) {
        self.cursors[0].enter(&self.spec.script, session);
    }

    fn is_between(&self) -> bool {
        self.cursors[0].is_between()
    }

    #[inline]
    fn flush(&mut self) {
        while let Some(place) = self.dirty.pop() {
            let slot = &mut self.slots[place];
            slot.dirty = false;
            for line in slot.lines() {
                line.send();
                self.sent += std::mem::take(&mut line.sent);
            }
        }
    }
}

impl Slot {
    fn lines(&mut self) -> impl Iterator<Item = &mut OpenConnection> {
        self.line.iter_mut().chain(&mut self.draining)
    }

    fn of(&mut self, generation: u32) -> Option<&mut OpenConnection> {
        self.lines().find(|line| line.generation == generation)
    }

    /// Ends a call if it is in flight. Returns whether it was.
    #[inline]
    fn cancel_call(&mut self, client: usize) -> bool {
        let Some(line) = self.lines().find(|line| line.connection.has(client)) else { return false };
        let (silent, generation) = (line.connection.is_silent(client), line.generation);
        line.connection.cancel(client);
        if silent {
            // A silent server may have disappeared. The next call uses another connection.
            self.draining.extend(self.line.take_if(|line| line.generation == generation));
        }
        self.drop_drained();
        true
    }

    fn forget(&mut self, generation: u32) {
        self.line.take_if(|line| line.generation == generation);
        self.draining.retain(|line| line.generation != generation);
    }

    /// Stops using a connection that accepts no more calls. It is closed as soon as its calls have ended.
    fn drop_drained(&mut self) {
        self.draining.extend(self.line.take_if(|line| !line.connection.accepts_calls()));
        self.draining.retain(|line| line.connection.is_used());
    }
}

impl OpenConnection {
    /// Handles an event. An error concerns the whole connection, as does its end.
    fn handle_event(&mut self, event: Event, events: &Events, scratch: &mut [u8], changes: &mut Changes) -> Result<(), Failure> {
        let arrived = !self.connected;
        if arrived {
            if let Some(failure) = self.wire.connecting_failed() {
                return Err(failure);
            }
            self.connected = self.wire.continue_handshake()?;
            if !self.connected {
                return if event.ended() { Err(closed(None, false)) } else { Ok(()) };
            }
            self.wire.require_protocol(PROTOCOL)?;
        }
        self.send();
        // Bytes that arrive together with the end of the handshake cause no event of their own.
        if !event.readable() && !arrived {
            return Ok(());
        }
        for _ in 0..READS_A_TURN {
            let Some(read) = self.wire.read(scratch)? else { return Ok(()) };
            if read == 0 {
                return Err(self.broken.take().unwrap_or_else(|| closed(None, self.connection.is_settled())));
            }
            self.received += read as u64;
            self.connection.take(&scratch[..read], changes)?;
            if read < scratch.len() && self.wire.short_reads_empty() && !event.ended() {
                return Ok(());
            }
        }
        events.watch_again(&self.wire, event.token)
    }

    fn send(&mut self) {
        if !self.connected || self.broken.is_some() {
            return;
        }
        let mut send = || {
            while !self.connection.unsent().is_empty() {
                match self.wire.write(self.connection.unsent())? {
                    0 => break,
                    written => {
                        self.sent += written as u64;
                        self.connection.has_sent(written);
                    }
                }
            }
            self.wire.push()
        };
        self.broken = send().err();
    }

    /// Ends all calls, because the connection is lost.
    fn lost(&mut self, failure: &Failure, changes: &mut Changes) {
        let why = |bytes: Option<u64>| match (failure.kind, bytes) {
            (Kind::Closed, Some(_)) => closed(bytes, true),
            _ => failure.clone(),
        };
        self.connection.lost(&why, changes);
    }
}

/// The server has closed the connection. `bytes`: how much of an answer's body was received; `settled`: the server had sent its settings.
fn closed(bytes: Option<u64>, settled: bool) -> Failure {
    let (kind, why) = match bytes {
        Some(bytes) => {
            (Kind::Cut, format!("the server closed the connection in the middle of its answer, after {bytes} bytes of its body"))
        }
        None if settled => (Kind::Closed, "the server closed the connection instead of an answer".to_owned()),
        None => {
            let why = "the server closed the connection before it sent anything of HTTP/2: it may speak HTTP/1.1 only";
            (Kind::Closed, why.to_owned())
        }
    };
    Failure::new(kind, why)
}
