//! The check of every measured answer. It takes constant time, does not allocate, and is prepared once for each call.
//!
//! Of a long value, it checks the length, the last element, and another element each time. So the last field is always checked, and every field after
//! some time. `contract/RUNNER.md` defines it for every language.

use crate::call::{Answer, Call};
use crate::service::Service;

mod fields;

use callbench_own::same::Same as _;

/// The expected answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The server must refuse the call: no answer is correct.
    Refusal,
    Answer(Answer),
}

impl Expectation {
    /// Computes the correct answer. This can take much time and memory for a large answer.
    #[must_use]
    pub fn of(call: &Call) -> Self {
        Service::default().answer(call).map_or(Expectation::Refusal, Expectation::Answer)
    }

    /// A different expectation that differs from the correct one in its last field. None if there is no field.
    #[must_use]
    pub fn altered(&self) -> Option<Self> {
        match self {
            Expectation::Refusal => None,
            Expectation::Answer(answer) => answer.altered().map(Expectation::Answer),
        }
    }

    /// Whether `answer` is correct, as far as this check can see. `turn` is the number of the answer. It selects the element of a long value that is
    /// checked.
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

/// The check of long answers. It is not inlined, so that the loop for short calls stays small.
#[inline(never)]
fn same(right: &Answer, found: &Answer, turn: u64) -> bool {
    match (right, found) {
        (Answer::Persons(right), Answer::Persons(found)) => right.same(found, turn),
        (Answer::Octets(right), Answer::Octets(found)) => fields::same_octets(&right.0, &found.0, turn),
        (Answer::Structure(right), Answer::Structure(found)) => right.same(found, turn),
        (Answer::Text(right), Answer::Text(found)) => right.same(found, turn),
        (Answer::Found(right), Answer::Found(found)) => right.same(found, turn),
        (Answer::Own(right), Answer::Own(found)) => right.same(found, turn),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
