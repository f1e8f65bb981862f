//! The two lists of names, from which persons, users and text are generated.

use std::sync::LazyLock;

/// How many names each list has.
pub const COUNT: usize = 256;

/// `contract/names/first.txt`, in its order.
pub static FIRST: LazyLock<[&'static str; COUNT]> = LazyLock::new(|| lines(include_str!("../../../contract/names/first.txt")));

/// `contract/names/last.txt`, in its order.
pub static LAST: LazyLock<[&'static str; COUNT]> = LazyLock::new(|| lines(include_str!("../../../contract/names/last.txt")));

fn lines(text: &'static str) -> [&'static str; COUNT] {
    let all: Vec<&str> = text.lines().collect();
    all.try_into().unwrap_or_else(|all: Vec<&str>| panic!("a list of names has {} lines instead of {COUNT}", all.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_plain_ascii() {
        for name in FIRST.iter().chain(LAST.iter()) {
            assert!(!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic()), "{name:?}");
        }
    }
}
