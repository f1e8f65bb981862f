//! The check made on every measured answer: constant in time and without allocation, prepared once from the call.
//!
//! Of what is long it looks at the length, at the last element, and at another one each time, so that the last field is always looked at
//! and every field in time. `contract/RUNNER.md` has it for every language.

use crate::call::{Answer, Call};
use crate::service::Service;

mod fields;

use fields::{Same, same_octets};

/// What the answer to one call must look like.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The server must refuse: no answer is right.
    Refusal,
    Answer(Answer),
}

impl Expectation {
    /// Works out the right answer, which may take long and much memory for a large one.
    #[must_use]
    pub fn of(call: &Call) -> Self {
        Service::default().answer(call).map_or(Expectation::Refusal, Expectation::Answer)
    }

    /// Another answer, which differs from the right one in its last field; None where there is no field.
    #[must_use]
    pub fn altered(&self) -> Option<Self> {
        match self {
            Expectation::Refusal => None,
            Expectation::Answer(answer) => answer.altered().map(Expectation::Answer),
        }
    }

    /// Whether `answer` is right, as far as this sees. `turn` tells which of a client's answers it is: of what is long, each turn looks at
    /// another element.
    #[must_use]
    #[inline]
    pub fn holds(&self, answer: &Answer, turn: u64) -> bool {
        match (self, answer) {
            (Expectation::Answer(Answer::Nothing), Answer::Nothing) => true,
            (Expectation::Answer(Answer::Number(right)), Answer::Number(found)) => right == found,
            (Expectation::Answer(right), found) => same(right, found, turn),
            (Expectation::Refusal, _) => false,
        }
    }
}

/// Of answers that are longer than a number: not in line, so that the loop of short calls stays short.
#[inline(never)]
fn same(right: &Answer, found: &Answer, turn: u64) -> bool {
    match (right, found) {
        (Answer::Persons(right), Answer::Persons(found)) => right.same(found, turn),
        (Answer::Octets(right), Answer::Octets(found)) => same_octets(&right.0, &found.0, turn),
        (Answer::Structure(right), Answer::Structure(found)) => right.same(found, turn),
        (Answer::Text(right), Answer::Text(found)) => right.same(found, turn),
        (Answer::Found(right), Answer::Found(found)) => right.same(found, turn),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
