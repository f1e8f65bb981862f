//! Whether two values are the same, as far as constant time allows to see: every member of a record, and of what is long some elements.

use std::collections::BTreeMap;

use prost_types::Value;

/// Texts up to so many bytes are compared as a whole.
const WHOLE: usize = 64;

pub trait Same {
    /// `turn` says which elements of what is long are looked at.
    fn same(&self, found: &Self, turn: u64) -> bool;
}

/// Values of which there is but one.
macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Same for $type {
            #[inline]
            fn same(&self, found: &Self, _: u64) -> bool {
                self == found
            }
        })*
    };
}
plain!(bool, u8, i32, i64, u32, u64);

impl Same for f32 {
    #[inline]
    fn same(&self, found: &Self, _: u64) -> bool {
        self.to_bits() == found.to_bits()
    }
}

impl Same for f64 {
    #[inline]
    fn same(&self, found: &Self, _: u64) -> bool {
        self.to_bits() == found.to_bits()
    }
}

impl Same for String {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        let (right, found) = (self.as_bytes(), found.as_bytes());
        if right.len() <= WHOLE {
            return right == found;
        }
        let (length, place) = (right.len(), place(turn, right.len()));
        // A character has at most four bytes.
        length == found.len() && right[length - 4..] == found[length - 4..] && right[place] == found[place]
    }
}

impl<T: Same> Same for Vec<T> {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        let Some(last) = self.len().checked_sub(1) else { return found.is_empty() };
        let place = place(turn, self.len());
        self.len() == found.len() && self[last].same(&found[last], turn) && self[place].same(&found[place], turn)
    }
}

impl<T: Same> Same for Option<T> {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        match (self, found) {
            (None, None) => true,
            (Some(right), Some(found)) => right.same(found, turn),
            _ => false,
        }
    }
}

impl<T: Same> Same for Box<T> {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        (**self).same(found, turn)
    }
}

impl<K: Ord, V: Same> Same for BTreeMap<K, V> {
    fn same(&self, found: &Self, turn: u64) -> bool {
        self.len() == found.len()
            && match (self.last_key_value(), found.last_key_value()) {
                (Some((key, right)), Some((other, found))) => key == other && right.same(found, turn),
                (None, None) => true,
                _ => false,
            }
            && match (self.first_key_value(), found.first_key_value()) {
                (Some((key, right)), Some((other, found))) => key == other && right.same(found, turn),
                _ => true,
            }
    }
}

/// A value without a type is as long as its sender likes: it is compared as a whole.
impl Same for Value {
    fn same(&self, found: &Self, _: u64) -> bool {
        self == found
    }
}

/// The element that a turn looks at.
#[inline]
fn place(turn: u64, length: usize) -> usize {
    (turn % length as u64) as usize
}

/// Records, all their members. A member that is missing here does not compile.
#[macro_export]
macro_rules! same {
    ($($record:ident { $($field:ident),* $(,)? })*) => {
        $(impl $crate::same::Same for $record {
            fn same(&self, found: &Self, turn: u64) -> bool {
                let $record { $($field),* } = self;
                let _ = (found, turn);
                true $(&& $crate::same::Same::same($field, &found.$field, turn))*
            }
        })*
    };
}

/// What generated code does with a record: `same`, `Altered` and `Fingerprint`.
#[macro_export]
macro_rules! record {
    ($record:ident { $($field:ident),* $(,)? }) => {
        $crate::same! { $record { $($field),* } }
        $crate::record!(@altered $record [$($field),*] []);
        impl $crate::fingerprint::Fingerprint for $record {
            fn fingerprint(&self, before: u64) -> u64 {
                let mark = before;
                $(let mark = $crate::fingerprint::Fingerprint::fingerprint(&self.$field, mark);)*
                mark
            }
        }
    };
    // Fields are altered from the last one on: the list is turned round.
    (@altered $record:ident [$first:ident $(, $rest:ident)*] [$($turned:ident),*]) => {
        $crate::record!(@altered $record [$($rest),*] [$first $(, $turned)*]);
    };
    (@altered $record:ident [] [$($field:ident),*]) => {
        impl $crate::altered::Altered for $record {
            fn alter(&mut self) -> bool {
                false $(|| $crate::altered::Altered::alter(&mut self.$field))*
            }
        }
    };
}
