//! Counts what lies within the window of a drive, the time that a rate refers to.
//!
//! The window ends when the time is over, not with the last answer. Otherwise one long call would stretch the time of all. A call in flight at that
//! moment counts with the fraction of its time before it. If it counted fully or not at all, the error would be up to one call per client, which is
//! much if calls are long.

use serde::Deserialize;

/// A moment, and the calls that ended after it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Flight {
    /// Correct answers after the moment.
    after: u64,
    /// Calls, correct or wrong, that were in flight at the moment.
    flying: u64,
    /// Of the correctly answered ones: the sum of the fractions of their time before the moment.
    part: f64,
}

impl Flight {
    /// Counts a call, or a batch of `right` correct calls, that ended after `end`.
    fn note(&mut self, end: u64, started: u64, ended: u64, right: u64) {
        self.after += right;
        if started < end {
            let before = right as f64 * (end - started) as f64 / (ended - started) as f64;
            // The calls of a batch that were complete before the moment.
            self.after -= before as u64;
            self.part += before.fract();
            self.flying += 1;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.after += other.after;
        self.flying += other.flying;
        self.part += other.part;
    }
}

/// The calls of a worker that ended after the time was over, or after the limit.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Late {
    /// Whether a call was due after the time was over. Then the number of calls determines the end of the drive, not its time.
    due_later: bool,
    time: Flight,
    limit: Flight,
}

impl Late {
    /// Counts a call that ended after the time was over. `ends` are the time and the limit.
    pub(super) fn note(&mut self, ends: [u64; 2], due: u64, started: u64, ended: u64, right: u64) {
        if due >= ends[0] {
            self.due_later = true;
        } else {
            self.time.note(ends[0], started, ended, right);
        }
        if ended > ends[1] {
            self.limit.note(ends[1], started, ended, right);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.due_later |= other.due_later;
        self.time.merge(&other.time);
        self.limit.merge(&other.limit);
    }

    /// Checks the values that another program computed: the late calls cannot be more than the correct answers.
    pub fn checked(self, calls: u64) -> Result<Self, String> {
        for (name, flight) in [("time", &self.time), ("limit", &self.limit)] {
            if flight.after > calls || !(0.0..=flight.flying as f64).contains(&flight.part) {
                return Err(format!(
                    "late.{name} has {} calls after, {} flying and {} of their parts, where {calls} were answered rightly",
                    flight.after, flight.flying, flight.part
                ));
            }
        }
        Ok(self)
    }

    /// The window of a drive that has ended after `elapsed_ns`. `ends_ns` are its time and its limit since the start.
    ///
    /// If all clients gave up before the time was over, the window ends with them.
    #[must_use]
    pub fn window(&self, ends_ns: [u64; 2], elapsed_ns: u64, calls: u64, gave_up: bool) -> Window {
        let (ns, flight) = match (self.due_later, gave_up) {
            (true, _) => (elapsed_ns.min(ends_ns[1]), &self.limit),
            (false, true) => (elapsed_ns.min(ends_ns[0]), &self.time),
            (false, false) => (ends_ns[0], &self.time),
        };
        Window { ns: ns.max(1), answered: calls - flight.after, in_flight: flight.flying, in_flight_part: flight.part }
    }
}

/// From the common start until the time is over. If the number of calls determines the end, until the end of the last call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub ns: u64,
    /// Correct answers within the window.
    pub answered: u64,
    /// Calls that began within the window and ended later, correct or wrong.
    pub in_flight: u64,
    /// Of the correctly answered ones: the sum of the fractions of their time within the window.
    pub in_flight_part: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENDS: [u64; 2] = [1000, 5000];

    #[test]
    fn a_straggler_counts_by_its_part_and_stretches_nothing() {
        let mut late = Late::default();
        late.note(ENDS, 500, 500, 2500, 1);
        let window = late.window(ENDS, 2500, 41, false);
        assert_eq!(window, Window { ns: 1000, answered: 40, in_flight: 1, in_flight_part: 0.25 });
    }

    #[test]
    fn a_call_due_later_makes_the_number_of_calls_the_bound() {
        let mut late = Late::default();
        late.note(ENDS, 900, 900, 1100, 1);
        late.note(ENDS, 1100, 1100, 1300, 1);
        assert_eq!(late.window(ENDS, 1300, 7, false), Window { ns: 1300, answered: 7, in_flight: 0, in_flight_part: 0.0 });
        late.note(ENDS, 4000, 4000, 6000, 1);
        assert_eq!(late.window(ENDS, 6000, 8, false), Window { ns: 5000, answered: 7, in_flight: 1, in_flight_part: 0.5 });
    }

    #[test]
    fn an_arrival_that_waits_for_a_client_is_not_in_flight() {
        let mut late = Late::default();
        late.note(ENDS, 900, 1400, 1500, 1);
        assert_eq!(late.window(ENDS, 1500, 3, false), Window { ns: 1000, answered: 2, in_flight: 0, in_flight_part: 0.0 });
    }

    #[test]
    fn of_a_batch_whole_calls_were_answered_before() {
        let mut late = Late::default();
        late.note(ENDS, 900, 900, 1300, 10);
        assert_eq!(late.window(ENDS, 1300, 10, false), Window { ns: 1000, answered: 2, in_flight: 1, in_flight_part: 0.5 });
    }

    #[test]
    fn a_wrong_answer_was_in_flight_and_counts_for_nothing_and_giving_up_ends_the_window() {
        let mut late = Late::default();
        late.note(ENDS, 900, 900, 1300, 0);
        assert_eq!(late.window(ENDS, 1300, 5, false), Window { ns: 1000, answered: 5, in_flight: 1, in_flight_part: 0.0 });
        assert_eq!(Late::default().window(ENDS, 30, 5, true).ns, 30);
        assert_eq!(Late::default().window(ENDS, 990, 5, false).ns, 1000);
    }

    proptest! {
        /// A closed loop on virtual time. For any think time, latency, number of clients and window, its rate equals the possible rate of the
        /// clients, within one call per client.
        #[test]
        fn the_rate_is_within_a_call_a_client_of_the_true_one(
            latency in 1_u64..5_000, think in 0_u64..5_000, clients in 1_u64..60, window in 100_u64..50_000
        ) {
            let (ends, mut late, mut calls, mut last) = ([window, u64::MAX], Late::default(), 0, 0);
            for place in 0..clients {
                let mut at = super::super::first_thought_ns(think, place as usize, clients as usize);
                while at < window {
                    calls += 1;
                    if at + latency > window {
                        late.note(ends, at, at, at + latency, 1);
                    }
                    last = last.max(at + latency);
                    at += latency + think;
                }
            }
            let it = late.window(ends, last, calls, false);
            let expected = clients as f64 * window as f64 / (latency + think) as f64;
            let counted = it.answered as f64 + it.in_flight_part;
            prop_assert!((counted - expected).abs() <= clients as f64, "{counted} of {expected}");
            prop_assert_eq!(it.ns, window);
            if think == 0 {
                prop_assert!((counted - expected).abs() < 1e-6 * expected, "without thoughts it is exact: {} of {}", counted, expected);
            }
        }
    }
}
