//! What went wrong, in words: an error object marshalled by value (MS-DCOM 2.2.21), which ORPCTHAT carries.

use crate::ids::{ERROR_OBJECT, Guid, IERROR_INFO, SPEED_SERVICE};
use crate::ndr::{Malformed, Ndr, Reader, Writer};
use crate::objref::{CUSTOM, SIGNATURE};

/// Before a string that is there (MS-DCOM 2.2.21.2).
const PRESENT: u32 = 0xffff_ffff;
const SOURCE: &str = "SpeedService";

/// An `OBJREF_CUSTOM` (MS-DCOM 2.2.18.6) of the error object with this description.
#[must_use]
pub fn object_reference(description: &str) -> Vec<u8> {
    let mut object = Vec::new();
    let mut out = Writer::new(&mut object);
    out.u32(0);
    out.u32(0);
    SPEED_SERVICE.put(&mut out);
    put_string(&mut out, SOURCE);
    put_string(&mut out, description);
    out.u32(0);
    let mut octets = Vec::new();
    let mut out = Writer::new(&mut octets);
    out.u32(SIGNATURE);
    out.u32(CUSTOM);
    IERROR_INFO.put(&mut out);
    ERROR_OBJECT.put(&mut out);
    out.u32(0);
    out.count(object.len() + 8);
    out.octets(&object);
    octets
}

/// An `ErrorInfoString` (MS-DCOM 2.2.21.3). It ends at U+0000; text after that is lost.
fn put_string(out: &mut Writer<'_>, text: &str) {
    let units: Vec<u16> = text.encode_utf16().take_while(|unit| *unit != 0).chain([0]).collect();
    out.u32(PRESENT);
    out.count(units.len());
    out.u32(0);
    out.count(units.len());
    u16::put_all(&units, out);
    // MIDL's own marshalling of strings is aligned, and so are the numbers that follow.
    out.align(4);
}

/// The description in an `OBJREF_CUSTOM` of an error object. None if it is something else or damaged, which is allowed for an extension.
#[must_use]
pub fn words(octets: &[u8]) -> Option<String> {
    let mut from = Reader::new(octets);
    read(&mut from).ok().flatten()
}

fn read(from: &mut Reader<'_>) -> Result<Option<String>, Malformed> {
    let (signature, flags) = (from.u32()?, from.u32()?);
    Guid::get(from)?;
    if (signature, flags, Guid::get(from)?) != (SIGNATURE, CUSTOM, ERROR_OBJECT) {
        return Ok(None);
    }
    from.u32()?;
    from.u32()?;
    from.u32()?;
    from.u32()?;
    Guid::get(from)?;
    string(from)?;
    string(from)
}

fn string(from: &mut Reader<'_>) -> Result<Option<String>, Malformed> {
    if from.u32()? != PRESENT {
        return Ok(None);
    }
    from.u32()?;
    from.u32()?;
    let count = from.count(2)?;
    let units = u16::get_all(count, from)?;
    from.align(4);
    Ok(Some(char::decode_utf16(units.into_iter().take_while(|unit| *unit != 0)).map(|it| it.unwrap_or('\u{fffd}')).collect()))
}
