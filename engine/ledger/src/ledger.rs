//! The account: connections by their ports, phases by their marks.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

use serde::Serialize;

use crate::connection::Connection;
use crate::count::{Counts, Toward};
use crate::frame::{Frame, Link, Other, Segment, parse};

/// The counts of a connection in one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectionAccount {
    /// Its number, from 0. It is the same in every phase.
    pub connection: usize,
    pub client: SocketAddr,
    pub server: SocketAddr,
    pub to_server: Counts,
    pub to_client: Counts,
}

/// Frames that are not TCP, and their bytes including headers of the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OtherFrames {
    pub frames: u64,
    pub bytes: u64,
}

/// The counts between two marks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Phase {
    pub name: String,
    pub frames: u64,
    /// The times of the first and the last frame, in nanoseconds of the capture's clock.
    pub first_ns: Option<u64>,
    pub last_ns: Option<u64>,
    /// Connections that were opened in this phase.
    pub opened: u64,
    pub to_server: Counts,
    pub to_client: Counts,
    pub connections: Vec<ConnectionAccount>,
    pub other: BTreeMap<Other, OtherFrames>,
}

/// All phases, and the number of open connections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    pub phases: Vec<Phase>,
    /// Connections that were not closed.
    pub open: usize,
}

/// The current phase; connections by number.
#[derive(Debug, Default)]
struct CurrentPhase {
    phase: Phase,
    counts: BTreeMap<usize, [Counts; 2]>,
}

/// Counts frames. They must be added in the order of capture.
#[derive(Debug)]
pub struct Ledger {
    client: Option<IpAddr>,
    connections: Vec<Connection>,
    /// The latest connection between two ports. The smaller address comes first.
    by_ports: HashMap<(SocketAddr, SocketAddr), usize>,
    done: Vec<Phase>,
    page: CurrentPhase,
    frames: u64,
    last_ns: Option<u64>,
}

impl Ledger {
    /// `client` is the address of the client's host if it is known. Otherwise, the side that opens a connection is its client.
    #[must_use]
    pub fn new(client: Option<IpAddr>, phase: &str) -> Self {
        let mut page = CurrentPhase::default();
        phase.clone_into(&mut page.phase.name);
        Self { client, connections: Vec::new(), by_ports: HashMap::new(), done: Vec::new(), page, frames: 0, last_ns: None }
    }

    /// Adds one frame.
    pub fn frame(&mut self, at_ns: u64, link: Link, frame: &[u8], wire_bytes: usize) {
        self.frames += 1;
        self.last_ns = Some(at_ns);
        let phase = &mut self.page.phase;
        phase.frames += 1;
        phase.first_ns.get_or_insert(at_ns);
        phase.last_ns = Some(at_ns);
        match parse(link, frame) {
            Frame::Tcp(segment) => self.segment(&segment),
            Frame::Other(other) => {
                let strange = phase.other.entry(other).or_default();
                strange.frames += 1;
                strange.bytes += wire_bytes as u64;
            }
        }
    }

    fn segment(&mut self, segment: &Segment<'_>) {
        let ports = if segment.from <= segment.to { (segment.from, segment.to) } else { (segment.to, segment.from) };
        let known = self.by_ports.get(&ports).copied().filter(|&number| !self.connections[number].is_over_for(segment));
        let number = known.unwrap_or_else(|| {
            let toward = self.client.and_then(|client| match (segment.from.ip() == client, segment.to.ip() == client) {
                (true, false) => Some(Toward::Server),
                (false, true) => Some(Toward::Client),
                _ => None,
            });
            self.connections.push(Connection::new(segment, toward));
            self.page.phase.opened += u64::from(segment.flags.syn);
            let number = self.connections.len() - 1;
            self.by_ports.insert(ports, number);
            number
        });
        let connection = &mut self.connections[number];
        let toward = connection.toward(segment);
        connection.book(segment, &mut self.page.counts.entry(number).or_default()[toward.index()]);
    }

    /// Ends the current phase and begins another one. Returns the phase that ended.
    pub fn mark(&mut self, name: &str) -> &Phase {
        let page = std::mem::take(&mut self.page);
        name.clone_into(&mut self.page.phase.name);
        let phase = self.finished(page);
        self.done.push(phase);
        &self.done[self.done.len() - 1]
    }

    fn finished(&self, page: CurrentPhase) -> Phase {
        let mut phase = page.phase;
        for (number, [to_server, to_client]) in page.counts {
            phase.to_server.add(&to_server);
            phase.to_client.add(&to_client);
            let Connection { client, server, .. } = self.connections[number];
            phase.connections.push(ConnectionAccount { connection: number, client, server, to_server, to_client });
        }
        phase
    }

    /// The number of frames so far.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// When the last frame was captured.
    #[must_use]
    pub fn last_ns(&self) -> Option<u64> {
        self.last_ns
    }

    /// How many connections are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.connections.iter().filter(|it| !it.closed()).count()
    }

    /// Whether everything that was sent has been acknowledged.
    #[must_use]
    pub fn settled(&self) -> bool {
        self.by_ports.values().all(|&number| self.connections[number].settled())
    }

    /// Ends the last phase and returns everything. Then the ledger is empty again, but keeps the client's address.
    pub fn close(&mut self) -> Account {
        let page = std::mem::take(&mut self.page);
        let last = self.finished(page);
        let open = self.open();
        let mut phases = std::mem::take(&mut self.done);
        phases.push(last);
        self.connections.clear();
        self.by_ports.clear();
        Account { phases, open }
    }
}
