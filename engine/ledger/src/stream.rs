//! One direction of a connection: positions that do not wrap, what has been seen, what has been acknowledged.

use crate::ranges::Ranges;
use crate::tls::{Follower, Records};

/// Far enough from 0 that no run of frames reaches it: each moves the place by less than 2^31.
const ORIGIN: u64 = 1 << 62;

#[derive(Clone, Debug)]
pub struct Stream {
    /// The position one past the last that was sent, SYN and FIN counting as one each.
    end: u64,
    /// The sequence number of `end`.
    end_number: u32,
    seen: Ranges,
    follower: Follower,
    /// Where the other side has everything before.
    acknowledged: u64,
    pub finished: bool,
}

/// What a piece added.
pub struct Added {
    pub new: u64,
    pub again: u64,
    pub tls: Records,
}

impl Stream {
    /// Begins with the first packet seen: `number` is its sequence number; `syn` says that the stream begins after it.
    pub fn new(number: u32, syn: bool) -> Self {
        // Without its beginning, a stream's records cannot be found.
        let follower = if syn { Follower::at(ORIGIN + 1) } else { Follower::Lost };
        Self { end: ORIGIN, end_number: number, seen: Ranges::default(), follower, acknowledged: ORIGIN, finished: false }
    }

    /// The position of a sequence number: the nearest to the end (RFC 9293, section 3.4, compares modulo 2^32).
    fn position(&self, number: u32) -> u64 {
        let distance = number.wrapping_sub(self.end_number).cast_signed();
        self.end.saturating_add_signed(i64::from(distance))
    }

    /// Takes a packet's piece. `length` is what the wire carried, `payload` what the capture has of it.
    pub fn take(&mut self, number: u32, length: u64, payload: &[u8], extra: u64) -> Added {
        let start = self.position(number);
        let end = start.saturating_add(length);
        let new = self.seen.insert(start, end);
        let reached = end.saturating_add(extra);
        if reached > self.end {
            self.end_number = self.end_number.wrapping_add((reached - self.end) as u32);
            self.end = reached;
        }
        let tls = if payload.is_empty() { Records::default() } else { self.follower.take(start, payload) };
        Added { new, again: length - new, tls }
    }

    /// Notes what the other side says it has.
    pub fn acknowledge(&mut self, number: u32) {
        let position = self.position(number);
        if position <= self.end {
            self.acknowledged = self.acknowledged.max(position);
        }
    }

    /// Whether the other side has said that it has everything.
    pub fn settled(&self) -> bool {
        self.acknowledged >= self.end
    }
}
