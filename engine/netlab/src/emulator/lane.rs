//! One direction of a link on virtual time. Input: when a frame arrives and how long it is. Output: when it leaves. It uses no clock and no socket.
//!
//! A frame waits in the queue until the line is free, occupies the line for its bits, may be lost, and travels for the delay. Frames leave in the
//! order of arrival, except those that are held back. Losses are independent of each other (Bernoulli), jitter is uniform.

use std::collections::VecDeque;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::carried::Carried;
use super::profile::Direction;

const SECOND_NS: u64 = 1_000_000_000;

/// What happens to a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Lost on the line, as the profile requires.
    Lost,
    /// The queue was full.
    Overflowed,
    /// Leaves at this time, perhaps twice, perhaps after later frames.
    Leaves { at_ns: u64, twice: bool, held_back: bool },
}

pub struct Lane {
    way: Direction,
    random: Xoshiro256PlusPlus,
    line: Line,
    waiting: Waiting,
    last_ns: u64,
}

impl Lane {
    #[must_use]
    pub fn new(way: Direction, seed: u64) -> Self {
        Lane { way, random: Xoshiro256PlusPlus::seed_from_u64(seed), line: Line::default(), waiting: Waiting::default(), last_ns: 0 }
    }

    /// A frame arrives at `now_ns`. Times never decrease. A frame that represents several frames of the line is sent, lost and delayed as one.
    pub fn arrive(&mut self, now_ns: u64, carried: Carried) -> Fate {
        // Always drawn in this order, so that the options do not influence each other.
        let [loss, duplicate, reorder, jitter] = [(); 4].map(|()| self.share());
        let Some(sent_ns) = self.sent(now_ns, carried) else { return Fate::Overflowed };
        if loss < self.way.loss {
            return Fate::Lost;
        }
        let varied = (jitter * 2.0 * self.way.jitter_ns as f64) as u64;
        let travelled_ns = sent_ns + self.way.delay_ns - self.way.jitter_ns + varied;
        let held_back = reorder < self.way.reorder;
        let at_ns = if held_back { travelled_ns + self.way.reorder_by_ns } else { travelled_ns.max(self.last_ns) };
        if !held_back {
            self.last_ns = at_ns;
        }
        Fate::Leaves { at_ns, twice: duplicate < self.way.duplicate, held_back }
    }

    /// Whether frames leave in the order of arrival.
    #[must_use]
    pub fn keeps_order(&self) -> bool {
        self.way.reorder == 0.0
    }

    /// When the line has sent the frame. None if the queue is full.
    fn sent(&mut self, now_ns: u64, carried: Carried) -> Option<u64> {
        let Some(rate) = self.way.rate_bps else { return Some(now_ns) };
        self.waiting.forget_before(now_ns);
        let begins_ns = self.line.free_at(now_ns);
        if begins_ns > now_ns && !self.waiting.has_room(&self.way, carried) {
            return None;
        }
        self.waiting.add(begins_ns, carried);
        Some(self.line.send(now_ns, carried.on_line(self.way.overhead_bytes) * 8, rate))
    }

    /// A uniform random number from 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// When the line is free again, exactly: whole nanoseconds, and a remainder in parts of `rate`.
#[derive(Default)]
struct Line {
    free_ns: u64,
    rest: u64,
}

impl Line {
    fn free_at(&self, now_ns: u64) -> u64 {
        now_ns.max(self.free_ns + u64::from(self.rest > 0))
    }

    fn send(&mut self, now_ns: u64, bits: u64, rate: u64) -> u64 {
        if self.free_ns < now_ns {
            (self.free_ns, self.rest) = (now_ns, 0);
        }
        let parts = u128::from(bits) * u128::from(SECOND_NS) + u128::from(self.rest);
        self.free_ns += (parts / u128::from(rate)) as u64;
        self.rest = (parts % u128::from(rate)) as u64;
        self.free_ns
    }
}

/// The frames that wait for the line.
#[derive(Default)]
struct Waiting {
    each: VecDeque<(u64, Carried)>,
    frames: u64,
    bytes: u64,
}

impl Waiting {
    fn forget_before(&mut self, now_ns: u64) {
        while let Some((begins_ns, carried)) = self.each.front()
            && *begins_ns <= now_ns
        {
            self.frames -= carried.frames;
            self.bytes -= carried.bytes;
            self.each.pop_front();
        }
    }

    fn has_room(&self, way: &Direction, carried: Carried) -> bool {
        way.queue_bytes.is_none_or(|most| self.bytes + carried.bytes <= most)
            && way.queue_packets.is_none_or(|most| self.frames + carried.frames <= most)
    }

    fn add(&mut self, begins_ns: u64, carried: Carried) {
        self.frames += carried.frames;
        self.bytes += carried.bytes;
        self.each.push_back((begins_ns, carried));
    }
}

#[cfg(test)]
mod tests;
