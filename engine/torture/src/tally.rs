//! What came of it.

use callbench_kit::processor::Usage;
use serde::Serialize;

/// Connections and octets, counted since the start.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tally {
    /// That came about.
    pub opened: u64,
    pub open_now: u64,
    pub open_most: u64,
    /// Nobody listened, or the listener's queue said no.
    pub refused: u64,
    /// That had not come about in a second: the listener's queue was full.
    pub late: u64,
    /// That failed before they were there for another reason.
    pub failed: u64,
    /// Octets came back on so many of them.
    pub answered: u64,
    pub closed_by_server: u64,
    pub reset_by_server: u64,
    /// That we ended as we meant to.
    pub ended: u64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    /// Ports, descriptors or memory were wanting on our side.
    pub out_of_resources: u64,
}

/// A line of ours.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Said<'a> {
    Interval {
        at_ms: u64,
        #[serde(flatten)]
        tally: &'a Tally,
    },
    Done {
        #[serde(flatten)]
        tally: &'a Tally,
        processor: Usage,
    },
    Error {
        message: &'a str,
    },
}
