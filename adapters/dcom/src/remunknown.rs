//! `IRemUnknown` (MS-DCOM 3.1.1.5.6): more interfaces, more references, fewer references. Both sides of its three calls.

use callbench_kit::Failure;

use crate::exporter::Exporter;
use crate::ids::Guid;
use crate::ndr::{Malformed, Ndr, Reader, Writer, record};
use crate::objref::Reference;
use crate::orpc::{get_that, put_that};
use crate::status;

pub const QUERY: u16 = 3;
pub const ADD_REF: u16 = 4;
pub const RELEASE: u16 = 5;

/// REMINTERFACEREF (MS-DCOM 2.2.23).
struct Counted {
    ipid: Guid,
    public: u32,
    private: u32,
}

record! { Counted { ipid: Guid, public: u32, private: u32 } }

/// REMQIRESULT (MS-DCOM 2.2.24).
struct Found {
    result: u32,
    reference: Reference,
}

record! { Found { result: u32, reference: Reference } }

/// Answers a call whose ORPCTHIS has been read. An error is the status of a fault.
pub fn answer(exporter: &Exporter, opnum: u16, from: &mut Reader<'_>, out: &mut Writer<'_>) -> Result<(), u32> {
    let read = match opnum {
        QUERY => query(exporter, from, out),
        ADD_REF => count(from).map(|counted| {
            let results: Vec<u32> = counted.iter().map(|one| exporter.add(&one.ipid, one.public.saturating_add(one.private))).collect();
            put_that(out, None);
            out.count(results.len());
            u32::put_all(&results, out);
            out.u32(results.iter().copied().find(|result| *result != 0).unwrap_or(0));
        }),
        RELEASE => count(from).map(|counted| {
            let results = counted.iter().map(|one| exporter.release(&one.ipid, one.public.saturating_add(one.private)));
            let failed = results.fold(0, |failed, result| if failed == 0 { result } else { failed });
            put_that(out, None);
            out.u32(failed);
        }),
        _ => return Err(status::OP_RANGE),
    };
    read.map_err(|_| status::NDR)
}

fn query(exporter: &Exporter, from: &mut Reader<'_>, out: &mut Writer<'_>) -> Result<(), Malformed> {
    let (ipid, refs, announced) = (Guid::get(from)?, from.u32()?, from.u16()?);
    let count = from.same_count(usize::from(announced), Guid::LEAST)?;
    let iids = Guid::get_all(count, from)?;
    put_that(out, None);
    match exporter.query(&ipid, &iids, refs) {
        Ok(found) => {
            let results: Vec<Found> = found.into_iter().map(result).collect();
            out.referent();
            out.count(results.len());
            Found::put_all(&results, out);
            // None of them: that is the call's own result. Some: each has its own (MS-DCOM 3.1.1.5.6.1.1).
            let none = results.iter().all(|found| found.result != 0);
            out.u32(if none { status::NO_INTERFACE } else { u32::from(results.iter().any(|found| found.result != 0)) });
        }
        Err(status) => {
            out.u32(0);
            out.u32(status);
        }
    }
    Ok(())
}

fn result(found: Result<Reference, u32>) -> Found {
    match found {
        Ok(reference) => Found { result: 0, reference },
        Err(result) => Found { result, reference: Reference::default() },
    }
}

fn count(from: &mut Reader<'_>) -> Result<Vec<Counted>, Malformed> {
    let announced = usize::from(from.u16()?);
    let count = from.same_count(announced, Counted::LEAST)?;
    Counted::get_all(count, from)
}

/// The client's request for one more interface, after ORPCTHIS.
pub fn put_query(of: &Guid, wanted: &Guid, refs: u32, out: &mut Writer<'_>) {
    of.put(out);
    out.u32(refs);
    out.u16(1);
    out.u32(1);
    wanted.put(out);
}

/// Its answer, ORPCTHAT included.
pub fn get_query(from: &mut Reader<'_>) -> Result<Reference, Failure> {
    get_that(from).map_err(Failure::protocol)?;
    let found = if from.pointer().map_err(Failure::protocol)? {
        let count = from.same_count(1, Found::LEAST).map_err(Failure::protocol)?;
        Found::get_all(count, from).map_err(Failure::protocol)?.pop()
    } else {
        None
    };
    let result = from.u32().map_err(Failure::protocol)?;
    match found {
        Some(Found { result: 0, reference }) if result == 0 => Ok(reference),
        Some(found) if found.result != 0 => Err(refused(found.result)),
        _ => Err(refused(result)),
    }
}

fn refused(result: u32) -> Failure {
    Failure::protocol(format!("RemQueryInterface gave {}", status::describe(result)))
}

/// Releases references, after ORPCTHIS.
pub fn put_release(references: &[Reference], out: &mut Writer<'_>) {
    out.u16(references.len() as u16);
    out.count(references.len());
    let counted: Vec<_> = references.iter().map(|one| Counted { ipid: one.ipid, public: one.public_refs, private: 0 }).collect();
    Counted::put_all(&counted, out);
}
