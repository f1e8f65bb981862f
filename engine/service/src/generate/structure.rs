//! The structure that `EchoStructure` sends and receives.

use crate::generate::person;
use crate::names::{COUNT, FIRST};
use crate::records::{Structure, TestStructureBean, UserDetails};

const TEXT: &str = "The quick brown fox jumps over the lazy dog again.";
/// 1 January 2007, in milliseconds since 1970.
const CREATED: i64 = 1_167_609_600_000;

/// The structure of size `n`.
#[must_use]
pub fn structure(n: usize) -> Structure {
    structure_from(0, n)
}

/// The same with its records counted from `start` instead of 0.
#[must_use]
pub fn structure_from(start: usize, n: usize) -> Structure {
    let every = start..start + n;
    Structure {
        text: TEXT.to_owned(),
        numbers: every.clone().map(|i| (i as i32).wrapping_mul(7919)).collect(),
        users: every.clone().map(user).collect(),
        beans: every.map(bean).collect(),
    }
}

fn user(i: usize) -> UserDetails {
    let user_name = format!("{}{i}", FIRST[i % COUNT].to_ascii_lowercase());
    let person = person(i);
    UserDetails {
        full_name: format!("{} {}", person.first_name, person.last_name),
        email: format!("{user_name}@example.org"),
        user_name,
        age: 18 + (i % 60) as i32,
        active: i.is_multiple_of(2),
        created: CREATED + i as i64 * 60_000,
    }
}

fn bean(i: usize) -> TestStructureBean {
    let id = i as i32;
    TestStructureBean {
        id,
        name: format!("bean{i}"),
        description: format!("A bean of the test structure, number {i}"),
        amount: f64::from(id) * 1.25,
        flag: i.is_multiple_of(3),
        related: vec![id, id + 1, id + 2],
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_text_has_fifty_characters() {
        assert_eq!(super::TEXT.len(), 50);
    }
}
