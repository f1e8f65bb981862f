//! References to objects: OBJREF (MS-DCOM 2.2.18), and the addresses in it (2.2.19).

use crate::ids::Guid;
use crate::ndr::{Malformed, Ndr, Reader, Writer, record};

/// `MEOW`.
pub const SIGNATURE: u32 = 0x574f_454d;
const STANDARD: u32 = 1;
pub const CUSTOM: u32 = 4;
/// `ncacn_ip_tcp`, as towers and protocol sequences have it.
pub const TCP: u16 = 7;

/// The object need not be pinged (`SORF_NOPING`, MS-DCOM 2.2.18.2). Ours must.
pub const NO_PING: u32 = 0x1000;

/// STDOBJREF: one interface of one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    pub flags: u32,
    /// How many references come with it, to be given back by `RemRelease`.
    pub public_refs: u32,
    pub oxid: u64,
    pub oid: u64,
    pub ipid: Guid,
}

record! { Reference { flags: u32, public_refs: u32, oxid: u64, oid: u64, ipid: Guid } }

/// DUALSTRINGARRAY, of which only TCP addresses are kept: `127.0.0.1[40001]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings(pub Vec<String>);

impl Bindings {
    /// The units, and the place among them where security bindings begin.
    fn units(&self) -> (Vec<u16>, usize) {
        let mut units = Vec::new();
        for address in &self.0 {
            units.push(TCP);
            units.extend(address.encode_utf16().chain([0]));
        }
        units.push(0);
        let security = units.len();
        // No security binding: there is no authentication.
        units.push(0);
        (units, security)
    }

    /// As in an OBJREF: counts, then units.
    fn put_packed(&self, out: &mut Writer<'_>) {
        let (units, security) = self.units();
        out.u16(units.len() as u16);
        out.u16(security as u16);
        u16::put_all(&units, out);
    }

    /// As a result: a unique pointer to a conformant structure.
    pub fn put_pointer(&self, out: &mut Writer<'_>) {
        out.referent();
        out.count(self.units().0.len());
        self.put_packed(out);
    }

    pub fn get_pointer(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        if !from.pointer()? {
            return Ok(Bindings::default());
        }
        let most = from.count(2)?;
        Self::get_packed(from, Some(most))
    }

    fn get_packed(from: &mut Reader<'_>, most: Option<usize>) -> Result<Self, Malformed> {
        let (count, security) = (usize::from(from.u16()?), usize::from(from.u16()?));
        if security > count || most.is_some_and(|most| most != count) {
            return Err(Malformed("the counts of string bindings contradict each other"));
        }
        let units = u16::get_all(count, from)?;
        let mut addresses = Vec::new();
        let mut rest = &units[..security];
        while let Some((tower, behind)) = rest.split_first().filter(|(tower, _)| **tower != 0) {
            let end = behind.iter().position(|unit| *unit == 0).ok_or(Malformed("a string binding does not end"))?;
            if *tower == TCP {
                addresses.push(String::from_utf16(&behind[..end]).map_err(|_| Malformed("a string binding is not Unicode"))?);
            }
            rest = &behind[end + 1..];
        }
        Ok(Bindings(addresses))
    }
}

/// `OBJREF_STANDARD`: an interface pointer as it is handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectReference {
    pub iid: Guid,
    pub reference: Reference,
    /// The address of the object resolver that knows the OXID.
    pub resolver: Bindings,
}

impl ObjectReference {
    #[must_use]
    pub fn octets(&self) -> Vec<u8> {
        let mut octets = Vec::new();
        let mut out = Writer::new(&mut octets);
        out.u32(SIGNATURE);
        out.u32(STANDARD);
        self.iid.put(&mut out);
        self.reference.put(&mut out);
        self.resolver.put_packed(&mut out);
        octets
    }

    pub fn read(octets: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(octets);
        if (from.u32()?, from.u32()?) != (SIGNATURE, STANDARD) {
            return Err(Malformed("an interface pointer is no standard object reference"));
        }
        let (iid, reference) = (Guid::get(&mut from)?, Reference::get(&mut from)?);
        Ok(ObjectReference { iid, reference, resolver: Bindings::get_packed(&mut from, None)? })
    }
}

/// An interface pointer: `MInterfacePointer` (MS-DCOM 2.2.14), a conformant structure.
pub fn put_interface(octets: &[u8], out: &mut Writer<'_>) {
    out.count(octets.len());
    out.count(octets.len());
    out.octets(octets);
}

/// What [`put_interface`] wrote.
pub fn get_interface<'a>(from: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    let most = from.count(1)?;
    let count = from.u32()? as usize;
    if count != most {
        return Err(Malformed("an interface pointer has another size than its count says"));
    }
    from.octets(count)
}

/// Host and port of `127.0.0.1[40001]`.
#[must_use]
pub fn host_and_port(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.strip_suffix(']')?.rsplit_once('[')?;
    Some((host, port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SPEED_SERVICE;

    #[test]
    fn a_reference_comes_back_as_it_was() {
        let reference = Reference { flags: 0, public_refs: 5, oxid: 1 << 40, oid: 77, ipid: Guid([9; 16]) };
        let resolver = Bindings(vec!["127.0.0.1[40001]".to_owned(), "[::1][40002]".to_owned()]);
        let whole = ObjectReference { iid: SPEED_SERVICE, reference, resolver };
        let octets = whole.octets();
        assert_eq!(octets[..8], *b"MEOW\x01\0\0\0");
        assert_eq!(ObjectReference::read(&octets), Ok(whole));
        for length in 0..octets.len() - 2 {
            assert!(ObjectReference::read(&octets[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn an_address_has_its_port_in_brackets() {
        assert_eq!(host_and_port("127.0.0.1[40001]"), Some(("127.0.0.1", 40001)));
        assert_eq!(host_and_port("::1[40001]"), Some(("::1", 40001)));
        for wrong in ["127.0.0.1", "127.0.0.1[]", "127.0.0.1[70000]", "[", ""] {
            assert_eq!(host_and_port(wrong), None, "{wrong}");
        }
    }
}
