//! Which bytes of a stream have been seen.

use std::collections::BTreeMap;

/// Ranges of positions that neither touch nor overlap. A stream without gaps is one range.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// End by start.
    ends: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Adds `start..end`. Returns how many of these positions are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        if start >= end {
            return 0;
        }
        let (mut from, mut to, mut known) = (start, end, 0);
        while let Some((&low, &high)) = self.ends.range(..=to).next_back() {
            if high < from {
                break;
            }
            known += high.min(end).saturating_sub(low.max(start));
            self.ends.remove(&low);
            from = from.min(low);
            to = to.max(high);
        }
        self.ends.insert(from, to);
        end - start - known
    }

    /// How many separate ranges there are.
    #[cfg(test)]
    pub fn pieces(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_only_what_is_new() {
        let mut ranges = Ranges::default();
        assert_eq!(ranges.insert(10, 20), 10);
        assert_eq!(ranges.insert(10, 20), 0);
        assert_eq!(ranges.insert(30, 40), 10);
        assert_eq!(ranges.pieces(), 2);
        assert_eq!(ranges.insert(15, 35), 10);
        assert_eq!(ranges.pieces(), 1);
        assert_eq!(ranges.insert(5, 5), 0);
        assert_eq!(ranges.insert(0, 100), 70);
    }

    proptest! {
        #[test]
        fn agrees_with_a_set(pieces in prop::collection::vec((0_u64..60, 0_u64..30), 0..40)) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (start, length) in pieces {
                let new = (start..start + length).filter(|&position| set.insert(position)).count() as u64;
                prop_assert_eq!(ranges.insert(start, start + length), new);
            }
        }
    }
}
