//! GUIDs: the well-known ones of MS-DCOM 1.9, ours, and new ones for objects and calls.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_transport::random;

/// A GUID as it travels: the first three parts little-endian (MS-DTYP 2.3.4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// From the four parts of its usual text.
    #[must_use]
    pub const fn new(one: u32, two: u16, three: u16, rest: [u8; 8]) -> Self {
        let first = (one as u64) | (two as u64) << 32 | (three as u64) << 48;
        Guid(((first as u128) | (u64::from_le_bytes(rest) as u128) << 64).to_le_bytes())
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let it = &self.0;
        let (one, two) = (u32::from_le_bytes([it[0], it[1], it[2], it[3]]), u16::from_le_bytes([it[4], it[5]]));
        write!(to, "{one:08x}-{two:04x}-{:04x}-{:02x}{:02x}-", u16::from_le_bytes([it[6], it[7]]), it[8], it[9])?;
        it[10..].iter().try_for_each(|octet| write!(to, "{octet:02x}"))
    }
}

/// The last eight bytes of COM's own GUIDs.
const COM: [u8; 8] = [0xc0, 0, 0, 0, 0, 0, 0, 0x46];

pub const IUNKNOWN: Guid = Guid::new(0, 0, 0, COM);
pub const REM_UNKNOWN: Guid = Guid::new(0x131, 0, 0, COM);
/// [`REM_UNKNOWN`] with one more call, which this adapter never makes. Clients that know it use it for the first three calls.
pub const REM_UNKNOWN_2: Guid = Guid::new(0x143, 0, 0, COM);
pub const ACTIVATION: Guid = Guid::new(0x4d9f_4ab8, 0x7d1c, 0x11cf, [0x86, 0x1e, 0, 0x20, 0xaf, 0x6e, 0x7c, 0x57]);
pub const OBJECT_EXPORTER: Guid = Guid::new(0x99fc_fec4, 0x5260, 0x101b, [0xbb, 0xcb, 0, 0xaa, 0, 0x21, 0x34, 0x7a]);
/// `CLSID_ERROR_EXTENSION`: an extension of ORPCTHAT that says in words what went wrong.
pub const ERROR_EXTENSION: Guid = Guid::new(0x31c, 0, 0, COM);
/// `CLSID_ErrorObject`: the content of that extension.
pub const ERROR_OBJECT: Guid = Guid::new(0x31b, 0, 0, COM);
pub const IERROR_INFO: Guid = Guid::new(0x1cf2_b120, 0x547d, 0x101b, [0x8e, 0x65, 8, 0, 0x2b, 0x2b, 0xd1, 0x19]);
/// NDR, the transfer syntax (C706 appendix I), version 2.0.
pub const NDR: Guid = Guid::new(0x8a88_5d04, 0x1ceb, 0x11c9, [0x9f, 0xe8, 8, 0, 0x2b, 0x10, 0x48, 0x60]);
pub const NDR_VERSION: u32 = 2;

/// Our class and its interface; `adapters/dcom/service.idl` has them too.
pub const SPEED_CLASS: Guid = Guid::new(0x225f_c1cd, 0x16d0, 0x417e, [0xa8, 0x9f, 0xa5, 0x57, 0xc0, 0x69, 0xc0, 0xc5]);
pub const SPEED_SERVICE: Guid = Guid::new(0x4e0a_7a69, 0x6292, 0x4c79, [0xa0, 0xa0, 0xaa, 0x6e, 0xe7, 0x7b, 0x01, 0xe1]);

/// Generates GUIDs: eight unguessable bytes, and a counter.
#[derive(Debug)]
pub struct Mint {
    stem: u64,
    count: AtomicU64,
}

impl Mint {
    pub fn new() -> io::Result<Self> {
        let random = u128::from_le_bytes(random::octets()?);
        Ok(Mint { stem: (random >> 64) as u64, count: AtomicU64::new(random as u64) })
    }

    /// Another number of 64 bits, as OIDs, OXIDs and sets of pings are.
    pub fn number(&self) -> u64 {
        self.count.fetch_add(1, Relaxed)
    }

    pub fn guid(&self) -> Guid {
        Guid((u128::from(self.stem) << 64 | u128::from(self.number())).to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guid_is_shown_as_it_is_usually_written() {
        assert_eq!(OBJECT_EXPORTER.to_string(), "99fcfec4-5260-101b-bbcb-00aa0021347a");
        assert_eq!(SPEED_SERVICE.to_string(), "4e0a7a69-6292-4c79-a0a0-aa6ee77b01e1");
        assert_eq!(REM_UNKNOWN.0[..4], [0x31, 1, 0, 0]);
    }

    #[test]
    fn a_mint_never_gives_the_same_twice() {
        let mint = Mint::new().expect("random octets");
        assert_ne!(mint.guid(), mint.guid());
    }
}
