//! Values that are wrong in their last field alone, to see whether a check looks at it.

use std::collections::BTreeMap;

use prost_types::Value;
use prost_types::value::Kind;

pub trait Altered {
    /// Changes the last part of the value. Its lengths stay. False where there is nothing to change.
    fn alter(&mut self) -> bool;
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl Altered for $type {
            fn alter(&mut self) -> bool {
                *self = self.wrapping_add(1);
                true
            }
        })*
    };
}
numbers!(u8, i32, i64, u32, u64);

impl Altered for bool {
    fn alter(&mut self) -> bool {
        *self = !*self;
        true
    }
}

impl Altered for f32 {
    fn alter(&mut self) -> bool {
        *self = f32::from_bits(self.to_bits() ^ 1);
        true
    }
}

impl Altered for f64 {
    fn alter(&mut self) -> bool {
        *self = f64::from_bits(self.to_bits() ^ 1);
        true
    }
}

impl Altered for String {
    fn alter(&mut self) -> bool {
        let Some(last) = self.pop() else { return false };
        // One of as many bytes.
        let other = match last.len_utf8() {
            1 => ['x', 'y'],
            2 => ['é', 'ü'],
            3 => ['€', '√'],
            _ => ['😀', '😁'],
        };
        self.push(other[usize::from(last == other[0])]);
        true
    }
}

impl<T: Altered> Altered for Vec<T> {
    fn alter(&mut self) -> bool {
        self.last_mut().is_some_and(Altered::alter)
    }
}

impl<T: Altered> Altered for Option<T> {
    fn alter(&mut self) -> bool {
        self.as_mut().is_some_and(Altered::alter)
    }
}

impl<T: Altered> Altered for Box<T> {
    fn alter(&mut self) -> bool {
        (**self).alter()
    }
}

impl<K: Ord, V: Altered> Altered for BTreeMap<K, V> {
    fn alter(&mut self) -> bool {
        self.last_entry().is_some_and(|mut entry| entry.get_mut().alter())
    }
}

impl Altered for Value {
    fn alter(&mut self) -> bool {
        match &mut self.kind {
            Some(Kind::NumberValue(number)) => number.alter(),
            Some(Kind::StringValue(text)) => text.alter(),
            Some(Kind::BoolValue(truth)) => truth.alter(),
            Some(Kind::StructValue(members)) => members.fields.alter(),
            Some(Kind::ListValue(list)) => list.values.alter(),
            Some(Kind::NullValue(_)) | None => false,
        }
    }
}
