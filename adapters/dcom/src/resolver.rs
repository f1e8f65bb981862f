//! The object resolver (MS-DCOM 3.1.2): activation, OXIDs, pings. It listens on its own port, as that of Windows does on 135.

use std::sync::Arc;

use callbench_kit::Failure;

use crate::activation;
use crate::connection::Interfaces;
use crate::exporter::Exporter;
use crate::ids::{ACTIVATION, Guid, OBJECT_EXPORTER};
use crate::ndr::{Malformed, Ndr, Reader, Writer};
use crate::objref::{Bindings, TCP};
use crate::orpc::{VERSION, Version};
use crate::pdu::call::Request;
use crate::pings::PingSets;
use crate::status;

/// The calls of `IObjectExporter` (MS-DCOM 3.1.2.5.1).
pub mod opnum {
    pub const RESOLVE_OXID: u16 = 0;
    pub const SIMPLE_PING: u16 = 1;
    pub const COMPLEX_PING: u16 = 2;
    pub const SERVER_ALIVE: u16 = 3;
    pub const RESOLVE_OXID_2: u16 = 4;
    pub const SERVER_ALIVE_2: u16 = 5;
}

pub struct Resolver {
    pub exporter: Arc<Exporter>,
    pub sets: Arc<PingSets>,
    /// The addresses of the exporter and of the resolver.
    pub exporting: Bindings,
    pub resolving: Bindings,
}

impl Interfaces for Resolver {
    fn has(&self, interface: &Guid) -> bool {
        *interface == OBJECT_EXPORTER || *interface == ACTIVATION
    }

    fn answer(&self, interface: &Guid, request: &Request, stub: &[u8], out: &mut Writer<'_>) -> Result<(), u32> {
        if *interface == ACTIVATION {
            return match request.opnum {
                activation::REMOTE_ACTIVATION => activation::answer(&self.exporter, &self.exporting, &self.resolving, stub, out),
                _ => Err(status::OP_RANGE),
            };
        }
        let mut from = Reader::new(stub);
        let read = match request.opnum {
            opnum::RESOLVE_OXID => self.resolve(&mut from, out, false),
            opnum::RESOLVE_OXID_2 => self.resolve(&mut from, out, true),
            opnum::SIMPLE_PING => self.simple_ping(&mut from, out),
            opnum::COMPLEX_PING => self.complex_ping(&mut from, out),
            opnum::SERVER_ALIVE => {
                out.u32(0);
                Ok(())
            }
            opnum::SERVER_ALIVE_2 => {
                VERSION.put(out);
                self.resolving.put_pointer(out);
                out.u32(0);
                out.u32(0);
                Ok(())
            }
            _ => return Err(status::OP_RANGE),
        };
        read.map_err(|_| status::NDR)
    }
}

impl Resolver {
    fn resolve(&self, from: &mut Reader<'_>, out: &mut Writer<'_>, with_version: bool) -> Result<(), Malformed> {
        let (oxid, protocols) = (from.u64()?, usize::from(from.u16()?));
        let count = from.same_count(protocols, 2)?;
        u16::get_all(count, from)?;
        let known = oxid == self.exporter.oxid;
        if known {
            self.exporting.put_pointer(out);
        } else {
            out.u32(0);
        }
        if known { self.exporter.rem_unknown } else { Guid::default() }.put(out);
        // RPC_C_AUTHN_LEVEL_NONE.
        out.u32(1);
        if with_version {
            VERSION.put(out);
        }
        out.u32(if known { 0 } else { status::INVALID_OXID });
        Ok(())
    }

    fn simple_ping(&self, from: &mut Reader<'_>, out: &mut Writer<'_>) -> Result<(), Malformed> {
        let pinged = self.sets.pinged(from.u64()?);
        out.u32(if pinged.is_some() { 0 } else { status::INVALID_SET });
        for oid in pinged.into_iter().flatten() {
            self.exporter.pinged(oid);
        }
        Ok(())
    }

    fn complex_ping(&self, from: &mut Reader<'_>, out: &mut Writer<'_>) -> Result<(), Malformed> {
        let (id, _sequence) = (from.u64()?, from.u16()?);
        let (adding, removing) = (usize::from(from.u16()?), usize::from(from.u16()?));
        let (add, remove) = (oids(adding, from)?, oids(removing, from)?);
        let known: Vec<u64> = add.iter().copied().filter(|oid| self.exporter.pinged(*oid)).collect();
        let changed = self.sets.change(id, &known, &remove);
        let pinged = changed.and_then(|id| self.sets.pinged(id));
        for oid in pinged.into_iter().flatten() {
            self.exporter.pinged(oid);
        }
        out.u64(changed.unwrap_or(id));
        out.u16(0);
        out.u32(match changed {
            None => status::INVALID_SET,
            Some(_) if known.len() < add.len() => status::INVALID_OID,
            Some(_) => 0,
        });
        Ok(())
    }
}

fn oids(announced: usize, from: &mut Reader<'_>) -> Result<Vec<u64>, Malformed> {
    if !from.pointer()? {
        return if announced == 0 { Ok(Vec::new()) } else { Err(Malformed("a ping names no objects where it announces some")) };
    }
    let count = from.same_count(announced, 8)?;
    u64::get_all(count, from)
}

/// The client's `ResolveOxid2`.
pub fn put_resolve(oxid: u64, out: &mut Writer<'_>) {
    out.u64(oxid);
    out.u16(1);
    out.u32(1);
    out.u16(TCP);
}

/// Its answer: where the exporter listens, and the IPID of its `IRemUnknown`.
pub fn get_resolve(stub: &[u8]) -> Result<(Bindings, Guid), Failure> {
    let mut from = Reader::new(stub);
    let mut read = || {
        let (bindings, rem_unknown) = (Bindings::get_pointer(&mut from)?, Guid::get(&mut from)?);
        from.u32()?;
        Version::get(&mut from)?;
        Ok((bindings, rem_unknown, from.u32()?))
    };
    match read().map_err(|malformed: Malformed| Failure::protocol(malformed))? {
        (bindings, rem_unknown, 0) => Ok((bindings, rem_unknown)),
        (_, _, failed) => Err(Failure::protocol(format!("ResolveOxid2 gave {}", status::describe(failed)))),
    }
}

/// The server's version out of `ServerAlive2`'s answer.
pub fn get_alive(stub: &[u8]) -> Result<Version, Failure> {
    Version::get(&mut Reader::new(stub)).map_err(Failure::protocol)
}

/// The client's `ComplexPing`.
pub fn put_complex_ping(set: u64, sequence: u16, add: &[u64], remove: &[u64], out: &mut Writer<'_>) {
    out.u64(set);
    out.u16(sequence);
    out.u16(add.len() as u16);
    out.u16(remove.len() as u16);
    for oids in [add, remove] {
        if oids.is_empty() {
            out.u32(0);
        } else {
            out.referent();
            out.count(oids.len());
            u64::put_all(oids, out);
        }
    }
}

/// The id of the set from its answer. If an object no longer exists, the ping is still successful.
pub fn get_complex_ping(stub: &[u8]) -> Result<u64, Failure> {
    let mut from = Reader::new(stub);
    let mut read = || {
        let set = from.u64()?;
        from.u16()?;
        Ok((set, from.u32()?))
    };
    match read().map_err(|malformed: Malformed| Failure::protocol(malformed))? {
        (set, 0 | status::INVALID_OID) => Ok(set),
        (_, failed) => Err(Failure::protocol(format!("ComplexPing gave {}", status::describe(failed)))),
    }
}
