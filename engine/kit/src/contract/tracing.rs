//! Replays a golden trace: from the request to the answer.

use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use serde_json::Value;

use super::answers::Traced;
use super::driving;
use super::requests::{Timing, bad};
use crate::drive::{self, Pace, Schedule, Script, Scripted, ScriptedCall};
use crate::failure::{Failure, Kind};

#[derive(Debug, Deserialize)]
struct Trace {
    plan: TracePlan,
    script: TraceScript,
}

#[derive(Debug, Deserialize)]
struct TracePlan {
    place: usize,
    clients: usize,
    start: u64,
    length_ns: u64,
    limit_ns: u64,
    calls: u64,
    think_ns: u64,
    ramp_up_ns: u64,
    gaps: Option<Vec<u64>>,
    timing: Timing,
    burn_ns: u64,
    reading_ns: f64,
    spin_ns: u64,
}

#[derive(Debug, Deserialize)]
struct TraceScript {
    clock_start_ns: u64,
    reading_takes_ns: u64,
    oversleeps_ns: u64,
    calls: Vec<TraceCall>,
}

#[derive(Debug, Deserialize)]
struct TraceCall {
    takes_ns: u64,
    answer: String,
}

/// Replays a trace.
pub(super) fn traced(trace: Value, stop: &AtomicBool) -> Result<Traced, Failure> {
    let (outcome, made) = drive::replay(trace_of(trace)?, stop)?;
    let mut done = driving::done(outcome);
    done.processor = None;
    done.started_ns = None;
    Ok(Traced { done, made })
}

/// Parses a trace in the format of contract/golden/traces.
pub fn trace_of(given: Value) -> Result<drive::Trace, Failure> {
    let Trace { plan, script } = serde_json::from_value(given).map_err(|error| bad(format!("the trace is not understood: {error}")))?;
    if plan.place >= plan.clients || script.calls.is_empty() {
        return Err(bad("a trace has a place below its clients, and at least one call".to_owned()));
    }
    let pace = match plan.gaps {
        Some(gaps) => Pace::Open(Schedule::of(gaps)?),
        None => Pace::Closed { think_ns: plan.think_ns, timing: plan.timing.into() },
    };
    let calls: Result<_, _> = script.calls.iter().map(scripted).collect();
    Ok(drive::Trace {
        place: plan.place,
        clients: plan.clients,
        start: plan.start,
        length_ns: plan.length_ns,
        limit_ns: plan.limit_ns,
        calls: plan.calls,
        pace,
        ramp_up_ns: plan.ramp_up_ns,
        burn_ns: plan.burn_ns,
        reading_ns: plan.reading_ns,
        spin_ns: plan.spin_ns,
        script: Script {
            clock_start_ns: script.clock_start_ns,
            reading_takes_ns: script.reading_takes_ns,
            oversleeps_ns: script.oversleeps_ns,
            calls: calls?,
        },
    })
}

fn scripted(call: &TraceCall) -> Result<ScriptedCall, Failure> {
    let answer = match call.answer.as_str() {
        "right" => Scripted::Right,
        "wrong" => Scripted::Wrong,
        name => Scripted::Error(
            Kind::named(name).ok_or_else(|| bad(format!("the answer {name} is unknown: say right, wrong or an error kind")))?,
        ),
    };
    Ok(ScriptedCall { takes_ns: call.takes_ns, answer })
}
