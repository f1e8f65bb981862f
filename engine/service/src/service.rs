//! Answers calls and counts them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_own as own;

use crate::call::{Answer, Call, Fault, Fill};
use crate::generate;
use crate::pairs;
use crate::records::Octets;

mod answer_cache;
mod delays;

use answer_cache::AnswerCache;
pub use answer_cache::{Answered, LookedUp};
use delays::Delays;

/// The largest `n` of any call.
pub const MAX_N: i32 = 1_000_000;
/// The largest `size` of `GetBinaryData`, in bytes.
pub const MAX_SIZE: i32 = 268_435_456;

/// The counted calls, in the order of `contract/SERVICE.md`.
const CALLS: [&str; 9] = ["Empty", "Send", "Sum", "GetPersons", "GetBinaryData", "EchoStructure", "EchoString", "Hello", "FindItems"];

/// The state of the service in one process: the answered calls since the last request for counts, and the requested delays.
#[derive(Debug)]
pub struct Service {
    counts: [AtomicU64; CALLS.len() + own::CALLS.len()],
    delays: Delays,
    answer_cache: Arc<AnswerCache>,
}

impl Default for Service {
    fn default() -> Self {
        Service { counts: std::array::from_fn(|_| AtomicU64::new(0)), delays: Delays::default(), answer_cache: Arc::default() }
    }
}

impl Service {
    /// The options of `serve` that the service handles, not a stack.
    pub const OPTIONS: [&'static str; 4] = ["delay_us", "stall_us", "stall_every_us", "burn_us"];

    /// The service with the delays that `options` name. Other members are ignored. The error is a sentence.
    pub fn with_options(options: &serde_json::Map<String, serde_json::Value>) -> Result<Self, String> {
        Ok(Service { delays: Delays::of(options)?, ..Service::default() })
    }

    /// Another service that counts for itself, without delays. Answers that one of the two has made, both have.
    #[must_use]
    pub fn beside(&self) -> Self {
        Service { answer_cache: Arc::clone(&self.answer_cache), ..Service::default() }
    }

    /// Answers one call. The caller owns the answer. Servers only read it, so they use `look_up`.
    pub fn answer(&self, call: &Call) -> Answered {
        self.look_up(call).into_owned()
    }

    /// Answers one call on the caller's thread. It may delay the thread.
    pub fn look_up(&self, call: &Call) -> LookedUp {
        // The call is counted first, so no client sees an answer that is not counted yet.
        self.counts[place(call)].fetch_add(1, Relaxed);
        self.delays.wait();
        let answer = match call {
            Call::Empty | Call::Send(_) => Answer::Nothing,
            Call::Sum { a, b } => Answer::Number(a.wrapping_add(*b)),
            Call::EchoStructure(structure) => Answer::Structure(structure.clone()),
            Call::EchoString(value) => Answer::Text(value.clone()),
            Call::Hello => Answer::Text("Hello World".to_owned()),
            Call::Own(request) => match pairs::answer(request) {
                Some(answered) => return LookedUp::Known(answered),
                None => return LookedUp::Made(echoed(request)),
            },
            Call::GetPersons { .. } | Call::GetBinaryData { .. } | Call::FindItems { .. } => {
                return LookedUp::AnswerCache(self.answer_cache.of(call, || generated(call)));
            }
        };
        LookedUp::Made(Ok(answer))
    }

    /// The answered calls since the last request for counts, by name. Faults count. Calls that were not made are left out.
    pub fn counted(&self) -> Vec<(&'static str, u64)> {
        let taken = self.counts.iter().map(|count| count.swap(0, Relaxed));
        CALLS.into_iter().chain(own::CALLS.iter().copied()).zip(taken).filter(|(_, count)| *count > 0).collect()
    }
}

/// The answer to a call for data. Any other call has no answer.
fn generated(call: &Call) -> Answered {
    Ok(match call {
        Call::GetPersons { n } => Answer::Persons(generate::persons(within("n", *n, MAX_N)?)),
        Call::GetBinaryData { size, fill } => {
            let size = within("size", *size, MAX_SIZE)?;
            Answer::Octets(Octets(generate::binary(size, fill_named(fill)?)))
        }
        Call::FindItems { n } => Answer::Found(Box::new(generate::search_response(within("n", *n, MAX_N)?))),
        _ => Answer::Nothing,
    })
}

/// The answer to a request that is in no pair: the request itself if the call answers with the same type.
fn echoed(request: &own::Request) -> Answered {
    let message = || format!("no pair of {} has this request, so nobody knows its answer", own::CALLS[request.place()]);
    request.echoed().map(Answer::Own).ok_or_else(|| Fault { message: message() })
}

/// The index of a call's name in `CALLS`, and behind them of one of the user's own.
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
        Call::Own(request) => CALLS.len() + request.place(),
    }
}

/// Checks the range of a parameter. The fault names the range.
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
