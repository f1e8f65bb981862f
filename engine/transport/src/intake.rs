//! The received bytes of a stream that are not used yet. One read receives a whole frame, header and body.

/// The minimum size of a read: a frame of 32 KiB with its header fits into it.
const READ: usize = 64 << 10;
/// On several AMD processors, `rep movsb` in the kernel is twenty times slower if the target lies a few bytes after the source modulo the page. A
/// frame after a small header in new memory lies there. So targets are half a page apart.
const PAGE: usize = 4096;

/// A buffer that grows with what really came, never with what a header merely claims.
pub struct Intake {
    memory: Vec<u8>,
    /// The middle of the first page; `start` and `end` count from here.
    base: usize,
    start: usize,
    end: usize,
}

/// Memory for `size` bytes from the middle of a page, and where that is.
fn paged(size: usize) -> (Vec<u8>, usize) {
    let memory: Vec<u8> = vec![0; size + PAGE];
    let base = (memory.as_ptr().align_offset(PAGE) + PAGE / 2) % PAGE;
    (memory, base)
}

impl Default for Intake {
    fn default() -> Self {
        Intake::new()
    }
}

impl Intake {
    #[must_use]
    pub fn new() -> Self {
        let (memory, base) = paged(READ);
        Intake { memory, base, start: 0, end: 0 }
    }

    fn size(&self) -> usize {
        self.memory.len() - PAGE
    }

    /// What came and is not used up.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.base + self.start..self.base + self.end]
    }

    /// Uses up the first `count` bytes.
    pub fn consume(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Reads once, with room for the rest of a frame of `wanted` bytes or a part of it: the room at most doubles each time.
    pub fn read_with<E>(&mut self, wanted: usize, read: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Result<usize, E> {
        if self.start > 0 && self.start + wanted > self.size() {
            self.memory.copy_within(self.base + self.start..self.base + self.end, self.base);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.size() {
            let (mut memory, base) = paged(wanted.clamp(self.size() + 1, self.size() * 2));
            memory[base..base + self.end].copy_from_slice(&self.memory[self.base..self.base + self.end]);
            (self.memory, self.base) = (memory, base);
        }
        let last = self.base + self.size();
        let count = read(&mut self.memory[self.base + self.end..last])?;
        self.end = (self.end + count).min(self.size());
        Ok(count)
    }
}
