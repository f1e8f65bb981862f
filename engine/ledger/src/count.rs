//! The columns of an account.

use serde::Serialize;

use crate::tls::Records;

/// The direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Toward {
    /// From the client: from the given address of the client, or else from the side that opened the connection.
    Server,
    Client,
}

impl Toward {
    pub(crate) fn index(self) -> usize {
        usize::from(self == Self::Client)
    }

    #[must_use]
    pub fn back(self) -> Self {
        if self == Self::Server { Self::Client } else { Self::Server }
    }
}

/// The purpose of a packet. Each packet has one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It brought new bytes of the stream.
    Data,
    /// It brought only bytes that had been seen before.
    Retransmission,
    /// It brought no bytes and changed nothing: acknowledgements, window updates, probes.
    Acknowledgement,
    /// SYN, its answer, and the acknowledgement that completes the handshake.
    SetUp,
    /// FIN, RST, and acknowledgements after the sender's own FIN or of the other side's FIN.
    TearDown,
}

/// Packets of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Class {
    pub packets: u64,
    /// Their IP and TCP headers.
    pub header_bytes: u64,
}

impl Class {
    fn add(&mut self, other: Self) {
        self.packets += other.packets;
        self.header_bytes += other.header_bytes;
    }
}

/// One direction of a connection, or of many. `ip` + `tcp` + `payload` + `retransmitted` are the bytes on the wire above the link. The headers among
/// them are those of the five kinds of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub packets: u64,
    /// Headers of the link including VLAN tags, without preamble, checksum and gap.
    pub link: u64,
    /// IP headers.
    pub ip: u64,
    /// TCP headers with options.
    pub tcp: u64,
    /// TCP options only.
    pub tcp_options: u64,
    /// Bytes of the stream, each counted once.
    pub payload: u64,
    /// Bytes of the stream that were sent again.
    pub retransmitted: u64,
    pub data: Class,
    pub retransmissions: Class,
    pub acknowledgements: Class,
    pub set_up: Class,
    pub tear_down: Class,
    pub tls: Records,
    /// How often this side began to send after the other side did. A round trip is one such turn of each side.
    pub turns: u64,
}

impl Counts {
    pub(crate) fn class(&mut self, kind: Kind) -> &mut Class {
        match kind {
            Kind::Data => &mut self.data,
            Kind::Retransmission => &mut self.retransmissions,
            Kind::Acknowledgement => &mut self.acknowledgements,
            Kind::SetUp => &mut self.set_up,
            Kind::TearDown => &mut self.tear_down,
        }
    }

    /// Complete IP packets, as network operators count them.
    #[must_use]
    pub fn wire(&self) -> u64 {
        self.ip + self.tcp + self.payload + self.retransmitted
    }

    pub fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.link += other.link;
        self.ip += other.ip;
        self.tcp += other.tcp;
        self.tcp_options += other.tcp_options;
        self.payload += other.payload;
        self.retransmitted += other.retransmitted;
        self.data.add(other.data);
        self.retransmissions.add(other.retransmissions);
        self.acknowledgements.add(other.acknowledgements);
        self.set_up.add(other.set_up);
        self.tear_down.add(other.tear_down);
        self.tls.add(other.tls);
        self.turns += other.turns;
    }
}
