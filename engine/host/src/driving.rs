//! A drive of the runner: the request, and the checks of its `done`.

use std::collections::BTreeMap;
use std::time::Duration;

use callbench_kit::Kind;
use callbench_kit::contract::Pacing;
use callbench_kit::contract::answers::{Done, Ends, Traced};
use callbench_kit::contract::requests::Drive;
use callbench_kit::drive::{Late, Pace};
use callbench_kit::histogram::Sparse;
use serde::Deserialize;
use serde_json::{Value, json};

/// A client gives up after this many consecutive errors.
const MAX_ERRORS_IN_A_ROW: u64 = 100;

pub fn request(drive: &Drive, paced: &Pacing, clients: usize) -> Value {
    json!({
        "do": "drive", "clients": clients, "calls": drive.calls, "length_ns": paced.length_ns, "limit_ns": paced.limit_ns,
        "timing": drive.timing, "think_ns": drive.think_ns, "ramp_up_ns": drive.ramp_up_ns, "gaps": drive.schedule,
        "start_at_ns": drive.start_at_ns, "burn_ns": drive.burn_ns,
    })
}

/// The progress of a drive, as the runner reports it.
#[derive(Debug, Deserialize)]
pub struct Progress {
    pub at_ns: u64,
    pub calls: u64,
    pub errors: u64,
}

/// `done` of the runner protocol.
#[derive(Debug, Deserialize)]
struct RunnerDone {
    calls: u64,
    #[serde(default)]
    errors: BTreeMap<String, u64>,
    #[serde(default)]
    error_messages: BTreeMap<String, String>,
    elapsed_ns: u64,
    batch: u64,
    latency: Option<Sparse>,
    service: Option<Sparse>,
    lateness: Option<Sparse>,
    in_call_ns: String,
    think_ns: String,
    gap_ns: Option<String>,
    late: Late,
    gave_up: bool,
    /// Not used in a trace.
    processor: Option<Ends>,
    #[serde(default)]
    threads: usize,
    received_bytes: Option<String>,
}

/// The result of a golden trace.
#[derive(Debug, Deserialize)]
struct RunnerTrace {
    done: RunnerDone,
    made: Vec<[u64; 2]>,
}

/// The parts of a trace's plan that determine its window.
#[derive(Debug, Deserialize)]
pub struct TracePlan {
    length_ns: u64,
    limit_ns: u64,
}

/// The request for a drive, and how long it took by the host's clock.
pub struct DriveAccount<'a> {
    pub drive: &'a Drive,
    pub paced: &'a Pacing,
    /// When the runner was given the request, on the monotonic clock.
    pub asked_ns: u64,
    pub took: Duration,
    /// Whether the runner was asked to stop during the drive.
    pub stopped: bool,
}

impl RunnerDone {
    /// Computes the window and the `done` for the core; `ends_ns` are the drive's time and its limit.
    fn into_done(self, [length_ns, limit_ns]: [u64; 2]) -> Result<Done, String> {
        let late = self.late.checked(self.calls)?;
        let window = late.window([length_ns.min(limit_ns), limit_ns], self.elapsed_ns, self.calls, self.gave_up);
        Ok(Done {
            calls: self.calls,
            errors: by_kind(self.errors.into_iter())?,
            error_messages: by_kind(self.error_messages.into_iter())?,
            // The host knows it.
            started_ns: None,
            elapsed_ns: self.elapsed_ns,
            window_ns: window.ns,
            unserved: None,
            held_back: None,
            sent_again: None,
            sent_bytes: None,
            answered: window.answered,
            in_flight: window.in_flight,
            in_flight_part: window.in_flight_part,
            timed: if self.batch > 1 { "batch" } else { "each" },
            batch: self.batch,
            latency: self.latency,
            service: self.service,
            lateness: self.lateness,
            parts: Vec::new(),
            in_call_ns: decimal("in_call_ns", self.in_call_ns)?,
            think_ns: decimal("think_ns", self.think_ns)?,
            gap_ns: self.gap_ns.map(|it| decimal("gap_ns", it)).transpose()?,
            received_bytes: self.received_bytes.map(|it| decimal("received_bytes", it)).transpose()?,
            endpoints: Vec::new(),
            processor: self.processor,
            threads: self.threads,
        })
    }
}

/// The answer to the core for a golden trace.
pub fn traced(plan: &TracePlan, said: Value) -> Result<Traced, String> {
    let runner_trace = RunnerTrace::deserialize(said).map_err(|error| format!("said a traced that is not understood: {error}"))?;
    Ok(Traced { done: runner_trace.done.into_done([plan.length_ns, plan.limit_ns])?, made: runner_trace.made })
}

impl DriveAccount<'_> {
    /// The answer to the core. The error is part of a sentence that says why the result is invalid.
    pub fn done(&self, said: Value) -> Result<Done, String> {
        let runner_done = RunnerDone::deserialize(said).map_err(|error| format!("said a done that is not understood: {error}"))?;
        self.enough(&runner_done)?;
        self.agrees(&runner_done)?;
        let done = runner_done.into_done([self.paced.length_ns, self.paced.limit_ns])?;
        Ok(Done { started_ns: self.started_ns(), ..done })
    }

    /// The common start as it was: a runner waits for it, and one that hears of it later begins at once.
    fn started_ns(&self) -> Option<u64> {
        (self.drive.start_at_ns > 0).then(|| self.drive.start_at_ns.max(self.asked_ns))
    }

    /// Checks that it made the calls and lasted for the time, unless it gave up, was stopped, or reached its limit.
    fn enough(&self, runner_done: &RunnerDone) -> Result<(), String> {
        let errors: u64 = runner_done.errors.values().sum();
        let took_ns = self.took.as_nanos();
        if runner_done.gave_up || errors >= MAX_ERRORS_IN_A_ROW || self.stopped || took_ns >= u128::from(self.paced.limit_ns) {
            return Ok(());
        }
        let made = runner_done.calls + errors;
        if made < self.drive.calls {
            return Err(format!("ended a drive after {made} of {} calls and did not give up", self.drive.calls));
        }
        if took_ns < u128::from(self.paced.length_ns) {
            let (took, length) = (self.took.as_secs_f64(), self.paced.length_ns as f64 / 1e9);
            return Err(format!("ended a drive of {length} s after {took:.3} s and did not give up"));
        }
        Ok(())
    }

    /// Checks that the numbers are consistent.
    fn agrees(&self, runner_done: &RunnerDone) -> Result<(), String> {
        if runner_done.elapsed_ns == 0 || runner_done.batch == 0 || runner_done.threads == 0 || runner_done.processor.is_none() {
            return Err("said a done in which elapsed_ns, batch or threads is 0, or without processor".to_owned());
        }
        if (runner_done.batch > 1) == runner_done.latency.is_some() {
            return Err(format!(
                "said a done of batch {} {} latency",
                runner_done.batch,
                if runner_done.batch > 1 { "with" } else { "without" }
            ));
        }
        let open = matches!(self.paced.pace, Pace::Open(_));
        for (name, histogram, due) in [
            ("latency", &runner_done.latency, runner_done.batch == 1),
            ("service", &runner_done.service, open),
            ("lateness", &runner_done.lateness, open),
        ] {
            let Some(histogram) = histogram.as_ref().filter(|_| due) else {
                if due {
                    return Err(format!("said a done of an open loop without {name}"));
                }
                continue;
            };
            if let Some(wrong) = histogram.wrong() {
                return Err(format!("said a done whose {name} does not agree with itself: {wrong}"));
            }
            if histogram.count != runner_done.calls {
                return Err(format!("says that {} calls were answered, but its {name} has {} of them", runner_done.calls, histogram.count));
            }
        }
        Ok(())
    }
}

/// Converts a table to the error kinds of the contract.
fn by_kind<T>(table: impl Iterator<Item = (String, T)>) -> Result<BTreeMap<&'static str, T>, String> {
    table
        .map(|(name, of)| match Kind::named(&name) {
            Some(kind) => Ok((kind.name(), of)),
            None => Err(format!("said a done with an error of kind {name}, which the contract has not")),
        })
        .collect()
}

fn decimal(name: &str, spelt: String) -> Result<String, String> {
    match spelt.parse::<u64>() {
        Ok(_) => Ok(spelt),
        Err(_) => Err(format!("said a done whose {name} is {spelt:?}: it must be a decimal string")),
    }
}

#[cfg(test)]
mod tests;
