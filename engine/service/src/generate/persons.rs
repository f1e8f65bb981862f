//! Persons, generated from the two lists of names.

use crate::names::{COUNT, FIRST, LAST};
use crate::records::Person;

/// Person `index`.
#[must_use]
pub fn person(index: usize) -> Person {
    Person {
        id: index as i32,
        first_name: FIRST[index % COUNT].to_owned(),
        last_name: LAST[(index * 31 + index / COUNT + 7) % COUNT].to_owned(),
    }
}

/// The first `n` persons.
#[must_use]
pub fn persons(n: usize) -> Vec<Person> {
    persons_from(0, n)
}

/// `n` persons from person `start` on.
#[must_use]
pub fn persons_from(start: usize, n: usize) -> Vec<Person> {
    (start..start + n).map(person).collect()
}
