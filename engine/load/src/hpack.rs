//! The header compression of HTTP/2 (RFC 7541): a decoder, and functions to encode the parts of a block.

use callbench_kit::Failure;
use httlib_huffman::DecoderSpeed;

mod table;

pub use table::{Dynamic, FIRST_DYNAMIC, SIZE, entry_size, find};

/// The first byte of each kind of field.
pub const INDEXED: u8 = 0x80;
pub const KEPT: u8 = 0x40;
pub const RESIZED: u8 = 0x20;
/// A literal that is not stored in the table.
pub const LITERAL: u8 = 0x00;

/// Decodes the blocks of one connection in their order.
#[derive(Debug, Default)]
pub struct Decoder {
    table: Dynamic,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// Calls `emit` with the name and value of each field. Returns whether the block changed the meaning of later blocks.
    ///
    /// Fails with `protocol` if the block is invalid. The connection cannot be used any more then.
    pub fn read(&mut self, block: &[u8], mut emit: impl FnMut(&[u8], &[u8]) -> Result<(), Failure>) -> Result<bool, Failure> {
        let mut rest = block;
        let (mut begun, mut changed) = (false, false);
        while let Some(&first) = rest.first() {
            if first & INDEXED != 0 {
                let index = integer(&mut rest, 7)?;
                let (name, value) = self.table.at(index).ok_or_else(unknown)?;
                emit(name, value)?;
            } else if first & KEPT == 0 && first & RESIZED != 0 {
                if begun {
                    return Err(broken("the table is resized in the middle of a block"));
                }
                let size = integer(&mut rest, 5)?;
                if !self.table.resize(size) {
                    return Err(broken("the table is made larger than was agreed"));
                }
                changed = true;
                continue;
            } else {
                let keep_body = first & KEPT != 0;
                self.literal(&mut rest, if keep_body { 6 } else { 4 })?;
                emit(&self.name, &self.value)?;
                if keep_body {
                    self.table.keep(&self.name, &self.value);
                    changed = true;
                }
            }
            begun = true;
        }
        Ok(changed)
    }

    /// Decodes a literal field into `name` and `value`.
    fn literal(&mut self, rest: &mut &[u8], prefix: u32) -> Result<(), Failure> {
        match integer(rest, prefix)? {
            0 => string(rest, &mut self.name)?,
            index => {
                let (name, _) = self.table.at(index).ok_or_else(unknown)?;
                self.name.clear();
                self.name.extend_from_slice(name);
            }
        }
        string(rest, &mut self.value)
    }
}

/// Decodes an integer with a prefix of this many bits.
fn integer(rest: &mut &[u8], prefix: u32) -> Result<usize, Failure> {
    let short = || broken("an integer has no end");
    let mask = (1_usize << prefix) - 1;
    let (&first, mut after) = rest.split_first().ok_or_else(short)?;
    let mut value = usize::from(first) & mask;
    if value == mask {
        let mut shift = 0;
        loop {
            let (&byte, behind) = after.split_first().ok_or_else(short)?;
            after = behind;
            if shift > 21 {
                return Err(broken("an integer is too large"));
            }
            value += usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    *rest = after;
    Ok(value)
}

fn string(rest: &mut &[u8], into: &mut Vec<u8>) -> Result<(), Failure> {
    let coded = rest.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer(rest, 7)?;
    let (bytes, after) = rest.split_at_checked(length).ok_or_else(|| broken("a string is longer than its block"))?;
    *rest = after;
    into.clear();
    if coded {
        let read = httlib_huffman::decode(bytes, into, DecoderSpeed::FiveBits);
        // The library accepts any padding, but only ones, fewer than eight, are allowed. Each string has exactly one correct code.
        let mut encoded = Vec::with_capacity(length);
        let written = httlib_huffman::encode(into, &mut encoded);
        if read.is_err() || written.is_err() || encoded != bytes {
            return Err(broken("a string is not a Huffman code"));
        }
    } else {
        into.extend_from_slice(bytes);
    }
    Ok(()) // It is no longer than its block, and that has a limit.
}

fn unknown() -> Failure {
    broken("an index has no entry")
}

fn broken(why: &str) -> Failure {
    Failure::protocol(format!("the header block of an answer cannot be read: {why}"))
}

/// Writes an integer after the bits of `first`, with a prefix of `prefix` bits.
pub fn write_integer(first: u8, prefix: u32, value: usize, out: &mut Vec<u8>) {
    let mask = (1_usize << prefix) - 1;
    if value < mask {
        out.push(first | value as u8);
        return;
    }
    out.push(first | mask as u8);
    let mut left = value - mask;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Writes a string without compression.
pub fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    write_integer(0, 7, bytes.len(), out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests;
