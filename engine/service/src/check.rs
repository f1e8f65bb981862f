//! The check made on every measured answer: constant in time, prepared once from the call.

use crate::call::{Answer, Call, Fill};
use crate::generate;
use crate::records::Person;
use crate::service::{LARGEST, MOST};

/// What the answer to one call must look like, as far as constant time allows to see.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The server must refuse: no answer is right.
    Refusal,
    Nothing,
    Number(i32),
    Persons {
        count: usize,
        last: Option<Person>,
    },
    Octets {
        length: usize,
        ends: Option<(u8, u8)>,
    },
    Structure {
        numbers: usize,
        users: usize,
        beans: usize,
        last_bean: Option<i32>,
    },
    /// The length in bytes of UTF-8.
    Echo {
        length: usize,
        last: Option<char>,
    },
    Greeting,
    Items {
        count: usize,
        last_id: Option<String>,
    },
}

impl Expectation {
    /// Works out the right answer, which may take long and much memory for a large one.
    #[must_use]
    pub fn of(call: &Call) -> Self {
        match call {
            Call::Empty | Call::Send(_) => Expectation::Nothing,
            Call::Sum { a, b } => Expectation::Number(a.wrapping_add(*b)),
            Call::GetPersons { n } | Call::FindItems { n } if !(0..=MOST).contains(n) => Expectation::Refusal,
            Call::GetPersons { n } => {
                let count = *n as usize;
                Expectation::Persons { count, last: count.checked_sub(1).map(generate::person) }
            }
            Call::GetBinaryData { size, fill } => octets(*size, fill),
            Call::EchoStructure(structure) => Expectation::Structure {
                numbers: structure.numbers.len(),
                users: structure.users.len(),
                beans: structure.beans.len(),
                last_bean: structure.beans.last().map(|bean| bean.id),
            },
            Call::EchoString(value) => Expectation::Echo { length: value.len(), last: value.chars().next_back() },
            Call::Hello => Expectation::Greeting,
            Call::FindItems { n } => {
                let count = *n as usize;
                Expectation::Items { count, last_id: generate::items(count).last().map(|item| item.item_id) }
            }
        }
    }

    /// Whether `answer` is right, as far as this sees.
    #[must_use]
    #[inline]
    pub fn holds(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Expectation::Nothing, Answer::Nothing) => true,
            (Expectation::Number(expected), Answer::Number(number)) => number == expected,
            (Expectation::Greeting, Answer::Text(text)) => text == "Hello World",
            (Expectation::Persons { count, last }, Answer::Persons(persons)) => persons.len() == *count && persons.last() == last.as_ref(),
            (Expectation::Octets { length, ends }, Answer::Octets(octets)) => octets.0.len() == *length && ends_of(&octets.0) == *ends,
            (Expectation::Structure { numbers, users, beans, last_bean }, Answer::Structure(it)) => {
                (it.numbers.len(), it.users.len(), it.beans.len()) == (*numbers, *users, *beans)
                    && it.beans.last().map(|bean| bean.id) == *last_bean
            }
            (Expectation::Echo { length, last }, Answer::Text(text)) => text.len() == *length && text.chars().next_back() == *last,
            (Expectation::Items { count, last_id }, Answer::Found(found)) => {
                let items = &found.search_result.item;
                items.len() == *count && items.last().map(|item| &item.item_id) == last_id.as_ref()
            }
            _ => false,
        }
    }
}

fn octets(size: i32, fill: &str) -> Expectation {
    let Some(fill) = Fill::named(fill) else { return Expectation::Refusal };
    if !(0..=LARGEST).contains(&size) {
        return Expectation::Refusal;
    }
    let bytes = generate::binary(size as usize, fill);
    Expectation::Octets { length: bytes.len(), ends: ends_of(&bytes) }
}

fn ends_of(bytes: &[u8]) -> Option<(u8, u8)> {
    Some((*bytes.first()?, *bytes.last()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Octets;

    #[test]
    fn a_wrong_answer_is_seen() {
        let three = Expectation::of(&Call::GetPersons { n: 3 });
        assert!(three.holds(&Answer::Persons(generate::persons(3))));
        assert!(!three.holds(&Answer::Persons(generate::persons(2))));
        assert!(!three.holds(&Answer::Persons(generate::persons_from(1, 3))));
        assert!(!three.holds(&Answer::Nothing));

        let echo = Expectation::of(&Call::EchoString("café".to_owned()));
        assert!(echo.holds(&Answer::Text("café".to_owned())));
        assert!(!echo.holds(&Answer::Text("cafè".to_owned())));
        assert!(!echo.holds(&Answer::Text("cafe".to_owned())));

        let binary = Expectation::of(&Call::GetBinaryData { size: 9, fill: "random".to_owned() });
        let mut bytes = generate::binary(9, Fill::Random);
        assert!(binary.holds(&Answer::Octets(Octets(bytes.clone()))));
        bytes[8] ^= 1;
        assert!(!binary.holds(&Answer::Octets(Octets(bytes))));

        let mut structure = generate::structure(4);
        let sent = Expectation::of(&Call::EchoStructure(structure.clone().into()));
        structure.beans[3].id += 1;
        assert!(!sent.holds(&Answer::Structure(structure.into())));
    }

    #[test]
    fn nothing_is_right_where_a_refusal_is_due() {
        for call in [Call::GetPersons { n: -1 }, Call::FindItems { n: 2_000_000 }, Call::GetBinaryData { size: 1, fill: "x".to_owned() }] {
            assert_eq!(Expectation::of(&call), Expectation::Refusal);
            assert!(!Expectation::of(&call).holds(&Answer::Nothing));
        }
    }
}
