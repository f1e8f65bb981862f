//! The 28 bytes before a body.

use super::super::trouble::Trouble;

const MAGIC: &[u8; 5] = b"RO107";

/// Where the body begins.
pub const BODY: usize = 28;

/// The flag of a body that is one zlib stream.
pub const COMPRESSED: u8 = 1;

/// The id of our clients, which servers treat as opaque: the GUID 00112233-4455-6677-8899-aabbccddeeff.
pub const CLIENT: [u8; 16] = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];

/// What a message is. Events and polls are another service's business.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Type {
    Message = 0,
    Exception = 1,
}

pub struct Header {
    pub flags: u8,
    pub kind: u8,
    pub client: [u8; 16],
}

impl Header {
    pub fn new(kind: Type, client: [u8; 16]) -> Self {
        Header { flags: 0, kind: kind as u8, client }
    }

    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; BODY];
        bytes[..5].copy_from_slice(MAGIC);
        bytes[5] = self.flags;
        bytes[6] = self.kind;
        bytes[12..].copy_from_slice(&self.client);
        out.extend_from_slice(&bytes);
    }

    /// It and the body behind it.
    pub fn read(bytes: &[u8]) -> Result<(Self, &[u8]), Trouble> {
        let Some((header, body)) = bytes.split_first_chunk::<BODY>() else {
            return Err(Trouble::protocol(format!("{} bytes are fewer than the {BODY} of a header", bytes.len())));
        };
        if !header.starts_with(MAGIC) {
            return Err(Trouble::protocol("a BinMessage begins with RO107"));
        }
        let mut client = [0; 16];
        client.copy_from_slice(&header[12..]);
        Ok((Header { flags: header[5], kind: header[6], client }, body))
    }
}
