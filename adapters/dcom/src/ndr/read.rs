//! Reads bytes. A count is refused if fewer bytes follow.

use std::fmt;

/// The stub data is not what the operation says. One half sentence, for a log or a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "the stub data is malformed: {}", self.0)
    }
}

const SHORT: Malformed = Malformed("it ends in the middle of a value");

/// Stub data, from its first byte.
#[derive(Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    #[inline]
    pub fn align(&mut self, to: usize) {
        self.at += self.at.wrapping_neg() & (to - 1);
    }

    /// This number of bytes, without alignment.
    #[inline]
    pub fn octets(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(length).ok_or(SHORT)?;
        let taken = self.bytes.get(self.at..end).ok_or(SHORT)?;
        self.at = end;
        Ok(taken)
    }

    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(SHORT)?;
        self.at += N;
        Ok(*taken)
    }

    #[inline]
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.align(2);
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.align(4);
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.align(8);
        self.array().map(u64::from_le_bytes)
    }

    /// The count of elements that have at least `least` bytes each.
    #[inline]
    pub fn count(&mut self, least: usize) -> Result<usize, Malformed> {
        let count = self.u32()? as usize;
        if count.saturating_mul(least.max(1)) > self.left() { Err(SHORT) } else { Ok(count) }
    }

    /// The count of a conformant array, which must equal that of another member or parameter.
    #[inline]
    pub fn same_count(&mut self, announced: usize, least: usize) -> Result<usize, Malformed> {
        let count = self.count(least)?;
        if count == announced { Ok(count) } else { Err(Malformed("an array has another size than its count says")) }
    }

    /// Whether a pointer points at something.
    #[inline]
    pub fn pointer(&mut self) -> Result<bool, Malformed> {
        self.u32().map(|referent| referent != 0)
    }

    #[must_use]
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }
}
