//! Answers calls and counts them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::call::{Answer, Call, Fault, Fill};
use crate::generate;
use crate::records::Octets;

mod delays;
mod held;

use delays::Delays;
use held::Held;
pub use held::{Answered, LookedUp};

/// The largest `n` of any call.
pub const MOST: i32 = 1_000_000;
/// The largest `size` of `GetBinaryData`, in bytes.
pub const LARGEST: i32 = 268_435_456;

/// The calls that are counted, in the order of `contract/SERVICE.md`.
const CALLS: [&str; 9] = ["Empty", "Send", "Sum", "GetPersons", "GetBinaryData", "EchoStructure", "EchoString", "Hello", "FindItems"];

/// The service's state in one process: what it answered since last asked, and the delays it was told to make.
#[derive(Debug, Default)]
pub struct Service {
    counts: [AtomicU64; CALLS.len()],
    delays: Delays,
    held: Held,
}

impl Service {
    /// The options of `serve` that are the service's own, not a stack's.
    pub const OPTIONS: [&'static str; 4] = ["delay_us", "stall_us", "stall_every_us", "burn_us"];

    /// The service with the delays that `options` name; other members are ignored. The error is a sentence.
    pub fn with_options(options: &serde_json::Map<String, serde_json::Value>) -> Result<Self, String> {
        Ok(Service { delays: Delays::of(options)?, ..Service::default() })
    }

    /// Answers one call with an answer of the caller's own; servers, which only read it, look it up.
    pub fn answer(&self, call: &Call) -> Answered {
        self.look_up(call).into_owned()
    }

    /// Answers one call, on the caller's thread, which it may keep waiting.
    pub fn look_up(&self, call: &Call) -> LookedUp {
        // Counted first, so that no client sees an answer that is not counted yet.
        self.counts[place(call)].fetch_add(1, Relaxed);
        self.delays.wait();
        let answer = match call {
            Call::Empty | Call::Send(_) => Answer::Nothing,
            Call::Sum { a, b } => Answer::Number(a.wrapping_add(*b)),
            Call::EchoStructure(structure) => Answer::Structure(structure.clone()),
            Call::EchoString(value) => Answer::Text(value.clone()),
            Call::Hello => Answer::Text("Hello World".to_owned()),
            Call::GetPersons { .. } | Call::GetBinaryData { .. } | Call::FindItems { .. } => {
                return LookedUp::Held(self.held.of(call, || generated(call)));
            }
        };
        LookedUp::Made(Ok(answer))
    }

    /// What was answered since last asked, by the name of the call, without the calls that were not made. Faults count.
    pub fn counted(&self) -> Vec<(&'static str, u64)> {
        let taken = self.counts.iter().map(|count| count.swap(0, Relaxed));
        CALLS.into_iter().zip(taken).filter(|(_, count)| *count > 0).collect()
    }
}

/// The answer to a call that asks for data; that of any other is nothing.
fn generated(call: &Call) -> Answered {
    Ok(match call {
        Call::GetPersons { n } => Answer::Persons(generate::persons(within("n", *n, MOST)?)),
        Call::GetBinaryData { size, fill } => {
            let size = within("size", *size, LARGEST)?;
            Answer::Octets(Octets(generate::binary(size, fill_named(fill)?)))
        }
        Call::FindItems { n } => Answer::Found(Box::new(generate::search_response(within("n", *n, MOST)?))),
        _ => Answer::Nothing,
    })
}

/// The place of a call's name in `CALLS`.
fn place(call: &Call) -> usize {
    match call {
        Call::Empty => 0,
        Call::Send(_) => 1,
        Call::Sum { .. } => 2,
        Call::GetPersons { .. } => 3,
        Call::GetBinaryData { .. } => 4,
        Call::EchoStructure(_) => 5,
        Call::EchoString(_) => 6,
        Call::Hello => 7,
        Call::FindItems { .. } => 8,
    }
}

/// A parameter as a count, or the fault that names its range.
fn within(parameter: &str, value: i32, most: i32) -> Result<usize, Fault> {
    if (0..=most).contains(&value) {
        Ok(value as usize)
    } else {
        Err(Fault { message: format!("{parameter} is {value}: it must be from 0 to {most}") })
    }
}

fn fill_named(name: &str) -> Result<Fill, Fault> {
    Fill::named(name).ok_or_else(|| {
        let shown: String = name.chars().take(64).collect();
        Fault { message: format!("fill is {shown}: it must be article, random, zero or text") }
    })
}

#[cfg(test)]
mod tests;
