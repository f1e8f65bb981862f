//! What one client has seen.

use crate::failure::Kind;
use crate::histogram::Histogram;

pub(super) struct Tally {
    /// Answered rightly.
    pub calls: u64,
    pub errors: [u64; Kind::ALL.len()],
    pub latency: Histogram,
    /// Service and lateness, of an open loop.
    pub open: Option<Box<[Histogram; 2]>>,
    pub in_call_ns: u64,
    pub think_ns: u64,
    /// Between calls, by the same readings that end one and begin the next.
    pub gap_ns: u64,
    /// When the last call ended.
    pub ended_at: u64,
    /// When the last call, or the thought after it, ended.
    pub left_at: u64,
}

impl Tally {
    pub(super) fn new(open: bool) -> Self {
        Tally {
            calls: 0,
            errors: [0; Kind::ALL.len()],
            latency: Histogram::default(),
            open: open.then(Box::default),
            in_call_ns: 0,
            think_ns: 0,
            gap_ns: 0,
            ended_at: 0,
            left_at: 0,
        }
    }

    #[cold]
    pub(super) fn count_error(&mut self, kind: Kind) {
        self.errors[kind as usize] += 1;
    }

    pub(super) fn error_count(&self) -> u64 {
        self.errors.iter().sum()
    }

    /// Counts to the end of the drive: who was done earlier stood idle, and a thought beyond the end is not part of it.
    pub(super) fn until(mut self, end: u64) -> Self {
        self.gap_ns += end.saturating_sub(self.left_at);
        self.think_ns = self.think_ns.saturating_sub(self.left_at.saturating_sub(end));
        self
    }

    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.calls += other.calls;
        for (mine, its) in self.errors.iter_mut().zip(other.errors) {
            *mine += its;
        }
        self.latency.merge(&other.latency);
        if let (Some(mine), Some(its)) = (&mut self.open, &other.open) {
            for (mine, its) in mine.iter_mut().zip(its.iter()) {
                mine.merge(its);
            }
        }
        self.in_call_ns += other.in_call_ns;
        self.think_ns += other.think_ns;
        self.gap_ns += other.gap_ns;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_counts_in_its_own_place() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }
}
