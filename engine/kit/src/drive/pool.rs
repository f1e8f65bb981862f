//! The remaining calls of a drive, shared by all clients.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Clients take calls in portions, so that they rarely access the counter at the same time.
pub(super) struct Pool {
    left: AtomicU64,
    portion: u64,
}

impl Pool {
    /// A portion is small compared with a client's share, so that the others wait only shortly for a slow client.
    pub(super) fn new(calls: u64, clients: usize) -> Self {
        let share = calls / clients.max(1) as u64;
        Pool { left: AtomicU64::new(calls), portion: (share / 16).clamp(1, 256) }
    }

    /// Takes a portion: at least `wanted` calls if there are enough. 0 if none is left.
    pub(super) fn draw(&self, wanted: u64) -> u64 {
        let portion = self.portion.max(wanted);
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| (left > 0).then(|| left - left.min(portion)));
        taken.map_or(0, |left| left.min(portion))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Returns calls that will not be made.
    pub(super) fn put_back(&self, calls: u64) {
        self.left.fetch_add(calls, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_out_exactly_what_it_holds(calls in 0_u64..5000, clients in 1_usize..50, wanted in 1_u64..100) {
            let pool = Pool::new(calls, clients);
            let mut drawn = 0;
            loop {
                let portion = pool.draw(wanted);
                if portion == 0 {
                    break;
                }
                drawn += portion;
            }
            prop_assert_eq!(drawn, calls);
        }
    }
}
