//! Frames in flight, sorted by the time at which they leave. Frames with the same time keep their order of arrival.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A frame with the header of the virtual network device before it.
pub struct Frame {
    /// A buffer for the longest frame.
    pub bytes: Box<[u8]>,
    /// The used length.
    pub length: usize,
}

/// The limit of bytes in flight: enough for 10 Gbit/s and 200 ms.
const MOST_BYTES: usize = 256 << 20;
/// Buffers kept for reuse.
const SPARE: usize = 1024;

#[derive(Default)]
pub struct InFlight {
    frames: BinaryHeap<Reverse<Due>>,
    count: u64,
    bytes: usize,
    spare: Vec<Box<[u8]>>,
}

struct Due {
    at_ns: u64,
    number: u64,
    frame: Frame,
}

impl InFlight {
    /// Adds a frame. False if the limit is exceeded.
    pub fn add(&mut self, at_ns: u64, frame: Frame) -> bool {
        if self.bytes + frame.bytes.len() > MOST_BYTES {
            return false;
        }
        self.bytes += frame.bytes.len();
        self.count += 1;
        self.frames.push(Reverse(Due { at_ns, number: self.count, frame }));
        true
    }

    /// When the next frame leaves.
    pub fn next_ns(&self) -> Option<u64> {
        self.frames.peek().map(|Reverse(due)| due.at_ns)
    }

    /// Takes at most `most` frames that are due.
    pub fn due(&mut self, now_ns: u64, most: usize, into: &mut Vec<Frame>) {
        while into.len() < most && self.next_ns().is_some_and(|at_ns| at_ns <= now_ns) {
            let Some(Reverse(due)) = self.frames.pop() else { return };
            self.bytes -= due.frame.bytes.len();
            into.push(due.frame);
        }
    }

    /// A buffer of this length, reused if possible. All buffers of a wire have the same length.
    pub fn buffer(&mut self, length: usize) -> Box<[u8]> {
        self.spare.pop().unwrap_or_else(|| vec![0; length].into_boxed_slice())
    }

    /// Returns a buffer for reuse.
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
