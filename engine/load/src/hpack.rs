//! Header fields as HTTP/2 has them (RFC 7541): taken out of blocks, and the pieces that blocks are written of.

use callbench_kit::Failure;
use httlib_huffman::DecoderSpeed;

mod table;

pub use table::{Dynamic, FIRST_DYNAMIC, SIZE, entry_size, find};

/// The first octets of a field, by what it is.
pub const INDEXED: u8 = 0x80;
pub const KEPT: u8 = 0x40;
pub const RESIZED: u8 = 0x20;
/// A literal that neither side keeps.
pub const LITERAL: u8 = 0x00;

/// No string of a block may be longer, once it is decoded.
const LONGEST: usize = 64 * 1024;

/// Reads blocks of one connection, in the order in which they come.
#[derive(Debug, Default)]
pub struct Decoder {
    table: Dynamic,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// Tells each field of a block by name and value. Gives whether the block changed what later blocks mean.
    ///
    /// Fails as `protocol` where it is no block; the connection is of no use then.
    pub fn read(&mut self, block: &[u8], mut tell: impl FnMut(&[u8], &[u8]) -> Result<(), Failure>) -> Result<bool, Failure> {
        let mut rest = block;
        let (mut begun, mut changed) = (false, false);
        while let Some(&first) = rest.first() {
            if first & INDEXED != 0 {
                let index = integer(&mut rest, 7)?;
                let (name, value) = self.table.at(index).ok_or_else(unknown)?;
                tell(name, value)?;
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
                let keeps = first & KEPT != 0;
                self.literal(&mut rest, if keeps { 6 } else { 4 })?;
                tell(&self.name, &self.value)?;
                if keeps {
                    self.table.keep(&self.name, &self.value);
                    changed = true;
                }
            }
            begun = true;
        }
        Ok(changed)
    }

    /// A field that is spelled out, into `name` and `value`.
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

/// An integer whose first octet leaves it so many bits.
fn integer(rest: &mut &[u8], prefix: u32) -> Result<usize, Failure> {
    let short = || broken("an integer has no end");
    let mask = (1_usize << prefix) - 1;
    let (&first, mut after) = rest.split_first().ok_or_else(short)?;
    let mut value = usize::from(first) & mask;
    if value == mask {
        let mut shift = 0;
        loop {
            let (&octet, behind) = after.split_first().ok_or_else(short)?;
            after = behind;
            if shift > 21 {
                return Err(broken("an integer is too large"));
            }
            value += usize::from(octet & 0x7f) << shift;
            shift += 7;
            if octet & 0x80 == 0 {
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
    let (octets, after) = rest.split_at_checked(length).ok_or_else(|| broken("a string is longer than its block"))?;
    *rest = after;
    into.clear();
    if coded {
        let read = httlib_huffman::decode(octets, into, DecoderSpeed::FiveBits);
        // The library takes any padding; only ones, fewer than eight, are allowed. There is one right code for each string.
        let mut again = Vec::with_capacity(length);
        let written = httlib_huffman::encode(into, &mut again);
        if read.is_err() || written.is_err() || again != octets {
            return Err(broken("a string is no Huffman code"));
        }
    } else {
        into.extend_from_slice(octets);
    }
    if into.len() > LONGEST { Err(broken("a string is too long")) } else { Ok(()) }
}

fn unknown() -> Failure {
    broken("an index has no entry")
}

fn broken(why: &str) -> Failure {
    Failure::protocol(format!("the header block of an answer cannot be read: {why}"))
}

/// Writes an integer behind the bits of `first`, which leaves it `prefix` bits.
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

/// Writes a string as it is.
pub fn write_string(octets: &[u8], out: &mut Vec<u8>) {
    write_integer(0, 7, octets.len(), out);
    out.extend_from_slice(octets);
}

#[cfg(test)]
mod tests;
