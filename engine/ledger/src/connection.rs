//! One connection: both streams, its state, and the kind of each packet.

use std::net::SocketAddr;

use crate::count::{Counts, Kind, Toward};
use crate::frame::Segment;
use crate::stream::Stream;
use crate::tls_session::Session;

#[derive(Clone, Debug)]
pub struct Connection {
    pub client: SocketAddr,
    pub server: SocketAddr,
    /// The sender and the sequence number of the first SYN. They distinguish a new connection between the same ports from a repeated SYN.
    opening: Option<(SocketAddr, u32)>,
    streams: [Option<Stream>; 2],
    /// Whether the handshake is complete: the opening side has acknowledged.
    established: bool,
    reset: bool,
    speaker: Option<Toward>,
    session: Session,
}

impl Connection {
    /// Creates a connection from its first packet; `client` says which side is the client if that is known.
    pub fn new(segment: &Segment<'_>, client: Option<Toward>) -> Self {
        // The side that answers a SYN did not open the connection.
        let opened_by_sender = !(segment.flags.syn && segment.flags.ack);
        let toward = client.unwrap_or(if opened_by_sender { Toward::Server } else { Toward::Client });
        let (client, server) = if toward == Toward::Server { (segment.from, segment.to) } else { (segment.to, segment.from) };
        let established = !segment.flags.syn;
        Self { client, server, opening: None, streams: [None, None], established, reset: false, speaker: None, session: Session::default() }
    }

    pub fn toward(&self, segment: &Segment<'_>) -> Toward {
        if segment.from == self.client { Toward::Server } else { Toward::Client }
    }

    /// Whether a SYN opens a new connection between the same ports.
    pub fn is_over_for(&self, segment: &Segment<'_>) -> bool {
        let opens = segment.flags.syn && !segment.flags.ack;
        opens && (self.closed() || self.opening.is_some_and(|opening| opening != (segment.from, segment.sequence)))
    }

    /// Whether only acknowledgements can follow.
    pub fn closed(&self) -> bool {
        self.reset || self.streams.iter().all(|stream| stream.as_ref().is_some_and(|it| it.finished))
    }

    /// Whether each side has acknowledged everything from the other side, including FINs.
    pub fn settled(&self) -> bool {
        self.reset || (self.established && self.streams.iter().flatten().all(Stream::settled))
    }

    /// Counts a packet. Returns its direction.
    pub fn book(&mut self, segment: &Segment<'_>, counts: &mut Counts) {
        let toward = self.toward(segment);
        let flags = segment.flags;
        if flags.syn && !flags.ack && self.opening.is_none() {
            self.opening = Some((segment.from, segment.sequence));
        }
        let finished = |stream: &Option<Stream>| stream.as_ref().is_some_and(|it| it.finished);
        let closing = self.streams.iter().any(finished) || flags.fin || flags.rst || self.reset;
        let stream = self.streams[toward.index()].get_or_insert_with(|| Stream::new(segment.sequence, flags.syn));
        let extra = u64::from(flags.syn) + u64::from(flags.fin);
        // The SYN takes the position before the first byte. With TCP Fast Open, the same packet also contains bytes.
        let number = segment.sequence.wrapping_add(u32::from(flags.syn));
        let added = stream.take(number, segment.length, segment.payload, extra - u64::from(flags.syn), (toward, &mut self.session));
        stream.finished |= flags.fin;
        if flags.ack
            && let Some(other) = &mut self.streams[toward.back().index()]
        {
            other.acknowledge(segment.acknowledgement);
        }
        self.reset |= flags.rst;

        let kind = if flags.syn {
            Kind::SetUp
        } else if added.new > 0 {
            Kind::Data
        } else if added.again > 0 {
            Kind::Retransmission
        } else if closing {
            Kind::TearDown
        } else if self.established {
            Kind::Acknowledgement
        } else {
            Kind::SetUp
        };
        if !flags.syn && flags.ack {
            self.established = true;
        }
        counts.packets += 1;
        counts.link += segment.link_bytes;
        counts.ip += segment.ip_bytes;
        counts.tcp += segment.tcp_bytes;
        counts.tcp_options += segment.tcp_bytes.saturating_sub(20);
        counts.payload += added.new;
        counts.retransmitted += added.again;
        counts.tls.add(added.tls);
        let class = counts.class(kind);
        class.packets += 1;
        class.header_bytes += segment.ip_bytes + segment.tcp_bytes;
        if added.new > 0 && self.speaker != Some(toward) {
            self.speaker = Some(toward);
            counts.turns += 1;
        }
    }
}
