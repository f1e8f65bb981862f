//! A drive of the runner: what it is asked, and what its `done` must be to count.

use std::collections::BTreeMap;
use std::time::Duration;

use callbench_kit::Kind;
use callbench_kit::contract::Paced;
use callbench_kit::contract::answers::{Done, Ends, Traced};
use callbench_kit::contract::requests::Drive;
use callbench_kit::drive::{Late, Pace};
use callbench_kit::histogram::Sparse;
use serde::Deserialize;
use serde_json::{Value, json};

/// A client gives up after so many errors in a row.
const HOPELESS: u64 = 100;

pub fn request(asked: &Drive, paced: &Paced, clients: usize) -> Value {
    json!({
        "do": "drive", "clients": clients, "calls": asked.calls, "length_ns": paced.length_ns, "limit_ns": paced.limit_ns,
        "timing": asked.timing, "think_ns": asked.think_ns, "ramp_up_ns": asked.ramp_up_ns, "gaps": asked.schedule,
        "start_at_ns": asked.start_at_ns, "burn_ns": asked.burn_ns,
    })
}

/// How far a drive is, as the runner says it.
#[derive(Debug, Deserialize)]
pub struct Soon {
    pub at_ns: u64,
    pub calls: u64,
    pub errors: u64,
}

/// `done` of the runner protocol.
#[derive(Debug, Deserialize)]
struct Driven {
    calls: u64,
    #[serde(default)]
    errors: BTreeMap<String, u64>,
    #[serde(default)]
    said: BTreeMap<String, String>,
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
    /// Of a drive; a trace has neither.
    processor: Option<Ends>,
    #[serde(default)]
    threads: usize,
    received_octets: Option<String>,
}

/// What came of a golden trace.
#[derive(Debug, Deserialize)]
struct Played {
    done: Driven,
    made: Vec<[u64; 2]>,
}

/// What of a trace's plan decides its window.
#[derive(Debug, Deserialize)]
pub struct Planned {
    length_ns: u64,
    limit_ns: u64,
}

/// What the runner was asked for, and how long it took by the host's clock.
pub struct Drove<'a> {
    pub asked: &'a Drive,
    pub paced: &'a Paced,
    pub took: Duration,
    /// Whether it was told to stop meanwhile.
    pub stopped: bool,
}

impl Driven {
    /// What the core is told, the window reckoned: `ends_ns` are the drive's time and its limit.
    fn told(self, [length_ns, limit_ns]: [u64; 2]) -> Result<Done, String> {
        let late = self.late.checked(self.calls)?;
        let window = late.window([length_ns.min(limit_ns), limit_ns], self.elapsed_ns, self.calls, self.gave_up);
        Ok(Done {
            calls: self.calls,
            errors: by_kind(self.errors.into_iter())?,
            said: by_kind(self.said.into_iter())?,
            elapsed_ns: self.elapsed_ns,
            window_ns: window.ns,
            answered: window.answered,
            in_flight: window.in_flight,
            in_flight_part: window.in_flight_part,
            timed: if self.batch > 1 { "batch" } else { "each" },
            batch: self.batch,
            latency: self.latency,
            service: self.service,
            lateness: self.lateness,
            in_call_ns: decimal("in_call_ns", self.in_call_ns)?,
            think_ns: decimal("think_ns", self.think_ns)?,
            gap_ns: self.gap_ns.map(|it| decimal("gap_ns", it)).transpose()?,
            received_octets: self.received_octets.map(|it| decimal("received_octets", it)).transpose()?,
            processor: self.processor,
            threads: self.threads,
        })
    }
}

/// What the core is told of a golden trace.
pub fn traced(plan: &Planned, said: Value) -> Result<Traced, String> {
    let played = Played::deserialize(said).map_err(|error| format!("said a traced that is not understood: {error}"))?;
    Ok(Traced { done: played.done.told([plan.length_ns, plan.limit_ns])?, made: played.made })
}

impl Drove<'_> {
    /// What the core is told. The error is a clause that says why nothing of it counts.
    pub fn done(&self, said: Value) -> Result<Done, String> {
        let driven = Driven::deserialize(said).map_err(|error| format!("said a done that is not understood: {error}"))?;
        self.enough(&driven)?;
        self.agrees(&driven)?;
        driven.told([self.paced.length_ns, self.paced.limit_ns])
    }

    /// It made the calls and lasted the time, unless it gave up, was told to stop, or came to its limit.
    fn enough(&self, driven: &Driven) -> Result<(), String> {
        let errors: u64 = driven.errors.values().sum();
        let took_ns = self.took.as_nanos();
        if driven.gave_up || errors >= HOPELESS || self.stopped || took_ns >= u128::from(self.paced.limit_ns) {
            return Ok(());
        }
        let made = driven.calls + errors;
        if made < self.asked.calls {
            return Err(format!("ended a drive after {made} of {} calls and did not give up", self.asked.calls));
        }
        if took_ns < u128::from(self.paced.length_ns) {
            let (took, length) = (self.took.as_secs_f64(), self.paced.length_ns as f64 / 1e9);
            return Err(format!("ended a drive of {length} s after {took:.3} s and did not give up"));
        }
        Ok(())
    }

    /// Its numbers belong together.
    fn agrees(&self, driven: &Driven) -> Result<(), String> {
        if driven.elapsed_ns == 0 || driven.batch == 0 || driven.threads == 0 || driven.processor.is_none() {
            return Err("said a done in which elapsed_ns, batch or threads is 0, or without processor".to_owned());
        }
        if (driven.batch > 1) == driven.latency.is_some() {
            return Err(format!("said a done of batch {} {} latency", driven.batch, if driven.batch > 1 { "with" } else { "without" }));
        }
        let open = matches!(self.paced.pace, Pace::Open(_));
        for (name, histogram, due) in
            [("latency", &driven.latency, driven.batch == 1), ("service", &driven.service, open), ("lateness", &driven.lateness, open)]
        {
            let Some(histogram) = histogram.as_ref().filter(|_| due) else {
                if due {
                    return Err(format!("said a done of an open loop without {name}"));
                }
                continue;
            };
            if let Some(wrong) = histogram.wrong() {
                return Err(format!("said a done whose {name} does not agree with itself: {wrong}"));
            }
            if histogram.count != driven.calls {
                return Err(format!("says that {} calls were answered, but its {name} has {} of them", driven.calls, histogram.count));
            }
        }
        Ok(())
    }
}

/// A table by kinds of the contract.
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
