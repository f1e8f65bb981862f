//! Octets out, aligned from where the stub data begins.

use super::pointer::REFERENT;

/// Appends to a buffer that may already contain a header. The stub data begins at the position where the writer was created.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    base: usize,
    next: u32,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        let base = out.len();
        Writer { out, base, next: REFERENT }
    }

    /// Fills up to a multiple of `to`, which is a power of two.
    #[inline]
    pub fn align(&mut self, to: usize) {
        let gap = (self.out.len() - self.base).wrapping_neg() & (to - 1);
        if gap > 0 {
            self.out.resize(self.out.len() + gap, 0);
        }
    }

    /// Raw bytes, without alignment.
    #[inline]
    pub fn octets(&mut self, octets: &[u8]) {
        self.out.extend_from_slice(octets);
    }

    #[inline]
    pub fn u16(&mut self, value: u16) {
        self.align(2);
        self.octets(&value.to_le_bytes());
    }

    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.align(4);
        self.octets(&value.to_le_bytes());
    }

    #[inline]
    pub fn u64(&mut self, value: u64) {
        self.align(8);
        self.octets(&value.to_le_bytes());
    }

    /// A count or a length. What does not fit into 32 bits does not fit into a message either, which its sender sees.
    #[inline]
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// The referent of the next pointer that is not null; no two are alike (C706 14.3.10).
    #[inline]
    pub fn referent(&mut self) {
        let this = self.next;
        self.next = this.wrapping_add(4).max(4);
        self.u32(this);
    }

    /// `length` bytes, initially zero.
    #[inline]
    pub fn room(&mut self, length: usize) -> &mut [u8] {
        let at = self.out.len();
        self.out.resize(at + length, 0);
        &mut self.out[at..]
    }

    pub fn reserve(&mut self, length: usize) {
        self.out.reserve(length);
    }
}
