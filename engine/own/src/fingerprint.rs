//! A number by which a request is found among many: of what is long it takes the length and the ends, so that it costs little.

use std::collections::BTreeMap;

use prost_types::Value;
use prost_types::value::Kind;

pub trait Fingerprint {
    /// The mark of what came before and of this. Requests that differ in the middle of what is long may share one.
    fn fingerprint(&self, before: u64) -> u64;
}

/// The finalizer of `SplitMix64`: <https://prng.di.unimi.it/splitmix64.c>.
#[inline]
fn mixed(before: u64, with: u64) -> u64 {
    let mut mark = (before ^ with).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mark = (mark ^ (mark >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mark = (mark ^ (mark >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mark ^ (mark >> 31)
}

macro_rules! unsigned {
    ($($type:ty),*) => {
        $(impl Fingerprint for $type {
            #[inline]
            fn fingerprint(&self, before: u64) -> u64 {
                mixed(before, u64::from(*self))
            }
        })*
    };
}
unsigned!(bool, u8, u32, u64);

macro_rules! signed {
    ($($type:ty),*) => {
        $(impl Fingerprint for $type {
            #[inline]
            fn fingerprint(&self, before: u64) -> u64 {
                mixed(before, i64::from(*self).cast_unsigned())
            }
        })*
    };
}
signed!(i32, i64);

impl Fingerprint for f32 {
    #[inline]
    fn fingerprint(&self, before: u64) -> u64 {
        mixed(before, u64::from(self.to_bits()))
    }
}

impl Fingerprint for f64 {
    #[inline]
    fn fingerprint(&self, before: u64) -> u64 {
        mixed(before, self.to_bits())
    }
}

impl Fingerprint for String {
    fn fingerprint(&self, before: u64) -> u64 {
        let (bytes, mark) = (self.as_bytes(), mixed(before, self.len() as u64));
        match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(first), Some(last)) => mixed(mixed(mark, u64::from_le_bytes(*first)), u64::from_le_bytes(*last)),
            _ => bytes.iter().fold(mark, |mark, byte| mixed(mark, u64::from(*byte))),
        }
    }
}

impl<T: Fingerprint> Fingerprint for Vec<T> {
    fn fingerprint(&self, before: u64) -> u64 {
        let mark = mixed(before, self.len() as u64);
        let (Some(first), Some(last)) = (self.first(), self.last()) else { return mark };
        last.fingerprint(first.fingerprint(mark))
    }
}

impl<T: Fingerprint> Fingerprint for Option<T> {
    fn fingerprint(&self, before: u64) -> u64 {
        self.as_ref().map_or_else(|| mixed(before, 0), |value| value.fingerprint(mixed(before, 1)))
    }
}

impl<T: Fingerprint> Fingerprint for Box<T> {
    fn fingerprint(&self, before: u64) -> u64 {
        (**self).fingerprint(before)
    }
}

impl<K: Fingerprint + Ord, V: Fingerprint> Fingerprint for BTreeMap<K, V> {
    fn fingerprint(&self, before: u64) -> u64 {
        let mark = mixed(before, self.len() as u64);
        self.last_key_value().map_or(mark, |(key, value)| value.fingerprint(key.fingerprint(mark)))
    }
}

impl Fingerprint for Value {
    fn fingerprint(&self, before: u64) -> u64 {
        match &self.kind {
            None | Some(Kind::NullValue(_)) => mixed(before, 2),
            Some(Kind::NumberValue(number)) => number.fingerprint(before),
            Some(Kind::StringValue(text)) => text.fingerprint(before),
            Some(Kind::BoolValue(truth)) => truth.fingerprint(before),
            Some(Kind::StructValue(members)) => members.fields.fingerprint(before),
            Some(Kind::ListValue(list)) => list.values.fingerprint(before),
        }
    }
}
