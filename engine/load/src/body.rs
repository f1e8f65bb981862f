//! Checks the body of one answer while it is received: compares it with the expected one, and keeps it if this was requested.

use callbench_kit::{Failure, Kind};

use crate::expected::Expected;
use crate::printable::{MAX_PRINTED, printable};

/// How many bytes an error message shows before the first difference, and from there on.
const BEFORE: usize = 16;
const AFTER: usize = 24;
/// A longer correct body is not remembered.
const MAX_KNOWN_BYTES: usize = 64 * 1024;

/// The first difference from the expected body, and what was received from there on.
#[derive(Debug)]
struct Difference {
    at: usize,
    came: Vec<u8>,
}

#[derive(Debug, Default)]
pub struct Body {
    /// The number of bytes received.
    pub seen: u64,
    difference: Option<Difference>,
    /// The whole body if it is requested. For an answer that is already known to be wrong, its first bytes.
    stored: Vec<u8>,
    /// Why the answer is wrong regardless of its body: its status.
    wrong: Option<Failure>,
}

impl Body {
    /// Prepares for the next answer. The memory is reused.
    pub fn begin(&mut self) {
        self.seen = 0;
        self.difference = None;
        self.stored.clear();
        self.wrong = None;
    }

    /// Records why the answer is wrong, or None.
    pub fn set_wrong(&mut self, wrong: Option<Failure>) {
        self.wrong = wrong;
    }

    /// Whether the answer was wrong before its body was received.
    #[must_use]
    pub fn is_wrong_already(&self) -> bool {
        self.wrong.is_some()
    }

    #[inline]
    pub fn take(&mut self, piece: &[u8], expected: &Expected) {
        if self.wrong.is_some() {
            extend(&mut self.stored, piece, MAX_PRINTED + 1);
        } else {
            if let Some(body) = &expected.body {
                self.compare(piece, body);
            }
            if expected.keep_body || !expected.checks.is_empty() {
                self.stored.extend_from_slice(piece);
            }
        }
        self.seen += piece.len() as u64;
    }

    #[inline]
    fn compare(&mut self, piece: &[u8], body: &[u8]) {
        if let Some(difference) = &mut self.difference {
            return extend(&mut difference.came, piece, AFTER + 1);
        }
        let from = (self.seen as usize).min(body.len());
        if !body[from..].starts_with(piece) {
            let same = body[from..].iter().zip(piece).take_while(|(one, other)| one == other).count();
            let mut came = Vec::new();
            extend(&mut came, &piece[same..], AFTER + 1);
            self.difference = Some(Difference { at: from + same, came });
        }
    }

    /// The body, if it was to be kept.
    pub fn kept_body(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.stored)
    }

    /// The body so far, where it is to be kept.
    #[must_use]
    pub fn whole(&self) -> &[u8] {
        &self.stored
    }

    /// Why the answer is wrong. `known` is the last correct body: an identical body is correct without being parsed.
    pub fn wrong(&mut self, expected: &Expected, known: &mut Vec<u8>) -> Option<Failure> {
        if let Some(wrong) = self.wrong.take() {
            return Some(self.with_beginning(wrong));
        }
        if let Some(why) = expected.body.as_ref().and_then(|body| self.differs(body)) {
            return Some(Failure::new(Kind::WrongAnswer, why));
        }
        if expected.checks.is_empty() || (!self.stored.is_empty() && *known == self.stored) {
            return None;
        }
        let wrong = expected.checks.wrong(&self.stored);
        if wrong.is_none() && self.stored.len() <= MAX_KNOWN_BYTES {
            known.clear();
            known.extend_from_slice(&self.stored);
        }
        wrong.map(|why| Failure::new(Kind::WrongAnswer, why))
    }

    /// Adds the beginning of the body, in which servers often explain an error status.
    fn with_beginning(&self, wrong: Failure) -> Failure {
        let of_status = matches!(wrong.kind, Kind::Status | Kind::Redirect);
        if !of_status || self.stored.is_empty() {
            return wrong;
        }
        Failure::new(wrong.kind, format!("{}; its body is {}", wrong.message, printable(&self.stored, MAX_PRINTED)))
    }

    fn differs(&self, body: &[u8]) -> Option<String> {
        let (seen, length) = (self.seen, body.len());
        let Some(Difference { at, came }) = &self.difference else {
            let seen = seen as usize;
            return (seen < length).then(|| {
                let rest = printable(&body[seen..], AFTER);
                format!("the body ends after {seen} bytes; the expected one has {length} and continues with {rest}")
            });
        };
        if *at == length {
            return Some(format!(
                "the body has {seen} bytes; after the {length} that are expected it continues with {}",
                printable(came, AFTER)
            ));
        }
        let before = &body[at.saturating_sub(BEFORE)..*at];
        let around = |rest: &[u8]| printable(&[before, rest].concat(), before.len() + AFTER);
        let (came, expected) = (around(came), around(&body[*at..]));
        let lengths = if seen == length as u64 { String::new() } else { format!("; it has {seen} bytes, not {length}") };
        Some(format!("the body differs from the expected one at byte {at}, counted from 0: {came}, not {expected}{lengths}"))
    }
}

/// Appends as much of the piece as `most` allows.
fn extend(to: &mut Vec<u8>, piece: &[u8], most: usize) {
    let room = most.saturating_sub(to.len()).min(piece.len());
    to.extend_from_slice(&piece[..room]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(body: &Expected, pieces: &[&[u8]]) -> Option<String> {
        let mut answer = Body::default();
        for piece in pieces {
            answer.take(piece, body);
        }
        answer.wrong(body, &mut Vec::new()).map(|failure| failure.message)
    }

    proptest! {
        #[test]
        fn a_body_is_right_exactly_where_it_is_the_same_however_it_is_cut(
            body in prop::collection::vec(0_u8..3, 0..20),
            other in prop::collection::vec(0_u8..3, 0..20),
            cut in 0_usize..20,
        ) {
            let expected = Expected { body: Some(body.clone()), ..Expected::default() };
            for said in [&body, &other] {
                let (first, second) = said.split_at(cut.min(said.len()));
                let cut = taken(&expected, &[first, second]);
                prop_assert_eq!(cut.is_none(), *said == body);
                prop_assert_eq!(cut, taken(&expected, &[said]));
            }
        }
    }

    #[test]
    fn the_first_difference_is_shown_with_what_stands_around_it() {
        let expected = Expected { body: Some(br#"{"items":[1,2,3],"id":"41","name":"x"}"#.to_vec()), ..Expected::default() };
        let why = taken(&expected, &[br#"{"items":[1,2,3],"#, br#""id":"42","name":"x"}"#]).expect("a difference");
        let printable = r#"the body differs from the expected one at byte 24, counted from 0: `:[1,2,3],"id":"42","name":"x"}`, not `:[1,2,3],"id":"41""#;
        assert!(why.starts_with(printable), "{why}");
        let other = taken(&expected, &[br#"{"items":[],"#]).expect("a difference");
        assert!(other.ends_with("; it has 12 bytes, not 38"), "{other}");
        let short = taken(&expected, &[br#"{"items""#]).expect("a difference");
        assert_eq!(short, r#"the body ends after 8 bytes; the expected one has 38 and continues with `:[1,2,3],"id":"41","name`..."#);
        let long = taken(&expected, &[expected.body.as_deref().unwrap_or_default(), b"\n"]).expect("a difference");
        assert_eq!(long, r"the body has 39 bytes; after the 38 that are expected it continues with `\n`");
    }

    #[test]
    fn a_wrong_status_is_told_with_the_beginning_of_the_body() {
        let expected = Expected::default();
        let mut answer = Body::default();
        answer.set_wrong(expected.wrong_status(500, None));
        answer.take(b"no such ", &expected);
        answer.take(&[b'x'; 500], &expected);
        let why = answer.wrong(&expected, &mut Vec::new()).expect("a failure").message;
        assert!(why.contains(" was answered with the status 500; its body is `no such xxx") && why.ends_with("x`..."), "{why}");
        assert_eq!(answer.seen, 508);
        assert!(answer.stored.len() <= MAX_PRINTED + 1);
    }
}
