//! The open loop: calls arrive according to the schedule, whether or not earlier calls have been answered.

use super::WorkerState;
use crate::client::Client;
use crate::clock::Clock;

/// A client that wakes up this long before an arrival is rarely late.
const SPIN_NS: u64 = 60_000;
/// A longer wait is divided, so that the end of the drive is noticed.
const PIECE_NS: u64 = 100_000_000;

/// Takes the next arrival when idle, and waits until it is due.
pub(super) fn run(client: &mut dyn Client, state: &mut WorkerState, clock: &impl Clock) {
    let mut idle_since = state.stats.ended_at;
    while let Some(intended) = state.next_arrival() {
        if !await_arrival(state, clock, intended) {
            return;
        }
        let call = state.take();
        let started = clock.now();
        let result = client.call(call);
        state.burn(clock);
        let ended = clock.now();
        clock.made(started, ended);
        state.stats.in_call_ns += ended - started;
        state.stats.ended_at = ended;
        let right = state.judge(&result);
        if ended > state.end_at {
            state.count_late(intended, started, ended, u64::from(right));
        }
        if right {
            state.stats.latency.record(ended - intended);
            if let Some([service, lateness]) = state.stats.open.as_deref_mut() {
                service.record(ended - started);
                // Waiting for a free client is caused by the server. Only the delay after both a client and an arrival are available is caused by the
                // generator.
                lateness.record(started - intended.max(idle_since));
            }
        }
        drop(result);
        idle_since = clock.now();
    }
}

/// False if the drive ends first.
fn await_arrival(state: &WorkerState, clock: &impl Clock, intended: u64) -> bool {
    let mut now = clock.now();
    while now < intended && !state.leaves(now) {
        now = clock.wait_until(intended.min(now + PIECE_NS).min(state.limit_at), clock.spin_ns(SPIN_NS));
    }
    !state.leaves(now)
}
