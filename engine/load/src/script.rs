//! What clients call: sessions of steps. The weights say how often each session is chosen. A single request is a session with one step.
//!
//! `read` parses the option of `connect`, `take` finds values in answers, and `cursor` is the position of one client.

pub mod cursor;
mod protobuf;
mod read;
pub mod take;

use std::ops::Range;

use callbench_kit::drive::EndpointStats;

use crate::expected::Expected;

pub use read::{Build, RawScript, read};

/// The golden ratio's fraction: its multiples spread over 0 to 1 more evenly than random numbers (Weyl's sequence).
const SPREAD: f64 = 0.618_033_988_749_894_9;

/// The most steps that are counted each for itself. The last counts all further steps too.
pub const MAX_COUNTED: usize = 256;

/// One request of a session.
#[derive(Debug)]
pub struct Step<R> {
    /// For the statistics of endpoints.
    pub name: String,
    /// One for each body, used in rotation. Never empty.
    pub requests: Vec<R>,
    pub expected: Expected,
    /// What later requests use of its answer.
    pub takes: Vec<take::Take>,
}

/// Requests that a client makes in this order.
#[derive(Debug)]
pub struct Session {
    /// Steps that each client makes once, before the others.
    pub once: Range<usize>,
    /// Steps that it makes each time. Never empty.
    pub steps: Range<usize>,
    /// The share of this session and of those before it.
    pub until: f64,
}

/// Where a request uses a value that was taken from an answer.
pub trait Uses {
    fn in_path(&self, slot: usize) -> bool;

    /// In the path or in a header.
    fn in_head(&self, slot: usize) -> bool;
}

/// What all clients call. `R` is a request in the form of its protocol.
#[derive(Debug)]
pub struct Script<R> {
    pub steps: Vec<Step<R>>,
    /// Never empty.
    pub sessions: Vec<Session>,
    /// How many values a client keeps.
    pub slots: usize,
}

impl<R> Script<R> {
    /// One request.
    #[must_use]
    pub fn single(request: R, expected: Expected) -> Self {
        let step = Step { name: expected.request.clone(), requests: vec![request], expected, takes: Vec::new() };
        Script { steps: vec![step], sessions: vec![Session { once: 0..0, steps: 0..1, until: 1.0 }], slots: 0 }
    }

    /// The same with each request in another form.
    pub fn map<T>(self, mut form: impl FnMut(R) -> T) -> Script<T> {
        let mut step = |step: Step<R>| Step {
            name: step.name,
            requests: step.requests.into_iter().map(&mut form).collect(),
            expected: step.expected,
            takes: step.takes,
        };
        Script { steps: self.steps.into_iter().map(&mut step).collect(), sessions: self.sessions, slots: self.slots }
    }

    /// All requests.
    pub fn requests(&self) -> impl Iterator<Item = &R> {
        self.steps.iter().flat_map(|step| &step.requests)
    }

    /// Statistics of each step, for one drive; none if there is only one.
    #[must_use]
    pub fn endpoints(&self) -> Vec<EndpointStats> {
        if self.steps.len() < 2 {
            return Vec::new();
        }
        let mut all: Vec<EndpointStats> = self.steps.iter().take(MAX_COUNTED).map(|step| EndpointStats::new(step.name.clone())).collect();
        if self.steps.len() > MAX_COUNTED {
            all[MAX_COUNTED - 1].name = format!("all further {} requests", self.steps.len() + 1 - MAX_COUNTED);
        }
        all
    }

    /// The session that is begun as number `start`: as often as the weights say, spread evenly.
    #[must_use]
    pub fn pick(&self, start: u64) -> usize {
        if self.sessions.len() == 1 {
            return 0;
        }
        let point = (start as f64 * SPREAD).fract();
        self.sessions.partition_point(|session| session.until <= point).min(self.sessions.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_weights(weights: &[f64]) -> Script<()> {
        let total: f64 = weights.iter().sum();
        let mut until = 0.0;
        let session = |weight: &f64| {
            until += weight / total;
            Session { once: 0..0, steps: 0..1, until }
        };
        Script { steps: Vec::new(), sessions: weights.iter().map(session).collect(), slots: 0 }
    }

    proptest! {
        #[test]
        fn sessions_are_begun_in_proportion_to_their_weights(weights in prop::collection::vec(0.01_f64..10.0, 1..8)) {
            const STARTS: u64 = 2000;
            let script = of_weights(&weights);
            let mut counts = vec![0_u64; weights.len()];
            (0..STARTS).for_each(|start| counts[script.pick(start)] += 1);
            let total: f64 = weights.iter().sum();
            for (count, weight) in counts.iter().zip(&weights) {
                let off = *count as f64 - STARTS as f64 * weight / total;
                prop_assert!(off.abs() < 12.0, "{off} of {STARTS}");
            }
        }
    }
}
