//! Sets of objects that a client pings together (MS-DCOM 3.1.2.1, 3.1.2.5.1.2, 3.1.2.5.1.3).

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use callbench_kit::Failure;

use crate::exporter::PERIODS;
use crate::ids::Mint;

struct Set {
    oids: HashSet<u64>,
    /// Periods since it was pinged.
    idle: u64,
}

/// The sets of one resolver.
pub struct PingSets {
    mint: Mint,
    sets: Mutex<HashMap<u64, Set>>,
}

impl PingSets {
    pub fn new() -> Result<Self, Failure> {
        Ok(PingSets { mint: Mint::new()?, sets: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Set>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The objects of a set, whose pings are to be noted. None if the set does not exist.
    pub fn pinged(&self, id: u64) -> Option<Vec<u64>> {
        let mut sets = self.lock();
        let set = sets.get_mut(&id)?;
        set.idle = 0;
        Some(set.oids.iter().copied().collect())
    }

    /// Changes a set, or creates one if `id` is 0. Returns its id, or None if the set does not exist.
    pub fn change(&self, id: u64, add: &[u64], remove: &[u64]) -> Option<u64> {
        let mut sets = self.lock();
        let id = if id == 0 {
            let id = self.mint.number().max(1);
            sets.insert(id, Set { oids: HashSet::new(), idle: 0 });
            id
        } else {
            id
        };
        let set = sets.get_mut(&id)?;
        set.idle = 0;
        set.oids.extend(add);
        for oid in remove {
            set.oids.remove(oid);
        }
        Some(id)
    }

    /// Called after each period: removes sets that nobody pings.
    pub fn tick(&self) {
        self.lock().retain(|_, set| {
            set.idle += 1;
            set.idle <= PERIODS
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lives_as_long_as_it_is_pinged() {
        let sets = PingSets::new().expect("sets");
        let id = sets.change(0, &[1, 2], &[]).expect("a set");
        for _ in 0..2 * PERIODS {
            sets.tick();
            assert_eq!(sets.change(id, &[3], &[1, 2]), Some(id));
            assert_eq!(sets.pinged(id), Some(vec![3]));
        }
        (0..=PERIODS).for_each(|_| sets.tick());
        assert_eq!(sets.pinged(id), None);
        assert_eq!(sets.change(id, &[], &[]), None);
    }
}
