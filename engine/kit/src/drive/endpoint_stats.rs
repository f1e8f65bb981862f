//! What is counted of each endpoint, if clients call several.

use crate::failure::Kind;
use crate::histogram::Histogram;

/// The calls of one endpoint, or of one step of a session.
#[derive(Clone, Debug)]
pub struct EndpointStats {
    pub name: String,
    /// Correct answers.
    pub calls: u64,
    /// By kind, in the order of `Kind::ALL`.
    pub errors: [u64; Kind::ALL.len()],
    /// The time in calls, right or wrong.
    pub in_call_ns: u64,
    /// Of correct answers; None: there is none.
    pub latency: Option<Histogram>,
}

impl EndpointStats {
    #[must_use]
    pub fn new(name: String) -> Self {
        EndpointStats { name, calls: 0, errors: [0; Kind::ALL.len()], in_call_ns: 0, latency: None }
    }

    /// Counts a call that took `in_call_ns`. `outcome` is its latency, or the kind of its error.
    #[inline]
    pub fn count(&mut self, in_call_ns: u64, outcome: Result<u64, Kind>) {
        self.in_call_ns += in_call_ns;
        match outcome {
            Ok(latency_ns) => {
                self.calls += 1;
                self.latency.get_or_insert_default().record(latency_ns);
            }
            Err(kind) => self.errors[kind as usize] += 1,
        }
    }

    /// Adds the calls of another worker to the same endpoint.
    pub(super) fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        for (mine, its) in self.errors.iter_mut().zip(other.errors) {
            *mine += its;
        }
        self.in_call_ns += other.in_call_ns;
        if let Some(its) = &other.latency {
            self.latency.get_or_insert_default().merge(its);
        }
    }
}

/// Adds the calls of another worker. Workers have the same endpoints in the same order, or none if they have not begun.
pub(super) fn merge_all(mine: &mut Vec<EndpointStats>, others: &[EndpointStats]) {
    for (one, other) in mine.iter_mut().zip(others) {
        one.merge(other);
    }
    mine.extend(others.iter().skip(mine.len()).cloned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_add_up_by_endpoint() {
        let two = || vec![EndpointStats::new("a".to_owned()), EndpointStats::new("b".to_owned())];
        let (mut one, mut other) = (two(), two());
        one[0].count(10, Ok(12));
        other[0].count(20, Ok(20));
        other[1].count(5, Err(Kind::Status));
        let mut all = Vec::new();
        merge_all(&mut all, &one);
        merge_all(&mut all, &other);
        merge_all(&mut all, &[]);
        assert_eq!((all[0].calls, all[0].in_call_ns, all[0].latency.as_ref().map(Histogram::sum)), (2, 30, Some(32)));
        assert_eq!((all[1].calls, all[1].errors[Kind::Status as usize], all[1].latency.is_none()), (0, 1, true));
    }
}
