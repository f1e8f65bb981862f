//! The counts of an attack, and the lines that report them.

use callbench_kit::processor::Usage;
use serde::Serialize;

/// Connections and bytes since the start.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Established connections.
    pub opened: u64,
    pub open_now: u64,
    pub max_open: u64,
    /// Nobody listened, or the listener refused because its queue was full.
    pub refused: u64,
    /// Not established within a second because the listener's queue was full.
    pub timed_out: u64,
    /// Not established for another reason.
    pub failed: u64,
    /// Connections on which at least one byte was received.
    pub answered: u64,
    pub closed_by_server: u64,
    pub reset_by_server: u64,
    /// Connections that the attack itself closed.
    pub ended: u64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    /// Attempts that failed because this machine had no free port, descriptor or memory.
    pub out_of_resources: u64,
}

/// An output line.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Message<'a> {
    Interval {
        at_ms: u64,
        #[serde(flatten)]
        counts: &'a Counts,
    },
    Done {
        #[serde(flatten)]
        counts: &'a Counts,
        processor: Usage,
    },
    Error {
        message: &'a str,
    },
}
