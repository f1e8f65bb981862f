//! The open loop: calls arrive when the schedule says, whether or not the last one was answered.

use super::Seat;
use crate::clock::Clock;
use crate::stack::Client;

/// Woken so long before an arrival is due, a client is rarely late.
const SPIN_NS: u64 = 60_000;
/// A longer wait is cut into pieces, to see whether the drive is still wanted.
const PIECE_NS: u64 = 100_000_000;

/// Takes the next arrival whenever idle, and waits until it is due.
pub(super) fn run(client: &mut dyn Client, seat: &mut Seat, clock: &impl Clock) {
    let plan = seat.plan();
    let mut idle_since = seat.tally.ended_at;
    while let Some(intended) = seat.next_arrival() {
        if !await_arrival(seat, clock, intended) {
            return;
        }
        let started = clock.now();
        let result = client.call(&plan.call);
        seat.burn(clock);
        let ended = clock.now();
        clock.made(started, ended);
        seat.tally.in_call_ns += ended - started;
        seat.tally.ended_at = ended;
        let right = seat.judge(&result);
        if ended > seat.end_at {
            seat.overran(intended, started, ended, u64::from(right));
        }
        if right {
            seat.tally.latency.record(ended - intended);
            if let Some([service, lateness]) = seat.tally.open.as_deref_mut() {
                service.record(ended - started);
                // Waiting for a client is the server's fault; only what comes after both are there is the generator's.
                lateness.record(started - intended.max(idle_since));
            }
        }
        drop(result);
        idle_since = clock.now();
    }
}

/// False where the drive ends first.
fn await_arrival(seat: &Seat, clock: &impl Clock, intended: u64) -> bool {
    let mut now = clock.now();
    while now < intended && !seat.leaves(now) {
        now = clock.wait_until(intended.min(now + PIECE_NS).min(seat.limit_at), clock.spin_ns(SPIN_NS));
    }
    !seat.leaves(now)
}
