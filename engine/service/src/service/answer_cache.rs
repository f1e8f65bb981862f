//! A cache of the last answers by call. Without it, the generator of the data would be measured instead of the call.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use crate::call::{Answer, Call, Fault};

/// The limit of cached answers. The oldest is removed first.
const MAX_ANSWERS: usize = 16;
/// An answer with more bytes or records than this replaces all others.
const LARGE_SIZE: i32 = 4_000_000;

pub type Answered = Result<Answer, Fault>;

/// An answer that was made for this call, or a cached one.
#[derive(Debug)]
pub enum LookedUp {
    Made(Answered),
    AnswerCache(Arc<Answered>),
    /// An answer that is known for as long as the program runs.
    Known(&'static Answered),
}

impl LookedUp {
    /// The answer itself, or a copy of a cached one.
    pub fn into_owned(self) -> Answered {
        match self {
            LookedUp::Made(answer) => answer,
            LookedUp::AnswerCache(answer) => Arc::unwrap_or_clone(answer),
            LookedUp::Known(answer) => answer.clone(),
        }
    }
}

impl Deref for LookedUp {
    type Target = Answered;

    fn deref(&self) -> &Answered {
        match self {
            LookedUp::Made(answer) => answer,
            LookedUp::AnswerCache(answer) => answer,
            LookedUp::Known(answer) => answer,
        }
    }
}

/// The cached answers. Many threads use it at once.
#[derive(Debug, Default)]
pub struct AnswerCache(RwLock<Vec<(Call, Arc<Answered>)>>);

impl AnswerCache {
    /// The cached answer to `call`. If there is none, it comes from `make`.
    pub fn of(&self, call: &Call, make: impl FnOnce() -> Answered) -> Arc<Answered> {
        let found = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|(cached_call, _)| cached_call == call)
            .map(|(_, answer)| Arc::clone(answer));
        found.unwrap_or_else(|| {
            let answer = Arc::new(make());
            let mut answer_cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if size(call) > LARGE_SIZE || answer_cache.iter().any(|(cached_call, _)| size(cached_call) > LARGE_SIZE) {
                answer_cache.clear();
            } else if answer_cache.len() == MAX_ANSWERS {
                answer_cache.remove(0);
            }
            answer_cache.push((call.clone(), Arc::clone(&answer)));
            answer
        })
    }
}

/// How many bytes or records a call requests.
fn size(call: &Call) -> i32 {
    match call {
        Call::GetBinaryData { size, .. } => *size,
        // A record has about 100 bytes, an item about 500.
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

    fn look_up(answer_cache: &AnswerCache, call: &Call, made: &mut u32) -> Arc<Answered> {
        answer_cache.of(call, || {
            *made += 1;
            Ok(Answer::Number(size(call)))
        })
    }

    #[test]
    fn an_answer_is_made_once() {
        let (answer_cache, mut made) = (AnswerCache::default(), 0);
        for n in [1, 2, 1, 2, 1] {
            assert_eq!(*look_up(&answer_cache, &persons(n), &mut made), Ok(Answer::Number(100 * n)));
        }
        assert_eq!(made, 2);
    }

    #[test]
    fn the_oldest_goes_first() {
        let (answer_cache, mut made) = (AnswerCache::default(), 0);
        for n in 0..=MAX_ANSWERS as i32 {
            look_up(&answer_cache, &persons(n), &mut made);
        }
        look_up(&answer_cache, &persons(1), &mut made);
        assert_eq!(made, MAX_ANSWERS as u32 + 1);
        look_up(&answer_cache, &persons(0), &mut made);
        assert_eq!(made, MAX_ANSWERS as u32 + 2);
    }

    #[test]
    fn a_large_one_is_held_alone() {
        let (answer_cache, mut made) = (AnswerCache::default(), 0);
        for n in [1, 1_000_000, 1_000_000, 1] {
            look_up(&answer_cache, &persons(n), &mut made);
        }
        assert_eq!(made, 3);
        assert_eq!(answer_cache.0.read().expect("nobody panicked").len(), 1);
    }
}
