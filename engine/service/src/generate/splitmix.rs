//! The random generator for all data: `SplitMix64`.

/// `SplitMix64` by Steele, Lea and Flood. Its state is one word.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next 64 bits.
    pub fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `below`, which must be from 1 to 2^32.
    pub fn draw(&mut self, below: u64) -> u64 {
        debug_assert!((1..=1 << 32).contains(&below));
        ((self.next_word() >> 32) * below) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The published test vector of the reference implementation, for seed 1234567.
    #[test]
    fn gives_the_published_vector() {
        let mut generator = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for value in expected {
            assert_eq!(generator.next_word(), value);
        }
    }

    proptest! {
        #[test]
        fn a_draw_is_below_its_bound(seed: u64, below in 1..=1_u64 << 32) {
            prop_assert!(SplitMix64::new(seed).draw(below) < below);
        }
    }
}
