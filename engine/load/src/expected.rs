//! What an answer must be for its call to count.

use callbench_kit::{Failure, Kind};

/// Which answers are right.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Any of these; none named: any from 200 to 299.
    pub status: Vec<u16>,
    /// The body, octet by octet; None: any.
    pub body: Option<Vec<u8>>,
    /// Whether an answer's body is kept when it is there, for who asks for it.
    pub keeps: bool,
}

impl Expected {
    /// Why an answer of this status is wrong.
    pub fn wrong_status(&self, status: u16) -> Option<Failure> {
        let right = if self.status.is_empty() { (200..300).contains(&status) } else { self.status.contains(&status) };
        if right {
            return None;
        }
        let kind = if (300..400).contains(&status) { Kind::Redirect } else { Kind::Status };
        let told = if kind == Kind::Redirect { " (a redirect, which is not followed: name its target)" } else { "" };
        Some(Failure::new(kind, format!("the server answered with the status {status}{told}")))
    }
}

/// Compares a body with the expected one as it comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    pub seen: u64,
    differs: bool,
}

impl Comparison {
    #[inline]
    pub fn take(&mut self, piece: &[u8], expected: &Expected) {
        if let Some(body) = &expected.body {
            let from = (self.seen as usize).min(body.len());
            self.differs |= !body[from..].starts_with(piece);
        }
        self.seen += piece.len() as u64;
    }

    /// Why the whole is wrong.
    pub fn wrong(&self, expected: &Expected) -> Option<Failure> {
        let body = expected.body.as_ref()?;
        let same = !self.differs && self.seen == body.len() as u64;
        (!same).then(|| {
            let message = format!("the body of {} octets is not the expected one of {} octets", self.seen, body.len());
            Failure::new(Kind::WrongAnswer, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_body_is_right_exactly_where_it_is_the_same_however_it_is_cut(
            body in prop::collection::vec(0_u8..3, 0..20),
            other in prop::collection::vec(0_u8..3, 0..20),
            cut in 0_usize..20,
        ) {
            let expected = Expected { status: Vec::new(), body: Some(body.clone()), keeps: false };
            for said in [&body, &other] {
                let mut comparison = Comparison::default();
                let (first, second) = said.split_at(cut.min(said.len()));
                comparison.take(first, &expected);
                comparison.take(second, &expected);
                prop_assert_eq!(comparison.wrong(&expected).is_none(), *said == body);
            }
        }
    }

    #[test]
    fn statuses() {
        let any = Expected::default();
        assert!(any.wrong_status(204).is_none());
        assert_eq!(any.wrong_status(302).map(|it| it.kind), Some(Kind::Redirect));
        assert_eq!(any.wrong_status(500).map(|it| it.kind), Some(Kind::Status));
        let one = Expected { status: vec![404], ..Expected::default() };
        assert!(one.wrong_status(404).is_none() && one.wrong_status(200).is_some());
    }
}
