//! The statistics of one worker.

use std::collections::BTreeMap;

use super::endpoint_stats::{EndpointStats, merge_all};
use super::parts::Parts;
use super::window::Late;
use crate::failure::Kind;
use crate::histogram::Histogram;

/// When the clients of a worker were done.
#[derive(Clone, Copy, Debug)]
pub enum DoneAt {
    /// For a single client: the end of its last call or of the think time after it.
    One(u64),
    /// For many clients: their number, and the sum of these times since the common start.
    Many { clients: u64, after_ns: u64 },
}

/// Counts, histograms and times of a worker's clients.
pub struct WorkerStats {
    /// Correct answers.
    pub calls: u64,
    pub errors: [u64; Kind::ALL.len()],
    /// The first message of each kind of error.
    pub messages: BTreeMap<Kind, String>,
    pub latency: Histogram,
    /// Service and lateness of an open loop.
    pub open: Option<Box<[Histogram; 2]>>,
    /// The latencies of an open loop part by part, if the worker divides it.
    pub parts: Parts,
    pub in_call_ns: u64,
    pub think_ns: u64,
    /// The time between calls, from the same clock readings that end one call and begin the next.
    pub gap_ns: u64,
    /// When the last call ended.
    pub ended_at: u64,
    pub done_at: DoneAt,
    /// Received bytes including headers, if the worker counts them.
    pub received: u64,
    /// The bytes of requests that were sent, if the worker counts them.
    pub sent: u64,
    /// Clients of which every call failed, if the worker counts them.
    pub unserved: Option<u64>,
    /// Calls whose answers came in pieces with a long pause between two, if the worker looks.
    pub held_back: Option<u64>,
    /// Calls that were sent again, because the server had closed their kept connection.
    pub sent_again: u64,
    /// Of each endpoint, if clients call several.
    pub endpoints: Vec<EndpointStats>,
    pub(super) late: Late,
    /// Whether it ended before the drive was over.
    pub(super) gave_up: bool,
}

impl WorkerStats {
    pub(super) fn new(open: bool) -> Self {
        WorkerStats {
            calls: 0,
            errors: [0; Kind::ALL.len()],
            messages: BTreeMap::new(),
            latency: Histogram::default(),
            open: open.then(Box::default),
            parts: Parts::default(),
            in_call_ns: 0,
            think_ns: 0,
            gap_ns: 0,
            ended_at: 0,
            done_at: DoneAt::One(0),
            received: 0,
            sent: 0,
            unserved: None,
            held_back: None,
            sent_again: 0,
            endpoints: Vec::new(),
            late: Late::default(),
            gave_up: false,
        }
    }

    #[cold]
    pub(super) fn count_error(&mut self, kind: Kind) {
        self.errors[kind as usize] += 1;
    }

    /// Extends the times to the end of the drive: clients that were done earlier were idle, and think time after the end does not count.
    pub(super) fn until(mut self, start: u64, end: u64) -> Self {
        match self.done_at {
            DoneAt::One(left_at) => {
                self.gap_ns += end.saturating_sub(left_at);
                self.think_ns = self.think_ns.saturating_sub(left_at.saturating_sub(end));
            }
            DoneAt::Many { clients, after_ns } => self.gap_ns += (clients * end.saturating_sub(start)).saturating_sub(after_ns),
        }
        self
    }

    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.calls += other.calls;
        for (mine, its) in self.errors.iter_mut().zip(other.errors) {
            *mine += its;
        }
        for (kind, sentence) in &other.messages {
            self.messages.entry(*kind).or_insert_with(|| sentence.clone());
        }
        self.latency.merge(&other.latency);
        if let (Some(mine), Some(its)) = (&mut self.open, &other.open) {
            for (mine, its) in mine.iter_mut().zip(its.iter()) {
                mine.merge(its);
            }
        }
        self.parts.merge(&other.parts);
        self.in_call_ns += other.in_call_ns;
        self.think_ns += other.think_ns;
        self.gap_ns += other.gap_ns;
        self.received += other.received;
        self.sent += other.sent;
        self.unserved = sum(self.unserved, other.unserved);
        self.held_back = sum(self.held_back, other.held_back);
        self.sent_again += other.sent_again;
        merge_all(&mut self.endpoints, &other.endpoints);
        self.late.merge(&other.late);
        self.gave_up &= other.gave_up;
        self
    }
}

/// The sum of two counts, of which one or both may not have been counted.
fn sum(own: Option<u64>, other: Option<u64>) -> Option<u64> {
    own.map_or(other, |own| Some(own + other.unwrap_or(0)))
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
