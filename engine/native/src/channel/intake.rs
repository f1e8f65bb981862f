//! The bytes that came on a stream and are not used up yet: one read takes a whole frame, header and body.

/// What a read asks for at least: a frame of 32 KiB with its header comes in one.
const READ: usize = 64 << 10;

/// A buffer that grows with what really came, never with what a header merely claims.
pub struct Intake {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Intake {
    pub fn new() -> Self {
        Intake { buffer: vec![0; READ], start: 0, end: 0 }
    }

    /// What came and is not used up.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Uses up the first `count` bytes.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Reads once, with room for the rest of a frame of `wanted` bytes or a part of it: the room at most doubles each time.
    pub fn read_with<E>(&mut self, wanted: usize, read: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Result<usize, E> {
        if self.start > 0 && self.start + wanted > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            let longer = wanted.clamp(self.buffer.len() + 1, self.buffer.len() * 2);
            self.buffer.resize(longer, 0);
        }
        let count = read(&mut self.buffer[self.end..])?;
        self.end = (self.end + count).min(self.buffer.len());
        Ok(count)
    }
}
