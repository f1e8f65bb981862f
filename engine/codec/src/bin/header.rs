//! The 28 bytes before a body.

use super::super::trouble::Trouble;
use super::super::{Client, Mark};

const MAGIC: &[u8; 5] = b"RO107";

/// The offset of the body.
pub const BODY: usize = 28;

/// The offset of the user word, which has two bytes.
pub const WORD: usize = 10;

/// The id of our clients, which servers treat as opaque: the GUID 00112233-4455-6677-8899-aabbccddeeff.
pub const CLIENT: [u8; 16] = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];

/// What a message is. Events and polls are another service's business.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Type {
    Message = 0,
    Exception = 1,
}

/// Borrowed from the message, so that the client id is copied only once.
pub struct Header<'a> {
    pub flags: u8,
    pub kind: u8,
    /// What a client may say for itself; the vendor's say nothing, which is zero.
    pub word: [u8; 2],
    pub client: &'a [u8; 16],
}

impl<'a> Header<'a> {
    pub fn new(kind: Type, client: &'a [u8; 16]) -> Self {
        Header { flags: 0, kind: kind as u8, word: [0, 0], client }
    }

    /// What its answer repeats of it.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark::Client(Client(*self.client))
    }

    /// The mark with the user word, for a message that uses it.
    pub fn mark_with_word(&self) -> Mark {
        Mark::Worded(Client(*self.client), self.word)
    }

    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; BODY];
        bytes[..5].copy_from_slice(MAGIC);
        bytes[5] = self.flags;
        bytes[6] = self.kind;
        bytes[WORD..12].copy_from_slice(&self.word);
        bytes[12..].copy_from_slice(self.client);
        out.extend_from_slice(&bytes);
    }

    /// Reads the header, and returns it with the body.
    #[inline]
    pub fn read(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), Trouble> {
        let Some((header, body)) = bytes.split_first_chunk::<BODY>() else { return Err(short(bytes.len())) };
        let (true, Some(client)) = (header.starts_with(MAGIC), header.last_chunk()) else {
            return Err(Trouble::protocol("a BinMessage begins with RO107"));
        };
        Ok((Header { flags: header[5], kind: header[6], word: [header[WORD], header[WORD + 1]], client }, body))
    }
}

#[cold]
fn short(length: usize) -> Trouble {
    Trouble::protocol(format!("{length} bytes are fewer than the {BODY} of a header"))
}
