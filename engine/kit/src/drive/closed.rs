//! The closed loop: a client calls again after its answer and its think time.

use super::{DoneAt, Timing, WorkerState};
use crate::client::Client;
use crate::clock::Clock;

/// The calls that determine how the others are timed.
const SAMPLE_CALLS: u64 = 16;
/// A call that is shorter than this number of clock readings is timed in batches.
const READINGS: f64 = 20.0;
/// The intended time of a batch: long compared with a clock reading, short compared with an interval.
const BATCH_NS: f64 = 100_000.0;
/// The maximum number of calls per batch.
const MAX_BATCH: u64 = 4096;
/// During the last part of a think time, the thread spins.
const THINK_SPIN_NS: u64 = 5_000;

pub(super) fn run(client: &mut dyn Client, state: &mut WorkerState, clock: &impl Clock, think_ns: u64, timing: Timing) {
    let spin_ns = clock.spin_ns(THINK_SPIN_NS);
    let mut from = state.stats.ended_at;
    if state.plan().ramp_up_ns > 0 {
        let begun = clock.wait_until(state.first_at(), spin_ns);
        state.stats.gap_ns += begun.saturating_sub(from);
        state.stats.ended_at = begun;
        state.stats.done_at = DoneAt::One(begun);
        from = begun;
    } else if think_ns > 0 {
        // A client with a think time is in the middle of it when the drive begins.
        let begun = clock.wait_until(state.thinks_until(from, state.first_at()), spin_ns);
        state.stats.think_ns += begun.saturating_sub(from);
        state.stats.done_at = DoneAt::One(begun);
        from = begun;
    }
    // Batches cannot contain think times. The contract excludes this combination.
    if timing == Timing::Each || think_ns > 0 {
        each(client, state, clock, from, think_ns, u64::MAX);
        return;
    }
    if !each(client, state, clock, from, 0, SAMPLE_CALLS) {
        return;
    }
    let typical_ns = state.stats.latency.quantile(0.5);
    let shared = state.shared;
    match *shared.batch.get_or_init(|| batch_of(timing, typical_ns, shared.reading_ns)) {
        1 => {
            each(client, state, clock, state.stats.ended_at, 0, u64::MAX);
        }
        size => batches(client, state, clock, size),
    }
}

/// The number of calls per batch, from the time of a typical call; 1: each call is timed.
fn batch_of(timing: Timing, typical_ns: Option<u64>, reading_ns: f64) -> u64 {
    // No call of the sample was correct, so there is nothing to time.
    let Some(typical) = typical_ns.map(|ns| ns as f64) else { return 1 };
    if timing == Timing::Auto && typical >= READINGS * reading_ns {
        return 1;
    }
    let call = (typical - reading_ns).max(1.0);
    ((BATCH_NS / call) as u64).clamp(1, MAX_BATCH)
}

/// Makes at most `most` calls from the time `from` on, and reads the clock around each. Returns whether the drive continues.
#[inline]
fn each(client: &mut dyn Client, state: &mut WorkerState, clock: &impl Clock, from: u64, think_ns: u64, most: u64) -> bool {
    let mut ended = from;
    for _ in 0..most {
        if state.admit(ended, 1) == 0 {
            return false;
        }
        let call = state.take();
        let started = clock.now();
        let result = client.call(call);
        state.burn(clock);
        state.stats.gap_ns += started - ended;
        let due = ended;
        ended = clock.now();
        clock.made(started, ended);
        let took = ended - started;
        state.stats.in_call_ns += took;
        state.stats.ended_at = ended;
        state.stats.done_at = DoneAt::One(ended);
        let right = state.judge(&result);
        if right {
            state.stats.latency.record(took);
        }
        if ended > state.end_at {
            state.count_late(due, started, ended, u64::from(right));
        }
        drop(result);
        if think_ns > 0 {
            let over = state.thinks_until(ended, ended.saturating_add(think_ns));
            let thought = clock.wait_until(over, clock.spin_ns(THINK_SPIN_NS));
            state.stats.think_ns += thought - ended;
            state.stats.done_at = DoneAt::One(thought);
            // This time decides whether to continue. `ended_at` stays the end of the last call.
            ended = thought;
        }
    }
    true
}

/// Makes batches until the drive is over.
fn batches(client: &mut dyn Client, state: &mut WorkerState, clock: &impl Clock, size: u64) {
    let mut now = state.stats.ended_at;
    loop {
        let batch = state.admit(now, size);
        if batch == 0 {
            return;
        }
        let (started, before) = (clock.now(), state.stats.calls);
        for _ in 0..batch {
            let result = client.call(state.take());
            state.burn(clock);
            if !state.judge(&result) && state.leaves(started) {
                break;
            }
        }
        state.stats.gap_ns += started - now;
        let due = now;
        now = clock.now();
        clock.made(started, now);
        if now > state.end_at {
            state.count_late(due, started, now, state.stats.calls - before);
        }
        state.stats.in_call_ns += now - started;
        state.stats.ended_at = now;
        state.stats.done_at = DoneAt::One(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_calls_are_timed_in_batches_and_long_ones_are_not() {
        assert_eq!(batch_of(Timing::Auto, Some(500), 25.0), 1);
        assert_eq!(batch_of(Timing::Auto, Some(499), 25.0), 210);
        assert_eq!(batch_of(Timing::Auto, Some(26), 25.0), MAX_BATCH);
        assert_eq!(batch_of(Timing::Batch, Some(10_025), 25.0), 10);
        assert_eq!(batch_of(Timing::Batch, Some(1_000_000), 25.0), 1);
        assert_eq!(batch_of(Timing::Batch, None, 25.0), 1);
    }
}
