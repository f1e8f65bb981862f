//! The answer of `GetBinaryData`.

use crate::call::Fill;
use crate::generate::SplitMix64;
use crate::names::{COUNT, FIRST};

/// The answer of the service. Each fill has its own seed.
#[must_use]
pub fn binary(size: usize, fill: Fill) -> Vec<u8> {
    let seed = match fill {
        Fill::Article => 1,
        Fill::Random => 2,
        Fill::Zero => 0,
        Fill::Text => 3,
    };
    binary_seeded(size, fill, seed)
}

/// The same with any seed. `zero` uses none.
#[must_use]
pub fn binary_seeded(size: usize, fill: Fill, seed: u64) -> Vec<u8> {
    let mut generator = SplitMix64::new(seed);
    match fill {
        Fill::Article => article(size / 4, &mut generator),
        Fill::Random => random(size, &mut generator),
        Fill::Zero => vec![0; size],
        Fill::Text => text(size, &mut generator),
    }
}

fn article(integers: usize, generator: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(integers * 4);
    for _ in 0..integers {
        bytes.extend_from_slice(&(generator.draw(integers as u64) as u32).to_le_bytes());
    }
    bytes
}

fn random(size: usize, generator: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        bytes.extend_from_slice(&generator.next_word().to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

fn text(size: usize, generator: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 16);
    while bytes.len() < size {
        bytes.extend_from_slice(FIRST[generator.draw(COUNT as u64) as usize].as_bytes());
        bytes.push(b' ');
    }
    bytes.truncate(size);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lengths_are_those_asked_for(size in 0_usize..5000) {
            prop_assert_eq!(binary(size, Fill::Article).len(), size / 4 * 4);
            for fill in [Fill::Random, Fill::Zero, Fill::Text] {
                prop_assert_eq!(binary(size, fill).len(), size);
            }
        }

        #[test]
        fn the_integers_of_the_article_are_below_their_count(size in 4_usize..5000) {
            let count = (size / 4) as u32;
            let bytes = binary(size, Fill::Article);
            prop_assert!(bytes.chunks_exact(4).all(|four| u32::from_le_bytes(four.try_into().expect("four bytes")) < count));
        }

        #[test]
        fn a_shorter_text_begins_a_longer_one(size in 0_usize..2000, more in 0_usize..100) {
            prop_assert!(binary(size + more, Fill::Text).starts_with(&binary(size, Fill::Text)));
        }
    }
}
