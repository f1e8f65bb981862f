//! Frames on their way, by the time they leave; those of the same time in the order in which they came.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A frame with the header of the virtual network device in front, which says what its sender left undone.
pub struct Frame {
    /// Room for the longest.
    pub bytes: Box<[u8]>,
    /// How much of it is used.
    pub length: usize,
}

/// At most so many octets travel at once: a line of 10 Gbit/s and 200 ms holds them.
const MOST_OCTETS: usize = 256 << 20;
/// Buffers kept for reuse.
const SPARE: usize = 1024;

#[derive(Default)]
pub struct Travelling {
    frames: BinaryHeap<Reverse<Due>>,
    count: u64,
    octets: usize,
    spare: Vec<Box<[u8]>>,
}

struct Due {
    at_ns: u64,
    number: u64,
    frame: Frame,
}

impl Travelling {
    /// Adds a frame; false where too much is travelling already.
    pub fn add(&mut self, at_ns: u64, frame: Frame) -> bool {
        if self.octets + frame.bytes.len() > MOST_OCTETS {
            return false;
        }
        self.octets += frame.bytes.len();
        self.count += 1;
        self.frames.push(Reverse(Due { at_ns, number: self.count, frame }));
        true
    }

    /// When the next one leaves.
    pub fn next_ns(&self) -> Option<u64> {
        self.frames.peek().map(|Reverse(due)| due.at_ns)
    }

    /// Takes at most `most` frames that are due.
    pub fn due(&mut self, now_ns: u64, most: usize, into: &mut Vec<Frame>) {
        while into.len() < most && self.next_ns().is_some_and(|at_ns| at_ns <= now_ns) {
            let Some(Reverse(due)) = self.frames.pop() else { return };
            self.octets -= due.frame.bytes.len();
            into.push(due.frame);
        }
    }

    /// A buffer of a length, used before where there is one. All buffers of a wire have the same length.
    pub fn buffer(&mut self, length: usize) -> Box<[u8]> {
        self.spare.pop().unwrap_or_else(|| vec![0; length].into_boxed_slice())
    }

    /// Gives a buffer back.
    pub fn give_back(&mut self, buffer: Box<[u8]>) {
        if self.spare.len() < SPARE {
            self.spare.push(buffer);
        }
    }
}

impl Due {
    fn key(&self) -> (u64, u64) {
        (self.at_ns, self.number)
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
