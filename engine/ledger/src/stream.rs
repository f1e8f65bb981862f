//! One direction of a connection: positions that do not wrap around, which bytes were seen, and which were acknowledged.

use crate::count::Toward;
use crate::ranges::Ranges;
use crate::tls::{Follower, Records};
use crate::tls_session::Session;

/// Far enough from 0 that no number of frames reaches it: each frame changes the position by less than 2^31.
const ORIGIN: u64 = 1 << 62;

#[derive(Clone, Debug)]
pub struct Stream {
    /// The position after the last one that was sent. SYN and FIN count as one each.
    end: u64,
    /// The sequence number of `end`.
    end_number: u32,
    seen: Ranges,
    follower: Follower,
    /// The other side has received everything before this position.
    acknowledged: u64,
    pub finished: bool,
}

/// What a packet added.
pub struct Added {
    pub new: u64,
    pub again: u64,
    pub tls: Records,
}

impl Stream {
    /// Begins with the first packet; `number` is its sequence number; `syn` says that the stream begins after it.
    pub fn new(number: u32, syn: bool) -> Self {
        // Records can only be found from the beginning of the stream.
        let follower = if syn { Follower::at(ORIGIN + 1) } else { Follower::Lost };
        Self { end: ORIGIN, end_number: number, seen: Ranges::default(), follower, acknowledged: ORIGIN, finished: false }
    }

    /// The position of a sequence number: the nearest to the end (RFC 9293, section 3.4, compares modulo 2^32).
    fn position(&self, number: u32) -> u64 {
        let distance = number.wrapping_sub(self.end_number).cast_signed();
        self.end.saturating_add_signed(i64::from(distance))
    }

    /// Adds a packet. `length` is the length on the wire, `payload` the captured part.
    pub fn take(&mut self, number: u32, length: u64, payload: &[u8], extra: u64, (toward, session): (Toward, &mut Session)) -> Added {
        let start = self.position(number);
        let end = start.saturating_add(length);
        let new = self.seen.insert(start, end);
        let reached = end.saturating_add(extra);
        if reached > self.end {
            self.end_number = self.end_number.wrapping_add((reached - self.end) as u32);
            self.end = reached;
        }
        let tls = if payload.is_empty() { Records::default() } else { self.follower.take(start, payload, toward, session) };
        Added { new, again: length - new, tls }
    }

    /// Notes an acknowledgement of the other side.
    pub fn acknowledge(&mut self, number: u32) {
        let position = self.position(number);
        if position <= self.end {
            self.acknowledged = self.acknowledged.max(position);
        }
    }

    /// Whether the other side has acknowledged everything.
    pub fn settled(&self) -> bool {
        self.acknowledged >= self.end
    }
}
