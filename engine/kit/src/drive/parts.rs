//! The times of an open loop, part by part: calls that follow each other resemble each other, and the parts show how much.

use super::{Pace, Plan};
use crate::histogram::Histogram;

/// The number of parts.
const PARTS: u64 = 10;
/// A shorter drive is not divided: its parts would hold a burst or two.
const LEAST_NS: u64 = 2_000_000_000;

/// A histogram for each tenth of a drive, by when calls were due; none if the drive is not divided.
#[derive(Debug, Default)]
pub struct Parts {
    histograms: Vec<Histogram>,
    part_ns: u64,
}

impl Parts {
    /// The parts of an open loop of two seconds or more; of any other drive none.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let Pace::Open(schedule) = &plan.pace else { return Parts::default() };
        // The gaps are summed only where the time does not say it: there may be a million of them.
        let whole_ns = if plan.length_ns > 0 { plan.length_ns } else { schedule.lasts_ns(plan.calls) }.min(plan.limit_ns);
        if whole_ns < LEAST_NS {
            return Parts::default();
        }
        Parts { histograms: (0..PARTS).map(|_| Histogram::default()).collect(), part_ns: whole_ns.div_ceil(PARTS) }
    }

    /// Records the latency of a correct call that was due so long after the common start.
    #[inline]
    pub fn record(&mut self, due_ns: u64, latency_ns: u64) {
        if let Some(last) = self.histograms.len().checked_sub(1) {
            self.histograms[last.min((due_ns / self.part_ns) as usize)].record(latency_ns);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, its) in self.histograms.iter_mut().zip(&other.histograms) {
            mine.merge(its);
        }
    }

    pub(super) fn into_histograms(self) -> Vec<Histogram> {
        self.histograms
    }
}

#[cfg(test)]
mod tests {
    use callbench_service::Call;

    use super::super::Schedule;
    use super::*;

    fn open_plan(gap_ns: u64, calls: u64, length_ns: u64) -> Plan {
        Plan {
            call: Call::Empty,
            further: Vec::new(),
            calls,
            length_ns,
            limit_ns: 60_000_000_000,
            pace: Pace::Open(Schedule::of(vec![gap_ns]).expect("one gap")),
            start_at_ns: 0,
            burn_ns: 0,
            ramp_up_ns: 0,
            altered: false,
        }
    }

    fn counts(parts: Parts) -> Vec<u64> {
        parts.into_histograms().iter().map(Histogram::count).collect()
    }

    #[test]
    fn a_call_counts_in_the_tenth_in_which_it_was_due() {
        let mut parts = Parts::of(&open_plan(10_000_000, 0, 5_000_000_000));
        for due_ns in [0, 499_999_999, 500_000_000, 4_999_999_999, 6_000_000_000] {
            parts.record(due_ns, 1000);
        }
        assert_eq!(counts(parts), [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn a_number_of_calls_lasts_as_long_as_its_gaps() {
        let mut parts = Parts::of(&open_plan(10_000_000, 400, 0));
        parts.record(3_999_999_999, 1000);
        assert_eq!(counts(parts), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_short_drive_has_none() {
        let mut parts = Parts::of(&open_plan(10_000_000, 0, 1_999_999_999));
        parts.record(0, 1000);
        assert_eq!(counts(parts), [0; 0]);
    }
}
