//! What one worker has seen.

use std::collections::BTreeMap;

use super::window::Late;
use crate::failure::Kind;
use crate::histogram::Histogram;

/// When the clients of a worker were done.
#[derive(Clone, Copy, Debug)]
pub enum Left {
    /// When the last call of the only one, or the thought after it, ended.
    One(u64),
    /// Of many: how many, and the sum over them of that moment less the common start.
    Many { clients: u64, after_ns: u64 },
}

/// Counts, histograms and times of a worker's clients.
pub struct WorkerStats {
    /// Answered rightly.
    pub calls: u64,
    pub errors: [u64; Kind::ALL.len()],
    /// The first sentence of each kind of error.
    pub said: BTreeMap<Kind, String>,
    pub latency: Histogram,
    /// Service and lateness, of an open loop.
    pub open: Option<Box<[Histogram; 2]>>,
    pub in_call_ns: u64,
    pub think_ns: u64,
    /// Between calls, by the same readings that end one and begin the next.
    pub gap_ns: u64,
    /// When the last call ended.
    pub ended_at: u64,
    pub left: Left,
    /// Octets of answers, heads included, where the worker counts them.
    pub received: u64,
    pub(super) late: Late,
    /// Whether it left before the drive was over.
    pub(super) gave_up: bool,
}

impl WorkerStats {
    pub(super) fn new(open: bool) -> Self {
        WorkerStats {
            calls: 0,
            errors: [0; Kind::ALL.len()],
            said: BTreeMap::new(),
            latency: Histogram::default(),
            open: open.then(Box::default),
            in_call_ns: 0,
            think_ns: 0,
            gap_ns: 0,
            ended_at: 0,
            left: Left::One(0),
            received: 0,
            late: Late::default(),
            gave_up: false,
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
    pub(super) fn until(mut self, start: u64, end: u64) -> Self {
        match self.left {
            Left::One(left_at) => {
                self.gap_ns += end.saturating_sub(left_at);
                self.think_ns = self.think_ns.saturating_sub(left_at.saturating_sub(end));
            }
            Left::Many { clients, after_ns } => self.gap_ns += (clients * end.saturating_sub(start)).saturating_sub(after_ns),
        }
        self
    }

    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.calls += other.calls;
        for (mine, its) in self.errors.iter_mut().zip(other.errors) {
            *mine += its;
        }
        for (kind, sentence) in &other.said {
            self.said.entry(*kind).or_insert_with(|| sentence.clone());
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
        self.received += other.received;
        self.late.merge(&other.late);
        self.gave_up &= other.gave_up;
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
