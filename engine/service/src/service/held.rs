//! The last answers under the calls that asked for them, to be read only: making one anew would measure the generator, not the call.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use crate::call::{Answer, Call, Fault};

/// So many; the oldest goes first.
const MOST: usize = 16;
/// An answer of more octets or records than this is held alone.
const LARGE: i32 = 4_000_000;

/// What a call is answered.
pub type Answered = Result<Answer, Fault>;

/// An answer that was made for this call, or one that is held for all that are like it.
#[derive(Debug)]
pub enum LookedUp {
    Made(Answered),
    Held(Arc<Answered>),
}

impl LookedUp {
    /// The answer itself, a copy where it is held.
    pub fn into_owned(self) -> Answered {
        match self {
            LookedUp::Made(answer) => answer,
            LookedUp::Held(answer) => Arc::unwrap_or_clone(answer),
        }
    }
}

impl Deref for LookedUp {
    type Target = Answered;

    fn deref(&self) -> &Answered {
        match self {
            LookedUp::Made(answer) => answer,
            LookedUp::Held(answer) => answer,
        }
    }
}

/// Answers by their calls. Used by many threads at once.
#[derive(Debug, Default)]
pub struct Held(RwLock<Vec<(Call, Arc<Answered>)>>);

impl Held {
    /// The answer to `call`, by `make` where it is not there.
    pub fn of(&self, call: &Call, make: impl FnOnce() -> Answered) -> Arc<Answered> {
        let found = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|(asked, _)| asked == call)
            .map(|(_, answer)| Arc::clone(answer));
        found.unwrap_or_else(|| {
            let answer = Arc::new(make());
            let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if size(call) > LARGE || held.iter().any(|(asked, _)| size(asked) > LARGE) {
                held.clear();
            } else if held.len() == MOST {
                held.remove(0);
            }
            held.push((call.clone(), Arc::clone(&answer)));
            answer
        })
    }
}

/// How many octets or records a call asks for.
fn size(call: &Call) -> i32 {
    match call {
        Call::GetBinaryData { size, .. } => *size,
        // A record has some hundred octets, an item some five hundred.
        Call::GetPersons { n } => n.saturating_mul(100),
        Call::FindItems { n } => n.saturating_mul(500),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn persons(n: i32) -> Call {
        Call::GetPersons { n }
    }

    fn asked(held: &Held, call: &Call, made: &mut u32) -> Arc<Answered> {
        held.of(call, || {
            *made += 1;
            Ok(Answer::Number(size(call)))
        })
    }

    #[test]
    fn an_answer_is_made_once() {
        let (held, mut made) = (Held::default(), 0);
        for n in [1, 2, 1, 2, 1] {
            assert_eq!(*asked(&held, &persons(n), &mut made), Ok(Answer::Number(100 * n)));
        }
        assert_eq!(made, 2);
    }

    #[test]
    fn the_oldest_goes_first() {
        let (held, mut made) = (Held::default(), 0);
        for n in 0..=MOST as i32 {
            asked(&held, &persons(n), &mut made);
        }
        asked(&held, &persons(1), &mut made);
        assert_eq!(made, MOST as u32 + 1);
        asked(&held, &persons(0), &mut made);
        assert_eq!(made, MOST as u32 + 2);
    }

    #[test]
    fn a_large_one_is_held_alone() {
        let (held, mut made) = (Held::default(), 0);
        for n in [1, 1_000_000, 1_000_000, 1] {
            asked(&held, &persons(n), &mut made);
        }
        assert_eq!(made, 3);
        assert_eq!(held.0.read().expect("nobody panicked").len(), 1);
    }
}
