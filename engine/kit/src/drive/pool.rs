//! The calls still to be made, shared by all clients.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Clients draw from it in portions, so that its counter is not fought over at every call.
pub(super) struct Pool {
    left: AtomicU64,
    portion: u64,
}

impl Pool {
    /// A portion is small beside a client's fair share, so that a slow client keeps the others waiting for a short time only.
    pub(super) fn new(calls: u64, clients: usize) -> Self {
        let share = calls / clients.max(1) as u64;
        Pool { left: AtomicU64::new(calls), portion: (share / 16).clamp(1, 256) }
    }

    /// A portion of at least one call, or 0 where none is left. At least `wish` where there are enough.
    pub(super) fn draw(&self, wish: u64) -> u64 {
        let portion = self.portion.max(wish);
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| (left > 0).then(|| left - left.min(portion)));
        taken.map_or(0, |left| left.min(portion))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    /// Puts back what was drawn and will not be used.
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
        fn gives_out_exactly_what_it_holds(calls in 0_u64..5000, clients in 1_usize..50, wish in 1_u64..100) {
            let pool = Pool::new(calls, clients);
            let mut drawn = 0;
            loop {
                let portion = pool.draw(wish);
                if portion == 0 {
                    break;
                }
                drawn += portion;
            }
            prop_assert_eq!(drawn, calls);
        }
    }
}
