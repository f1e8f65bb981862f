//! `IActivation` (MS-DCOM 3.1.2.5.2.3): a class's name becomes an object. Both sides of `RemoteActivation`.

use callbench_kit::Failure;

use crate::exporter::Exporter;
use crate::ids::{Guid, SPEED_CLASS};
use crate::ndr::{Malformed, Ndr, Reader, Writer};
use crate::objref::{Bindings, ObjectReference, TCP, get_interface, put_interface};
use crate::orpc::{This, VERSION, Version, get_that, put_that};
use crate::status;

pub const REMOTE_ACTIVATION: u16 = 0;
/// The references that are passed with an interface pointer. Windows gives as many, so that copies need no further request.
const REFS: u32 = 5;
/// `RPC_C_IMP_LEVEL_IDENTIFY`, which a client without a name can well allow.
const IDENTIFY: u32 = 2;
/// `RPC_C_AUTHN_LEVEL_NONE`.
const NO_AUTHENTICATION: u32 = 1;
/// The maximum number of requested interfaces (`MAX_REQUESTED_INTERFACES` of MS-DCOM's IDL).
const MOST_INTERFACES: usize = 0x8000;

/// The request of a client.
struct ActivationRequest {
    class: Guid,
    iids: Vec<Guid>,
}

/// What a client gets of it.
pub struct Activated {
    pub object: ObjectReference,
    /// The address of the object's exporter.
    pub exporter: Bindings,
    pub rem_unknown: Guid,
}

/// Answers `RemoteActivation`. A status is that of a fault.
pub fn answer(exporter: &Exporter, exporting: &Bindings, resolving: &Bindings, stub: &[u8], out: &mut Writer<'_>) -> Result<(), u32> {
    let mut from = Reader::new(stub);
    let this = This::get(&mut from).map_err(|_| status::NDR)?;
    if !this.version.is_served() {
        return Err(status::VERSION_MISMATCH);
    }
    let asked = read(&mut from).map_err(|_| status::NDR)?;
    let made = if asked.class == SPEED_CLASS { exporter.create(&asked.iids, REFS) } else { vec![None; asked.iids.len()] };
    let missing = if asked.class == SPEED_CLASS { status::NO_INTERFACE } else { status::CLASS_NOT_REGISTERED };
    let failed = if made.iter().any(Option::is_some) { 0 } else { missing };
    put_that(out, None);
    out.u64(if failed == 0 { exporter.oxid } else { 0 });
    if failed == 0 {
        exporting.put_pointer(out);
    } else {
        out.u32(0);
    }
    exporter.rem_unknown.put(out);
    out.u32(NO_AUTHENTICATION);
    VERSION.put(out);
    out.u32(failed);
    out.count(made.len());
    for one in &made {
        if one.is_some() {
            out.referent();
        } else {
            out.u32(0);
        }
    }
    for (reference, iid) in made.iter().zip(&asked.iids) {
        if let Some(reference) = *reference {
            put_interface(&ObjectReference { iid: *iid, reference, resolver: resolving.clone() }.octets(), out);
        }
    }
    let result = |one: &Option<_>| if one.is_some() { 0 } else { missing };
    out.count(made.len());
    u32::put_all(&made.iter().map(result).collect::<Vec<_>>(), out);
    out.u32(0);
    Ok(())
}

fn read(from: &mut Reader<'_>) -> Result<ActivationRequest, Malformed> {
    let class = Guid::get(from)?;
    // A name of an object and its storage, which a moniker would have. Neither is used here.
    if from.pointer()? {
        let (_, _, units) = (from.u32()?, from.u32()?, from.count(2)?);
        from.octets(2 * units)?;
    }
    if from.pointer()? {
        get_interface(from)?;
    }
    let (_, _, interfaces) = (from.u32()?, from.u32()?, from.u32()? as usize);
    if interfaces == 0 || interfaces > MOST_INTERFACES || !from.pointer()? {
        return Err(Malformed("an activation asks for no interface, or for too many"));
    }
    let count = from.same_count(interfaces, Guid::LEAST)?;
    let iids = Guid::get_all(count, from)?;
    let protocols = usize::from(from.u16()?);
    from.same_count(protocols, 2)?;
    Ok(ActivationRequest { class, iids })
}

/// The client's question.
pub fn put_request(causality: Guid, iid: &Guid, out: &mut Writer<'_>) {
    This::of(causality).put(out);
    SPEED_CLASS.put(out);
    out.u32(0);
    out.u32(0);
    out.u32(IDENTIFY);
    out.u32(0);
    out.u32(1);
    out.referent();
    out.u32(1);
    iid.put(out);
    out.u16(1);
    out.u32(1);
    out.u16(TCP);
}

/// The answer to it.
pub fn get_answer(stub: &[u8]) -> Result<Activated, Failure> {
    let mut from = Reader::new(stub);
    let (object, exporter, rem_unknown, failed) = get_results(&mut from).map_err(Failure::protocol)?;
    match object {
        Some(octets) if failed == 0 => {
            Ok(Activated { object: ObjectReference::read(octets).map_err(Failure::protocol)?, exporter, rem_unknown })
        }
        _ => Err(Failure::protocol(format!("RemoteActivation gave {}", status::describe(failed)))),
    }
}

type Results<'a> = (Option<&'a [u8]>, Bindings, Guid, u32);

fn get_results<'a>(from: &mut Reader<'a>) -> Result<Results<'a>, Malformed> {
    get_that(from)?;
    from.u64()?;
    let exporter = Bindings::get_pointer(from)?;
    let rem_unknown = Guid::get(from)?;
    from.u32()?;
    Version::get(from)?;
    let failed = from.u32()?;
    from.same_count(1, 4)?;
    let object = if from.pointer()? { Some(get_interface(from)?) } else { None };
    from.same_count(1, 4)?;
    let (result, error) = (from.u32()?, from.u32()?);
    Ok((object, exporter, rem_unknown, [failed, result, error].into_iter().find(|status| *status != 0).unwrap_or(0)))
}
