//! What the adapter says, typed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::Timed;
use crate::histogram::Sparse;
use crate::processor::Usage;

/// A line to the core by its `is`; the id is added where it answers a request.
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
    Interval {
        at_ns: u64,
        calls: u64,
        errors: u64,
    },
    Done(Box<Done>),
    Counts {
        calls: BTreeMap<String, u64>,
        processor: Usage,
    },
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
        /// Whether the adapter ends after it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        ends: bool,
    },
}

/// The value, or the server's fault.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Returned {
    Value(Value),
    Fault { message: String },
}

/// What an adapter says first.
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

/// The clock that calls are timed by, and what a reading of it costs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Clock {
    pub name: String,
    pub resolution_ns: u64,
    pub reading_ns: f64,
}

/// What a drive came to.
#[derive(Debug, Serialize)]
pub struct Done {
    pub calls: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub said: BTreeMap<&'static str, String>,
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
    pub in_call_ns: String,
    pub think_ns: String,
    pub gap_ns: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_octets: Option<String>,
    /// Of a drive; a trace has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<Ends>,
    pub threads: usize,
}

/// What came of a golden trace.
#[derive(Debug, Serialize)]
pub struct Traced {
    pub done: Done,
    /// The readings around each call or batch.
    pub made: Vec<[u64; 2]>,
}

/// Processor time at both ends of a drive.
#[derive(Debug, Deserialize, Serialize)]
pub struct Ends {
    pub start: Usage,
    pub end: Usage,
}

/// A line with its id.
#[derive(Debug, Serialize)]
pub(super) struct Said<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    #[serde(flatten)]
    pub answer: &'a Answer,
}
