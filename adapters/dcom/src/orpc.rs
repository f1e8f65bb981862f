//! What stands before the parameters of every call of an object, and before its results: ORPCTHIS and ORPCTHAT (MS-DCOM 2.2.13).

use crate::error_info;
use crate::ids::{ERROR_EXTENSION, Guid};
use crate::ndr::{Malformed, Ndr, Reader, Writer, record};

/// COMVERSION (MS-DCOM 2.2.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
}

/// What we speak.
pub const VERSION: Version = Version { major: 5, minor: 7 };

record! { Version { major: u16, minor: u16 } }

impl Version {
    /// Whether a server of our version must answer a client of this one: the major version must be equal, and the minor version known (MS-DCOM 1.7).
    #[must_use]
    pub fn is_served(self) -> bool {
        self.major == VERSION.major && self.minor <= VERSION.minor
    }
}

/// ORPCTHIS without its extensions, which are not used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct This {
    pub version: Version,
    pub flags: u32,
    /// The causality: the same for all calls that one call leads to.
    pub causality: Guid,
}

impl This {
    #[must_use]
    pub fn of(causality: Guid) -> Self {
        This { version: VERSION, flags: 0, causality }
    }

    pub fn put(&self, out: &mut Writer<'_>) {
        self.version.put(out);
        out.u32(self.flags);
        out.u32(0);
        self.causality.put(out);
        out.u32(0);
    }

    pub fn get(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let (version, flags) = (Version::get(from)?, from.u32()?);
        from.u32()?;
        let causality = Guid::get(from)?;
        extensions(from, |_, _| ())?;
        Ok(This { version, flags, causality })
    }
}

/// ORPCTHAT, with an error message if there is one.
pub fn put_that(out: &mut Writer<'_>, error: Option<&str>) {
    out.u32(0);
    let Some(error) = error else {
        return out.u32(0);
    };
    out.referent();
    // ORPC_EXTENT_ARRAY: its array has an even count, the second of ours being null (MS-DCOM 2.2.13.2).
    out.u32(1);
    out.u32(0);
    out.referent();
    out.u32(2);
    out.referent();
    out.u32(0);
    // ORPC_EXTENT: a conformant structure, whose bytes are padded to a multiple of eight (MS-DCOM 2.2.13.1).
    let data = error_info::object_reference(error);
    let whole = data.len().next_multiple_of(8);
    out.count(whole);
    ERROR_EXTENSION.put(out);
    out.count(data.len());
    out.octets(&data);
    out.room(whole - data.len());
}

/// ORPCTHAT: the words that came with it, if any did.
pub fn get_that(from: &mut Reader<'_>) -> Result<Option<String>, Malformed> {
    from.u32()?;
    let mut error = None;
    extensions(from, |id, data| {
        if id == ERROR_EXTENSION {
            error = error_info::words(data);
        }
    })?;
    Ok(error)
}

/// Passes each extension of an `ORPC_EXTENT_ARRAY` behind a unique pointer to `show`.
fn extensions(from: &mut Reader<'_>, mut show: impl FnMut(Guid, &[u8])) -> Result<(), Malformed> {
    if !from.pointer()? {
        return Ok(());
    }
    let size = from.u32()?;
    from.u32()?;
    if !from.pointer()? {
        return if size == 0 { Ok(()) } else { Err(Malformed("extensions are announced and not there")) };
    }
    let count = from.count(4)?;
    let there: Vec<bool> = (0..count).map(|_| from.pointer()).collect::<Result<_, _>>()?;
    for _ in there.into_iter().filter(|there| *there) {
        let whole = from.count(1)?;
        let id = Guid::get(from)?;
        let size = from.u32()? as usize;
        let data = from.octets(whole)?;
        show(id, data.get(..size).ok_or(Malformed("an extension is longer than its octets"))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_out_of_orpcthat() {
        for words in [None, Some("n is -1"), Some(""), Some("Zoë \u{1f600}")] {
            let mut octets = Vec::new();
            let mut out = Writer::new(&mut octets);
            put_that(&mut out, words);
            out.u32(7);
            let mut from = Reader::new(&octets);
            assert_eq!(get_that(&mut from).expect("ORPCTHAT").as_deref(), words);
            assert_eq!(from.u32(), Ok(7));
        }
    }

    #[test]
    fn orpcthis_is_of_32_octets() {
        let this = This::of(crate::ids::IERROR_INFO);
        let mut octets = Vec::new();
        this.put(&mut Writer::new(&mut octets));
        assert_eq!((octets.len(), &octets[..4]), (32, &[5, 0, 7, 0][..]));
        assert_eq!(This::get(&mut Reader::new(&octets)), Ok(this));
    }

    #[test]
    fn only_our_major_and_no_later_minor_is_served() {
        let served = |major, minor| Version { major, minor }.is_served();
        assert!(served(5, 7) && served(5, 1));
        assert!(!served(5, 8) && !served(4, 7) && !served(6, 0));
    }
}
