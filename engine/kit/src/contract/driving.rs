//! Converts the core's drive request to a plan, and the outcome to an answer.

use std::path::Path;

use callbench_service::{Expectation, plain};

use super::answers::{Done, DoneEndpoint, Ends};
use super::clients::{argument_failure, call_of};
use super::requests::{Drive, Timing, bad, nanoseconds};
use crate::clock;
use crate::drive::{self, EndpointStats, Outcome, Pace, Plan, Schedule};
use crate::failure::Failure;
use crate::histogram::Histogram;

/// The common start must not be later than this, in nanoseconds, so that a wrong clock does not look like a hang.
const MAX_START_DELAY_NS: u64 = 60_000_000_000;

/// The pace and the length of a drive.
#[derive(Debug)]
pub struct Pacing {
    pub pace: Pace,
    pub length_ns: u64,
    pub limit_ns: u64,
}

/// Checks the pace and the length of a drive request together.
pub fn paced(request: &Drive) -> Result<Pacing, Failure> {
    let pace = match &request.schedule {
        Some(_) if request.think_ns > 0 => {
            return Err(bad("schedule and think_ns exclude each other: an open loop does not think".to_owned()));
        }
        Some(_) if request.timing == Timing::Batch => {
            return Err(bad("schedule and timing batch exclude each other: arrivals come one by one".to_owned()));
        }
        Some(_) if request.ramp_up_ns > 0 => {
            return Err(bad("schedule and ramp_up_ns exclude each other: the schedule says when calls begin".to_owned()));
        }
        Some(path) => Pace::Open(Schedule::read(Path::new(path))?),
        None if request.think_ns > 0 && request.timing == Timing::Batch => {
            return Err(bad("think_ns and timing batch exclude each other: say timing each".to_owned()));
        }
        None => Pace::Closed { think_ns: request.think_ns, timing: request.timing.into() },
    };
    if request.start_at_ns > clock::now() + MAX_START_DELAY_NS {
        return Err(bad(format!("start_at_ns is {}: it must be within a minute of the monotonic clock's now", request.start_at_ns)));
    }
    Ok(Pacing { pace, length_ns: nanoseconds("seconds", request.seconds)?, limit_ns: nanoseconds("limit_seconds", request.limit_seconds)? })
}

/// The error for a call whose answer has no value that can be altered.
#[must_use]
pub fn no_field(call: &str) -> Failure {
    bad(format!("the answer of {call} has no field that could be altered"))
}

pub(super) fn plan(request: &Drive) -> Result<Plan, Failure> {
    let Pacing { pace, length_ns, limit_ns } = paced(request)?;
    let call = call_of(&request.call, &request.arguments)?;
    if request.altered && Expectation::of(&call).altered().is_none() {
        return Err(no_field(&request.call));
    }
    let further = plain::further_calls(&request.call, &request.arguments, &call).map_err(argument_failure)?;
    Ok(Plan {
        call,
        further,
        altered: request.altered,
        calls: request.calls,
        length_ns,
        limit_ns,
        pace,
        start_at_ns: request.start_at_ns,
        burn_ns: request.burn_ns,
        ramp_up_ns: request.ramp_up_ns,
    })
}

impl From<Timing> for drive::Timing {
    fn from(timing: Timing) -> Self {
        match timing {
            Timing::Each => drive::Timing::Each,
            Timing::Batch => drive::Timing::Batch,
            Timing::Auto => drive::Timing::Auto,
        }
    }
}

pub(super) fn done(outcome: Outcome) -> Done {
    let [start, end] = outcome.processor;
    Done {
        calls: outcome.calls,
        errors: drive::errors_by_kind(outcome.errors),
        error_messages: outcome.messages.into_iter().map(|(kind, sentence)| (kind.name(), sentence)).collect(),
        started_ns: outcome.started_ns,
        elapsed_ns: outcome.elapsed_ns,
        window_ns: outcome.window.ns,
        answered: outcome.window.answered,
        in_flight: outcome.window.in_flight,
        in_flight_part: outcome.window.in_flight_part,
        timed: if outcome.batch.is_some() { "batch" } else { "each" },
        batch: outcome.batch.unwrap_or(1),
        latency: outcome.latency.map(|it| it.sparse()),
        service: outcome.service.map(|it| it.sparse()),
        lateness: outcome.lateness.map(|it| it.sparse()),
        parts: outcome.parts.iter().map(Histogram::sparse).collect(),
        in_call_ns: outcome.in_call_ns.to_string(),
        think_ns: outcome.think_ns.to_string(),
        gap_ns: outcome.gap_ns.map(|it| it.to_string()),
        received_bytes: (outcome.received > 0).then(|| outcome.received.to_string()),
        sent_bytes: (outcome.sent > 0).then(|| outcome.sent.to_string()),
        unserved: outcome.unserved,
        held_back: outcome.held_back,
        sent_again: (outcome.sent_again > 0).then_some(outcome.sent_again),
        endpoints: outcome.endpoints.into_iter().map(endpoint).collect(),
        processor: Some(Ends { start, end }),
        threads: outcome.threads,
    }
}

fn endpoint(stats: EndpointStats) -> DoneEndpoint {
    DoneEndpoint {
        name: stats.name,
        calls: stats.calls,
        errors: drive::errors_by_kind(stats.errors),
        in_call_ns: stats.in_call_ns.to_string(),
        latency: stats.latency.map(|it| it.sparse()),
    }
}
