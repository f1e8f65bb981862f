//! A client's place in a drive: its connection, its share of the calls, its tally, and when it must leave.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_service::Answer;

use super::{Shared, Tally};
use crate::clock;
use crate::failure::{Failure, Kind};
use crate::stack::Client;

/// A client leaves after so many errors in a row.
const HOPELESS: u32 = 100;

/// What a client shows the reporter, on cache lines of its own so that showing costs no other client anything.
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

pub(super) struct Seat<'a> {
    pub client: &'a mut dyn Client,
    pub shared: &'a Shared<'a>,
    pub tally: &'a mut Tally,
    pub start: u64,
    pub limit_at: u64,
    progress: &'a Progress,
    end_at: u64,
    /// Drawn from the pool and not yet made.
    held: u64,
    errors_in_a_row: u32,
}

impl<'a> Seat<'a> {
    pub(super) fn new(
        client: &'a mut dyn Client,
        progress: &'a Progress,
        shared: &'a Shared<'a>,
        tally: &'a mut Tally,
        start: u64,
    ) -> Self {
        let limit_at = start.saturating_add(shared.plan.limit_ns);
        let end_at = start.saturating_add(shared.plan.length_ns).min(limit_at);
        Seat { client, shared, tally, start, limit_at, progress, end_at, held: 0, errors_in_a_row: 0 }
    }

    pub(super) fn plan(&self) -> &'a super::Plan {
        self.shared.plan
    }

    /// How many calls may be made now, at most `wish`; 0: the drive is over for this client.
    #[inline]
    pub(super) fn admit(&mut self, now: u64, wish: u64) -> u64 {
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

    /// Whether nothing more may be begun, whatever is left to do.
    #[inline]
    pub(super) fn leaves(&self, now: u64) -> bool {
        now >= self.limit_at || self.errors_in_a_row >= HOPELESS || self.shared.stopping.load(Relaxed)
    }

    /// Is busy for as long as the plan wants each call to be slower.
    #[inline]
    pub(super) fn burn(&self) {
        let burn_ns = self.shared.plan.burn_ns;
        if burn_ns > 0 {
            clock::burn(burn_ns);
        }
    }

    /// Checks and counts one result; whether it was right.
    #[inline]
    pub(super) fn judge(&mut self, result: &Result<Answer, Failure>) -> bool {
        match result {
            Ok(answer) if self.shared.expectation.holds(answer) => {
                self.tally.calls += 1;
                self.errors_in_a_row = 0;
                self.progress.show_calls(self.tally.calls);
                true
            }
            Ok(_) => self.wrong(Kind::WrongAnswer),
            Err(failure) => self.wrong(failure.kind),
        }
    }

    #[cold]
    fn wrong(&mut self, kind: Kind) -> bool {
        self.tally.count_error(kind);
        self.errors_in_a_row += 1;
        self.progress.show_errors(self.tally.error_count());
        false
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        // Whoever leaves early leaves its calls to the others.
        self.shared.pool.put_back(self.held);
    }
}
