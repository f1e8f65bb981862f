//! The answers of an adapter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::Timed;
use crate::drive::Interval;
use crate::histogram::Sparse;
use crate::processor::Usage;

/// A line to the core. `is` names its type. The id of the request is added.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(super) enum Answer {
    Hello(Box<Hello>),
    Serving {
        endpoint: String,
    },
    ServingAll {
        endpoints: BTreeMap<String, String>,
    },
    Channel {
        endpoints: BTreeMap<String, String>,
    },
    StoppedServing,
    Connected {
        connections: usize,
    },
    Returned(Returned),
    Interval(Interval),
    Done(Box<Done>),
    Counts(Counted),
    Codec(Timed),
    Heap {
        used_bytes: u64,
    },
    Traced(Box<Traced>),
    Disconnected,
    Stopped,
    Error {
        kind: &'static str,
        message: String,
        /// Whether the adapter ends after this error.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        ends: bool,
    },
}

/// The value, or the error that the server reported.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Returned {
    Value(Value),
    Fault { message: String },
}

/// How many calls were answered, by name.
pub type CallCounts = BTreeMap<String, u64>;

/// What a server has answered since the last request.
#[derive(Debug, Serialize)]
pub struct Counted {
    pub calls: CallCounts,
    /// The same by endpoint, under the full name of its stack, if all are served in one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints: Option<BTreeMap<String, CallCounts>>,
    /// The processor time of the server process.
    pub processor: Usage,
}

/// The first line of an adapter.
#[derive(Debug, Serialize)]
pub struct Hello {
    pub contract: u32,
    pub adapter: String,
    pub language: String,
    pub version: String,
    pub runtime: String,
    pub libraries: BTreeMap<String, String>,
    pub clock: Clock,
    pub features: Vec<String>,
    pub stacks: Vec<String>,
    pub unavailable: BTreeMap<String, String>,
}

/// The clock that times the calls, and the cost of a reading.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Clock {
    pub name: String,
    pub resolution_ns: u64,
    pub reading_ns: f64,
}

/// The result of a drive.
#[derive(Debug, Serialize)]
pub struct Done {
    pub calls: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub error_messages: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_ns: Option<u64>,
    pub elapsed_ns: u64,
    pub window_ns: u64,
    pub answered: u64,
    pub in_flight: u64,
    pub in_flight_part: f64,
    pub timed: &'static str,
    pub batch: u64,
    pub latency: Option<Sparse>,
    pub service: Option<Sparse>,
    pub lateness: Option<Sparse>,
    /// Of an open loop: the latencies of each tenth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Sparse>,
    pub in_call_ns: String,
    pub think_ns: String,
    pub gap_ns: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_bytes: Option<String>,
    /// The bytes of requests that were sent, heads and bodies, in calls right or wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_bytes: Option<String>,
    /// Clients of which every call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unserved: Option<u64>,
    /// Calls whose answers came in pieces with a long pause between two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<u64>,
    /// Calls that were sent again, because the server had closed their kept connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_again: Option<u64>,
    /// Of each endpoint, if clients call several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<DoneEndpoint>,
    /// None for a trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<Ends>,
    pub threads: usize,
}

/// The calls of one endpoint, or of one step of a session.
#[derive(Debug, Serialize)]
pub struct DoneEndpoint {
    pub name: String,
    pub calls: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub in_call_ns: String,
    pub latency: Option<Sparse>,
}

/// The result of a golden trace.
#[derive(Debug, Serialize)]
pub struct Traced {
    pub done: Done,
    /// The clock readings around each call or batch.
    pub made: Vec<[u64; 2]>,
}

/// The processor time at the start and at the end of a drive.
#[derive(Debug, Deserialize, Serialize)]
pub struct Ends {
    pub start: Usage,
    pub end: Usage,
}

/// A line with its id.
#[derive(Debug, Serialize)]
pub(super) struct AnswerLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    #[serde(flatten)]
    pub answer: &'a Answer,
}
