//! The log-linear histogram of the contract: constant memory, a few nanoseconds per record, relative error at most 1/128.

use serde::{Deserialize, Serialize};

/// Buckets per octave, as a power of two.
const BITS: u32 = 7;
/// Larger values count in the last bucket: 2^42 ns are 73 minutes.
const END: u64 = 1 << 42;
/// The number of buckets of all values below `END`.
const BUCKETS: usize = index(END - 1) + 1;

/// Buckets and how many values each has, indices rising.
pub type Counts = Vec<(usize, u64)>;

/// Times in nanoseconds: exact count, sum, minimum and maximum, and buckets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    buckets: Box<[u64; BUCKETS]>,
    sum: u64,
    least: u64,
    greatest: u64,
}

/// The bucket of a value below `END`.
const fn index(value: u64) -> usize {
    if value < 1 << BITS {
        return value as usize;
    }
    let octave = value.ilog2();
    (((octave - BITS + 1) as usize) << BITS) + (value >> (octave - BITS)) as usize - (1 << BITS)
}

/// The smallest value of a bucket.
const fn lower_bound(index: usize) -> u64 {
    if index < 1 << BITS {
        return index as u64;
    }
    let above = (index >> BITS) as u32 - 1;
    ((1 << BITS) + (index as u64 & ((1 << BITS) - 1))) << above
}

/// Allocated on the heap directly, because it is too large for the stack.
fn zeros() -> Box<[u64; BUCKETS]> {
    vec![0; BUCKETS].into_boxed_slice().try_into().expect("as many as were made")
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { buckets: zeros(), sum: 0, least: u64::MAX, greatest: 0 }
    }
}

impl Histogram {
    /// Records a time of `value` nanoseconds.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.buckets[index(value.min(END - 1))] += 1;
        self.sum += value;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    pub fn merge(&mut self, other: &Histogram) {
        for (mine, its) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *mine += its;
        }
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// What was recorded since `earlier`, which was a state of this one.
    #[must_use]
    pub fn since(&self, earlier: &Histogram) -> Counts {
        let both = self.buckets.iter().zip(earlier.buckets.iter()).enumerate();
        both.filter(|(_, (now, then))| now > then).map(|(index, (now, then))| (index, now - then)).collect()
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    #[must_use]
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The lower bound of the bucket that contains the quantile `part`. None if nothing was recorded.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<u64> {
        let count = self.count();
        let rank = ((count as f64 * part).ceil() as u64).clamp(1, count.max(1));
        let mut passed = 0;
        self.buckets
            .iter()
            .position(|its| {
                passed += its;
                passed >= rank
            })
            .map(lower_bound)
    }

    /// The form of the contract.
    #[must_use]
    pub fn sparse(&self) -> Sparse {
        let filled = self.buckets.iter().enumerate().filter(|(_, count)| **count > 0);
        let count = self.count();
        Sparse {
            count,
            sum_ns: self.sum.to_string(),
            min_ns: if count == 0 { 0 } else { self.least },
            max_ns: self.greatest,
            buckets: filled.map(|(index, count)| (index, *count)).collect(),
        }
    }
}

/// HISTOGRAM of the contract.
#[derive(Debug, Deserialize, Serialize)]
pub struct Sparse {
    pub count: u64,
    pub sum_ns: String,
    pub min_ns: u64,
    pub max_ns: u64,
    pub buckets: Vec<(usize, u64)>,
}

impl Sparse {
    /// What is wrong with a histogram of another program, as part of a sentence. None if it is consistent.
    #[must_use]
    pub fn wrong(&self) -> Option<String> {
        let counted: u64 = self.buckets.iter().map(|(_, count)| count).sum();
        if counted != self.count {
            return Some(format!("its buckets hold {counted} values and its count is {}", self.count));
        }
        if !self.buckets.is_sorted_by(|one, next| one.0 < next.0) || self.buckets.iter().any(|(bucket, _)| *bucket >= BUCKETS) {
            return Some(format!("its buckets are not in rising order, or one is beyond the last, {}", BUCKETS - 1));
        }
        let ends = [self.buckets.first(), self.buckets.last()].map(|it| it.map(|(bucket, _)| *bucket));
        let found = [self.min_ns, self.max_ns].map(|value| (self.count > 0).then(|| index(value.min(END - 1))));
        (ends != found).then(|| format!("its least and greatest values, {} and {} ns, lie in other buckets", self.min_ns, self.max_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        for value in values {
            histogram.record(*value);
        }
        histogram
    }

    /// Computed by hand from the contract's formula.
    #[test]
    fn buckets_are_those_of_the_contract() {
        let expected =
            [(0, 0), (127, 127), (128, 128), (255, 255), (256, 256), (257, 256), (258, 257), (511, 383), (512, 384), (1000, 506)];
        for (value, bucket) in expected {
            assert_eq!(index(value), bucket, "{value}");
        }
        assert_eq!(BUCKETS, 128 * 36);
    }

    #[test]
    fn a_bucket_ends_where_the_next_begins() {
        for bucket in 0..BUCKETS {
            assert_eq!(index(lower_bound(bucket)), bucket);
            if bucket > 0 {
                assert_eq!(index(lower_bound(bucket) - 1), bucket - 1);
            }
        }
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        let text = serde_json::to_string(&of(&[]).sparse()).expect("JSON");
        assert_eq!(text, r#"{"count":0,"sum_ns":"0","min_ns":0,"max_ns":0,"buckets":[]}"#);
        assert_eq!(of(&[]).quantile(0.5), None);
    }

    #[test]
    fn one_that_does_not_agree_with_itself_is_seen() {
        let good = || of(&[5, 1000, 1000]).sparse();
        assert_eq!(good().wrong(), None);
        assert_eq!(of(&[]).sparse().wrong(), None);
        assert!(Sparse { count: 4, ..good() }.wrong().is_some_and(|it| it.contains("hold 3 values and its count is 4")));
        assert!(Sparse { max_ns: 2000, ..good() }.wrong().is_some());
        assert!(Sparse { buckets: vec![(506, 2), (5, 1)], ..good() }.wrong().is_some());
        assert!(Sparse { buckets: vec![(5, 1), (BUCKETS, 2)], ..good() }.wrong().is_some());
    }

    #[test]
    fn values_beyond_the_end_count_in_the_last_bucket_and_stay_exact_in_the_rest() {
        let sparse = of(&[END + 5, 1]).sparse();
        assert_eq!(sparse.buckets, [(1, 1), (BUCKETS - 1, 1)]);
        assert_eq!((sparse.max_ns, sparse.sum_ns), (END + 5, (END + 6).to_string()));
    }

    #[test]
    fn what_was_recorded_since_an_earlier_state_is_what_was_added() {
        let mut histogram = of(&[5, 1000]);
        let earlier = histogram.clone();
        assert_eq!(histogram.since(&earlier), []);
        for value in [5, 7, 1000] {
            histogram.record(value);
        }
        assert_eq!(histogram.since(&earlier), [(5, 1), (7, 1), (index(1000), 1)]);
    }

    proptest! {
        #[test]
        fn a_bucket_tells_its_value_within_a_128th(value in 0..END) {
            let low = lower_bound(index(value));
            prop_assert!(low <= value && (value - low) * 128 <= value);
        }

        #[test]
        fn count_sum_least_and_greatest_are_exact(values in prop::collection::vec(0_u64..1 << 45, 1..200)) {
            let sparse = of(&values).sparse();
            prop_assert_eq!(sparse.count, values.len() as u64);
            prop_assert_eq!(sparse.sum_ns, values.iter().sum::<u64>().to_string());
            prop_assert_eq!(Some(sparse.min_ns), values.iter().copied().min());
            prop_assert_eq!(Some(sparse.max_ns), values.iter().copied().max());
            prop_assert!(sparse.buckets.is_sorted_by(|one, next| one.0 < next.0));
        }

        #[test]
        fn merging_is_recording_all(one in prop::collection::vec(any::<u32>(), 0..50), other in prop::collection::vec(any::<u32>(), 0..50)) {
            let [one, other] = [one, other].map(|values| values.into_iter().map(u64::from).collect::<Vec<_>>());
            let mut merged = of(&one);
            merged.merge(&of(&other));
            prop_assert_eq!(merged, of(&[one, other].concat()));
        }

        #[test]
        fn a_quantile_is_the_bucket_of_the_ranked_value(mut values in prop::collection::vec(0_u64..1 << 40, 1..100), part in 0.0..=1.0_f64) {
            let histogram = of(&values);
            values.sort_unstable();
            let rank = ((values.len() as f64 * part).ceil() as usize).max(1);
            prop_assert_eq!(histogram.quantile(part), Some(lower_bound(index(values[rank - 1]))));
        }
    }
}
