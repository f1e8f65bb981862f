//! A worker's part of a drive: its share of the calls, its statistics, and when it must end.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_service::{Answer, Call};

use super::fresh_latencies::{Fresh, Handover};
use super::{Shared, WorkerStats};
use crate::clock::Clock;
use crate::failure::{Failure, Kind};

/// A client gives up after this many consecutive errors.
const MAX_ERRORS_IN_A_ROW: u32 = 100;

/// What a worker reports. It has its own cache lines, so reporting does not slow down other workers.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Progress {
    calls: AtomicU64,
    errors: [AtomicU64; Kind::ALL.len()],
    pub(super) fresh: Fresh,
}

impl Progress {
    #[inline]
    pub(super) fn show_calls(&self, calls: u64) {
        self.calls.store(calls, Relaxed);
    }

    pub(super) fn show_error(&self, kind: Kind) {
        self.errors[kind as usize].fetch_add(1, Relaxed);
    }

    /// Correct answers.
    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }

    pub(super) fn errors(&self, kind: Kind) -> u64 {
        self.errors[kind as usize].load(Relaxed)
    }
}

/// A worker's part of a drive.
pub struct WorkerState<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub stats: &'a mut WorkerStats,
    /// The common start, the end of the time, and the latest end, on the monotonic clock.
    pub start: u64,
    pub end_at: u64,
    pub limit_at: u64,
    progress: &'a Progress,
    /// Calls that are taken from the pool and not made yet.
    held: u64,
    /// The number of checked calls. Each check looks at another element of the answer.
    turn: u64,
    /// The indices of the last payload and of the next one.
    payload: usize,
    upcoming: usize,
    errors_in_a_row: u32,
    gives_up: u32,
    handover: Handover,
    /// The index of this worker, and the number of workers.
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
            gives_up: MAX_ERRORS_IN_A_ROW,
            handover: Handover::after(start),
            place,
        }
    }

    #[must_use]
    pub fn plan(&self) -> &'a super::Plan {
        self.shared.plan
    }

    /// When a worker with a single client makes its first call, on the monotonic clock.
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

    /// Continues after any number of consecutive errors.
    pub fn never_give_up(&mut self) {
        self.gives_up = u32::MAX;
    }

    /// Takes the next arrival of an open loop. Returns its intended time on the monotonic clock, or None if there are no more.
    #[must_use]
    pub fn next_arrival(&self) -> Option<u64> {
        let arrivals = self.shared.arrivals.as_ref()?;
        arrivals.take(self.plan().calls, self.plan().length_ns).map(|due| self.start.saturating_add(due))
    }

    /// How many calls may be made now, at most `wanted`; 0: the drive is over for this worker.
    #[inline]
    pub fn admit(&mut self, now: u64, wanted: u64) -> u64 {
        if self.held == 0 {
            self.held = self.shared.pool.draw(wanted);
        }
        if self.held == 0 {
            // All calls are taken: continues until the time is over.
            return if now < self.end_at && !self.leaves(now) { wanted } else { 0 };
        }
        if self.leaves(now) {
            return 0;
        }
        let admitted = self.held.min(wanted);
        self.held -= admitted;
        admitted
    }

    /// The end of a think time until `at`. It is shorter if no call is left after it.
    #[must_use]
    pub fn thinks_until(&self, now: u64, at: u64) -> u64 {
        let last = if self.held == 0 && self.shared.pool.is_empty() { self.end_at.max(now) } else { self.limit_at };
        at.min(last)
    }

    /// Counts a call, or a batch of `right` correct calls, that ended after the time was over. `due` is the intended time of an arrival, or when a
    /// client of a closed loop could continue.
    #[cold]
    pub fn count_late(&mut self, due: u64, started: u64, ended: u64, right: u64) {
        self.stats.late.note([self.end_at, self.limit_at], due, started, ended, right);
    }

    /// Whether no further call may begin.
    #[must_use]
    #[inline]
    pub fn leaves(&self, now: u64) -> bool {
        now >= self.limit_at || self.errors_in_a_row >= self.gives_up || self.shared.stop.load(Relaxed)
    }

    /// Hands the latencies of a second over that has passed by `now`; to be called before a call that ended then is recorded.
    #[inline]
    pub fn hand_over(&mut self, now: u64) {
        if self.handover.is_due(now) {
            self.handover.make(now, &self.stats.latency, &self.progress.fresh);
        }
    }

    /// Keeps the client busy for the additional time that the plan demands.
    #[inline]
    pub fn burn(&self, clock: &impl Clock) {
        let burn_ns = self.shared.plan.burn_ns;
        if burn_ns > 0 {
            clock.burn(burn_ns);
        }
    }

    /// Checks and counts one result. Returns whether it is correct.
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
            Err(failure) => self.count_error(failure),
        }
        false
    }

    /// Counts a correct answer.
    #[inline]
    pub fn right(&mut self) {
        self.stats.calls += 1;
        self.errors_in_a_row = 0;
        self.progress.show_calls(self.stats.calls);
    }

    /// Counts an error, and keeps the message if it is the first of its kind.
    #[cold]
    pub fn count_error(&mut self, failure: &Failure) {
        self.stats.messages.entry(failure.kind).or_insert_with(|| failure.message.clone());
        self.wrong(failure.kind);
    }

    #[cold]
    fn wrong(&mut self, kind: Kind) {
        self.stats.count_error(kind);
        self.errors_in_a_row = self.errors_in_a_row.saturating_add(1);
        self.progress.show_error(kind);
    }
}

impl Drop for WorkerState<'_> {
    fn drop(&mut self) {
        // The calls of a worker that leaves early go to the others.
        self.shared.pool.put_back(self.held);
        self.stats.gave_up = self.errors_in_a_row >= self.gives_up || self.shared.stop.load(Relaxed);
    }
}
