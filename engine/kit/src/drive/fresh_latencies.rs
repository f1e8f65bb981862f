//! The latencies of each second while a drive goes on: a worker hands over what its histogram has gained, and the reporter takes it.
//!
//! A call costs one comparison more. The difference of two histograms is taken once a second, so a drive of a slice's length takes none.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::worker_state::Progress;
use crate::histogram::{Counts, Histogram};

/// A worker hands over so often.
pub(super) const SECOND_NS: u64 = 1_000_000_000;

/// What a worker has handed over and the reporter has not taken yet.
#[derive(Default)]
pub(super) struct Fresh(Mutex<BTreeMap<usize, u64>>);

impl Fresh {
    fn add(&self, counts: Counts) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (bucket, count) in counts {
            *waiting.entry(bucket).or_default() += count;
        }
    }

    fn take(&self) -> BTreeMap<usize, u64> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes what all workers have handed over; None if that is nothing.
pub(super) fn all_fresh(progress: &[Progress]) -> Option<Counts> {
    let mut all = BTreeMap::new();
    for (bucket, count) in progress.iter().flat_map(|its| its.fresh.take()) {
        *all.entry(bucket).or_default() += count;
    }
    (!all.is_empty()).then(|| all.into_iter().collect())
}

/// When a worker hands over next, and what it has handed over.
pub(super) struct Handover {
    next_at: u64,
    done: Option<Histogram>,
}

impl Handover {
    pub(super) fn after(start: u64) -> Self {
        Handover { next_at: start.saturating_add(SECOND_NS), done: None }
    }

    #[inline]
    pub(super) fn is_due(&self, now: u64) -> bool {
        now >= self.next_at
    }

    #[cold]
    pub(super) fn make(&mut self, now: u64, latency: &Histogram, fresh: &Fresh) {
        self.next_at += (now - self.next_at) / SECOND_NS * SECOND_NS + SECOND_NS;
        let done = self.done.get_or_insert_default();
        fresh.add(latency.since(done));
        done.clone_from(latency);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_latency_is_handed_over_once() {
        let (mut handover, mut latency) = (Handover::after(500), Histogram::default());
        let progress = [Progress::default(), Progress::default()];
        latency.record(7);
        assert!(!handover.is_due(SECOND_NS + 499) && handover.is_due(SECOND_NS + 500));
        handover.make(SECOND_NS + 500, &latency, &progress[0].fresh);
        latency.record(7);
        latency.record(9);
        // Two seconds passed without a call: it hands over at the next whole second again.
        handover.make(4 * SECOND_NS, &latency, &progress[0].fresh);
        assert!(!handover.is_due(4 * SECOND_NS + 499) && handover.is_due(4 * SECOND_NS + 500));
        progress[1].fresh.add(vec![(3, 1), (9, 1)]);
        assert_eq!(all_fresh(&progress), Some(vec![(3, 1), (7, 2), (9, 2)]));
        assert_eq!(all_fresh(&progress), None);
    }
}
