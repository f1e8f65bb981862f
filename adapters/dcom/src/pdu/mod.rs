//! The PDUs of connection-oriented RPC (C706 chapter 12.6; MS-RPCE 2.2.2): a common header, then by type.

pub mod bind;
pub mod call;

use crate::ndr::Malformed;

/// Octets of the header that all PDUs have (C706 12.6.3.1).
pub const HEADER: usize = 16;
/// The largest PDU that we take and send: as Windows' runtime announces for TCP.
pub const FRAGMENT: u16 = 5840;
/// Every side must be able to receive as many (C706 12.6.2 `MustRecvFragSize`).
pub const LEAST_FRAGMENT: u16 = 1432;

/// Types of PDUs, by their numbers (C706 12.6.1), those that occur here.
pub mod kind {
    pub const REQUEST: u8 = 0;
    pub const RESPONSE: u8 = 2;
    pub const FAULT: u8 = 3;
    pub const BIND: u8 = 11;
    pub const BIND_ACK: u8 = 12;
    pub const BIND_NAK: u8 = 13;
    pub const ALTER: u8 = 14;
    pub const ALTER_ANSWER: u8 = 15;
    /// The third part of an authentication (MS-RPCE 2.2.2.5). It has no answer.
    pub const AUTH3: u8 = 16;
    pub const CANCEL: u8 = 18;
    pub const ORPHANED: u8 = 19;
}

/// Flags of the header.
pub mod flag {
    pub const FIRST: u8 = 1;
    pub const LAST: u8 = 2;
    /// The call was not carried out, in a fault.
    pub const NOT_EXECUTED: u8 = 0x20;
    /// A request names an object.
    pub const OBJECT: u8 = 0x80;
    pub const WHOLE: u8 = FIRST | LAST;
}

/// Little-endian, ASCII, IEEE 754 (C706 14.1): Windows' own, and the only one here.
pub const REPRESENTATION: [u8; 4] = [0x10, 0, 0, 0];

/// The common header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: u8,
    pub flags: u8,
    /// The length of the whole PDU, including this header.
    pub length: u16,
    /// The bytes of authentication after it.
    pub authentication: u16,
    pub call: u32,
}

/// Why a PDU cannot be read at all: nothing can be answered but that the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    Version,
    Representation,
    Length,
}

impl Header {
    /// The header of a PDU without authentication. Its length is set later.
    #[must_use]
    pub fn of(kind: u8, flags: u8, call: u32) -> Self {
        Header { kind, flags, length: 0, authentication: 0, call }
    }

    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[5, 0, self.kind, self.flags]);
        out.extend_from_slice(&REPRESENTATION);
        out.extend_from_slice(&self.length.to_le_bytes());
        out.extend_from_slice(&self.authentication.to_le_bytes());
        out.extend_from_slice(&self.call.to_le_bytes());
    }

    /// Minor versions 0 and 1 differ in nothing that is used here.
    pub fn read(octets: &[u8; HEADER]) -> Result<Self, Unreadable> {
        let [major, minor, kind, flags, integers, floats, _, _, l0, l1, a0, a1, c0, c1, c2, c3] = *octets;
        if major != 5 || minor > 1 {
            return Err(Unreadable::Version);
        }
        if [integers, floats] != [0x10, 0] {
            return Err(Unreadable::Representation);
        }
        let length = u16::from_le_bytes([l0, l1]);
        if usize::from(length) < HEADER {
            return Err(Unreadable::Length);
        }
        let authentication = u16::from_le_bytes([a0, a1]);
        Ok(Header { kind, flags, length, authentication, call: u32::from_le_bytes([c0, c1, c2, c3]) })
    }
}

/// Fills in the length of the PDU that begins at `start` and ends with the buffer.
pub fn close(out: &mut [u8], start: usize) {
    let length = u16::try_from(out.len() - start).unwrap_or(u16::MAX);
    out[start + 8..start + 10].copy_from_slice(&length.to_le_bytes());
}

/// A PDU is not what its type says.
pub(crate) const ODD: Malformed = Malformed("a PDU is shorter than its type");
