//! Strings as BSTRs (MS-OAUT 2.2.23): a pointer to a `FLAGGED_WORD_BLOB` with bytes, count and UTF-16 units. The length is explicit, so U+0000 is
//! allowed.

use super::{Malformed, Ndr, Reader, Writer};

/// The referent that a BSTR has, `User` in ASCII: its marshalling is the type's own ([`wire_marshal`]).
const USER: u32 = u32::from_le_bytes(*b"User");

impl Ndr for String {
    /// Whether the pointer is not null; a null BSTR is an empty one.
    type Flat = bool;
    const ALIGN: usize = 4;
    const LEAST: usize = 4;

    fn put_flat(&self, out: &mut Writer<'_>) {
        out.u32(USER);
    }

    fn put_rest(&self, out: &mut Writer<'_>) {
        // Reserves space for ASCII, where a character is one unit of two bytes. Other characters enlarge it.
        out.align(4);
        let ascii = self.is_ascii();
        let units = if ascii { self.len() } else { self.encode_utf16().count() };
        out.reserve(12 + 2 * units);
        out.count(units);
        out.count(2 * units);
        out.count(units);
        let places = out.room(2 * units).as_chunks_mut::<2>().0.iter_mut();
        if ascii {
            places.zip(self.bytes()).for_each(|(place, octet)| *place = [octet, 0]);
        } else {
            places.zip(self.encode_utf16()).for_each(|(place, unit)| *place = unit.to_le_bytes());
        }
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<bool, Malformed> {
        from.pointer()
    }

    fn get_rest(there: bool, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        if !there {
            return Ok(String::new());
        }
        let most = from.count(2)?;
        let octets = from.u32()?;
        let units = from.u32()? as usize;
        if units != most {
            return Err(Malformed("a string has another size than its count says"));
        }
        // A BSTR that is null inside its blob says so by this length.
        if octets == u32::MAX && units == 0 {
            return Ok(String::new());
        }
        if octets as usize != 2 * units {
            return Err(Malformed("a string is not of whole UTF-16 units"));
        }
        read(from.octets(2 * units)?)
    }
}

fn read(octets: &[u8]) -> Result<String, Malformed> {
    let units = octets.as_chunks::<2>().0;
    if units.iter().fold(0, |all, [low, high]| all | (low & 0x80) | high) == 0 {
        let ascii: Vec<u8> = units.iter().map(|[low, _]| *low).collect();
        return String::from_utf8(ascii).map_err(|_| NOT_UNICODE);
    }
    char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit))).collect::<Result<_, _>>().map_err(|_| NOT_UNICODE)
}

const NOT_UNICODE: Malformed = Malformed("a string has a surrogate without its partner");
