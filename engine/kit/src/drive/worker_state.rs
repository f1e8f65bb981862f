//! What a worker knows of a drive: its share of the calls, its statistics, and when it must end.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_service::{Answer, Call};

use super::{Shared, WorkerStats};
use crate::clock::Clock;
use crate::failure::{Failure, Kind};

/// A client leaves after so many errors in a row.
const HOPELESS: u32 = 100;

/// What a worker shows the reporter, on cache lines of its own so that showing costs no other worker anything.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Progress {
    calls: AtomicU64,
    errors: AtomicU64,
}

impl Progress {
    #[inline]
    pub(super) fn show_calls(&self, calls: u64) {
        self.calls.store(calls, Relaxed);
    }

    pub(super) fn show_errors(&self, errors: u64) {
        self.errors.store(errors, Relaxed);
    }

    /// Calls and errors.
    pub(super) fn read(&self) -> (u64, u64) {
        (self.calls.load(Relaxed), self.errors.load(Relaxed))
    }
}

/// A worker's part of a drive.
pub struct WorkerState<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub stats: &'a mut WorkerStats,
    /// The common start, when the time is over, and when everything ends at the latest, on the monotonic clock.
    pub start: u64,
    pub end_at: u64,
    pub limit_at: u64,
    progress: &'a Progress,
    /// Drawn from the pool and not yet made.
    held: u64,
    /// Calls judged: each looks at another element of its answer.
    turn: u64,
    /// The place in the rotation of the payload that was taken last, and of the next.
    payload: usize,
    upcoming: usize,
    errors_in_a_row: u32,
    hopeless: u32,
    /// Which worker of how many.
    place: [usize; 2],
}

impl<'a> WorkerState<'a> {
    pub(super) fn new(progress: &'a Progress, shared: &'a Shared<'a>, stats: &'a mut WorkerStats, start: u64, place: [usize; 2]) -> Self {
        let limit_at = start.saturating_add(shared.plan.limit_ns);
        let end_at = start.saturating_add(shared.plan.length_ns).min(limit_at);
        WorkerState {
            shared,
            stats,
            start,
            end_at,
            limit_at,
            progress,
            held: 0,
            turn: 0,
            payload: 0,
            upcoming: 0,
            errors_in_a_row: 0,
            hopeless: HOPELESS,
            place,
        }
    }

    #[must_use]
    pub fn plan(&self) -> &'a super::Plan {
        self.shared.plan
    }

    /// When a worker that is one client makes its first call, on the monotonic clock.
    #[must_use]
    pub fn first_at(&self) -> u64 {
        self.start.saturating_add(self.plan().first_after_ns(self.place[0], self.place[1])).min(self.limit_at)
    }

    /// Takes the next payload of the rotation.
    #[inline]
    pub(super) fn take(&mut self) -> &'a Call {
        let plan = self.plan();
        self.payload = self.upcoming;
        self.upcoming = if self.upcoming == plan.further.len() { 0 } else { self.upcoming + 1 };
        plan.payload(self.payload)
    }

    /// Goes on however many errors come in a row.
    pub fn persevere(&mut self) {
        self.hopeless = u32::MAX;
    }

    /// Takes the next arrival of an open loop and gives when it is intended, on the monotonic clock; None where none comes any more.
    #[must_use]
    pub fn next_arrival(&self) -> Option<u64> {
        let arrivals = self.shared.arrivals.as_ref()?;
        arrivals.take(self.plan().calls, self.plan().length_ns).map(|due| self.start.saturating_add(due))
    }

    /// How many calls may be made now, at most `wish`; 0: the drive is over for this worker.
    #[inline]
    pub fn admit(&mut self, now: u64, wish: u64) -> u64 {
        if self.held == 0 {
            self.held = self.shared.pool.draw(wish);
        }
        if self.held == 0 {
            // All calls have been drawn: on until the time is over.
            return if now < self.end_at && !self.leaves(now) { wish } else { 0 };
        }
        if self.leaves(now) {
            return 0;
        }
        let admitted = self.held.min(wish);
        self.held -= admitted;
        admitted
    }

    /// Until when a client that would think until `at` does: the end, where no call is left to be made after it.
    #[must_use]
    pub fn thinks_until(&self, now: u64, at: u64) -> u64 {
        let last = if self.held == 0 && self.shared.pool.is_empty() { self.end_at.max(now) } else { self.limit_at };
        at.min(last)
    }

    /// Takes in a call, or a batch of so many right ones, that ended after the time was over. `due` is when an arrival
    /// was intended, or when a client of a closed loop was let go on.
    #[cold]
    pub fn overran(&mut self, due: u64, started: u64, ended: u64, right: u64) {
        self.stats.late.note([self.end_at, self.limit_at], due, started, ended, right);
    }

    /// Whether nothing more may be begun, whatever is left to do.
    #[must_use]
    #[inline]
    pub fn leaves(&self, now: u64) -> bool {
        now >= self.limit_at || self.errors_in_a_row >= self.hopeless || self.shared.stopping.load(Relaxed)
    }

    /// Is busy for as long as the plan wants each call to be slower.
    #[inline]
    pub fn burn(&self, clock: &impl Clock) {
        let burn_ns = self.shared.plan.burn_ns;
        if burn_ns > 0 {
            clock.burn(burn_ns);
        }
    }

    /// Checks and counts one result; whether it was right.
    #[inline]
    pub(super) fn judge(&mut self, result: &Result<Answer, Failure>) -> bool {
        let turn = self.turn;
        self.turn += 1;
        match result {
            Ok(answer) if self.shared.expectations[self.payload].holds(answer, turn) => {
                self.right();
                return true;
            }
            Ok(_) => self.wrong(Kind::WrongAnswer),
            Err(failure) => self.wrong_because(failure),
        }
        false
    }

    /// Counts a call that was answered rightly.
    #[inline]
    pub fn right(&mut self) {
        self.stats.calls += 1;
        self.errors_in_a_row = 0;
        self.progress.show_calls(self.stats.calls);
    }

    /// Counts a call that went wrong, and keeps what was said where it is the first of its kind.
    #[cold]
    pub fn wrong_because(&mut self, failure: &Failure) {
        self.stats.said.entry(failure.kind).or_insert_with(|| failure.message.clone());
        self.wrong(failure.kind);
    }

    /// Counts a call that went wrong.
    #[cold]
    fn wrong(&mut self, kind: Kind) {
        self.stats.count_error(kind);
        self.errors_in_a_row = self.errors_in_a_row.saturating_add(1);
        self.progress.show_errors(self.stats.error_count());
    }
}

impl Drop for WorkerState<'_> {
    fn drop(&mut self) {
        // Whoever leaves early leaves its calls to the others.
        self.shared.pool.put_back(self.held);
        self.stats.gave_up = self.errors_in_a_row >= self.hopeless || self.shared.stopping.load(Relaxed);
    }
}
