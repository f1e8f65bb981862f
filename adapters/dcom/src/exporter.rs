//! The object exporter's tables (MS-DCOM 3.1.1.1): objects by OID, their interfaces by IPID, and counts of references. Objects that nobody pings are
//! reclaimed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use callbench_kit::Failure;

use crate::ids::{Guid, IUNKNOWN, Mint, SPEED_SERVICE};
use crate::objref::Reference;
use crate::status;

/// An object without a ping or call for this number of periods is reclaimed (MS-DCOM 3.1.2.2).
pub const PERIODS: u64 = 3;

struct Interface {
    oid: u64,
    iid: Guid,
    refs: u32,
    /// The object's.
    seen: Arc<AtomicU64>,
}

struct Object {
    /// IPIDs by IID.
    interfaces: Vec<(Guid, Guid)>,
    /// The period in which it was last pinged or called.
    seen: Arc<AtomicU64>,
}

#[derive(Default)]
struct Tables {
    objects: HashMap<u64, Object>,
    interfaces: HashMap<Guid, Interface>,
}

/// The objects of one server.
pub struct Exporter {
    /// Its own name, and that of the object that counts references.
    pub oxid: u64,
    pub rem_unknown: Guid,
    mint: Mint,
    /// Periods of pinging that have passed.
    period: AtomicU64,
    tables: RwLock<Tables>,
}

impl Exporter {
    pub fn new() -> Result<Self, Failure> {
        let mint = Mint::new()?;
        let (oxid, rem_unknown) = (mint.number(), mint.guid());
        Ok(Exporter { oxid, rem_unknown, mint, period: AtomicU64::new(0), tables: RwLock::default() })
    }

    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates an object with `refs` references to each requested interface. A missing interface is None; if all are missing, no object is created.
    pub fn create(&self, iids: &[Guid], refs: u32) -> Vec<Option<Reference>> {
        if !iids.iter().any(is_ours) {
            return vec![None; iids.len()];
        }
        let oid = self.mint.number();
        let seen = Arc::new(AtomicU64::new(self.period.load(Relaxed)));
        let mut tables = self.write();
        tables.objects.insert(oid, Object { interfaces: Vec::new(), seen });
        iids.iter().map(|iid| self.refer(&mut tables, oid, iid, refs)).collect()
    }

    /// Adds references to an interface of an object. A new interface gets an IPID.
    fn refer(&self, tables: &mut Tables, oid: u64, wanted: &Guid, refs: u32) -> Option<Reference> {
        let object = tables.objects.get_mut(&oid).filter(|_| is_ours(wanted))?;
        let found = object.interfaces.iter().find(|(known, _)| known == wanted).map(|(_, ipid)| *ipid);
        let ipid = found.unwrap_or_else(|| {
            let made = self.mint.guid();
            object.interfaces.push((*wanted, made));
            made
        });
        let seen = Arc::clone(&object.seen);
        let interface = tables.interfaces.entry(ipid).or_insert(Interface { oid, iid: *wanted, refs: 0, seen });
        interface.refs = interface.refs.saturating_add(refs);
        Some(Reference { flags: 0, public_refs: refs, oxid: self.oxid, oid, ipid })
    }

    /// The interface with this IPID. The call is noted.
    pub fn called(&self, ipid: &Guid) -> Option<Guid> {
        let tables = self.read();
        let interface = tables.interfaces.get(ipid)?;
        interface.seen.store(self.period.load(Relaxed), Relaxed);
        Some(interface.iid)
    }

    /// More interfaces of the object that has this one (MS-DCOM 3.1.1.5.6.1.1): a reference or a status for each.
    pub fn query(&self, ipid: &Guid, iids: &[Guid], refs: u32) -> Result<Vec<Result<Reference, u32>>, u32> {
        let mut tables = self.write();
        let oid = tables.interfaces.get(ipid).map(|interface| interface.oid).ok_or(status::INVALID_OBJECT)?;
        Ok(iids.iter().map(|iid| self.refer(&mut tables, oid, iid, refs).ok_or(status::NO_INTERFACE)).collect())
    }

    /// More references to an interface: 0, or a status.
    pub fn add(&self, ipid: &Guid, refs: u32) -> u32 {
        match self.write().interfaces.get_mut(ipid) {
            Some(interface) => {
                interface.refs = interface.refs.saturating_add(refs);
                0
            }
            None => status::INVALID_OBJECT,
        }
    }

    /// Releases references: an interface without references is removed, and an object without interfaces too.
    pub fn release(&self, ipid: &Guid, refs: u32) -> u32 {
        let mut tables = self.write();
        let Some(interface) = tables.interfaces.get_mut(ipid) else {
            return status::INVALID_OBJECT;
        };
        interface.refs = interface.refs.saturating_sub(refs);
        if interface.refs > 0 {
            return 0;
        }
        let oid = interface.oid;
        tables.interfaces.remove(ipid);
        if let Some(object) = tables.objects.get_mut(&oid) {
            object.interfaces.retain(|(_, known)| known != ipid);
            if object.interfaces.is_empty() {
                tables.objects.remove(&oid);
            }
        }
        0
    }

    /// Whether the object exists. The ping is noted.
    pub fn pinged(&self, oid: u64) -> bool {
        let tables = self.read();
        tables.objects.get(&oid).map(|object| object.seen.store(self.period.load(Relaxed), Relaxed)).is_some()
    }

    /// A period of pinging has passed.
    pub fn tick(&self) {
        let now = self.period.fetch_add(1, Relaxed) + 1;
        let mut tables = self.write();
        let Tables { objects, interfaces } = &mut *tables;
        objects.retain(|_, object| {
            let kept = now <= object.seen.load(Relaxed) + PERIODS;
            if !kept {
                object.interfaces.iter().for_each(|(_, ipid)| drop(interfaces.remove(ipid)));
            }
            kept
        });
    }
}

/// The interfaces of every object here.
fn is_ours(iid: &Guid) -> bool {
    *iid == SPEED_SERVICE || *iid == IUNKNOWN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ACTIVATION;

    fn made() -> (Exporter, Reference) {
        let exporter = Exporter::new().expect("an exporter");
        let reference = exporter.create(&[IUNKNOWN], 5)[0].expect("a reference");
        (exporter, reference)
    }

    #[test]
    fn an_object_goes_with_its_last_reference() {
        let (exporter, reference) = made();
        let more = exporter.query(&reference.ipid, &[SPEED_SERVICE, ACTIVATION], 2).expect("references");
        let speed = more[0].expect("the interface");
        assert_eq!(more[1], Err(status::NO_INTERFACE));
        assert_eq!(exporter.called(&speed.ipid), Some(SPEED_SERVICE));
        assert_eq!((exporter.add(&speed.ipid, 1), exporter.release(&speed.ipid, 2), exporter.release(&speed.ipid, 1)), (0, 0, 0));
        assert_eq!(exporter.called(&speed.ipid), None);
        assert!(exporter.pinged(reference.oid));
        assert_eq!(exporter.release(&reference.ipid, 100), 0);
        assert!(!exporter.pinged(reference.oid));
        assert_eq!(exporter.release(&reference.ipid, 1), status::INVALID_OBJECT);
        assert_eq!(exporter.query(&reference.ipid, &[IUNKNOWN], 1), Err(status::INVALID_OBJECT));
    }

    #[test]
    fn only_what_is_pinged_or_called_outlives_three_periods() {
        let (exporter, reference) = made();
        let called = exporter.create(&[SPEED_SERVICE], 1)[0].expect("a reference");
        let forgotten = exporter.create(&[SPEED_SERVICE], 1)[0].expect("a reference");
        for _ in 0..PERIODS {
            exporter.tick();
            assert!(exporter.pinged(reference.oid));
            assert!(exporter.called(&called.ipid).is_some());
        }
        exporter.tick();
        assert_eq!(exporter.called(&forgotten.ipid), None);
        assert!(!exporter.pinged(forgotten.oid));
        assert!(exporter.called(&reference.ipid).is_some() && exporter.called(&called.ipid).is_some());
    }

    #[test]
    fn nothing_is_made_of_interfaces_that_nobody_has() {
        let exporter = Exporter::new().expect("an exporter");
        assert_eq!(exporter.create(&[ACTIVATION], 1), [None]);
    }
}
