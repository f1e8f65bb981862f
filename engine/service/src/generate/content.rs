//! The values of `Send` and `EchoString`, by type and content.

use crate::call::Value;
use crate::generate::{SplitMix64, person};
use crate::names::COUNT;
use crate::records::{Octets, Person};

/// How a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Always the same value.
    Fixed,
    /// From a generator with this seed.
    Random(u64),
    /// Characters of the whole Basic Multilingual Plane, from a generator with this seed; for `string` and `char[]`.
    Bmp(u64),
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Text,
    Object,
}

impl Kind {
    /// The types with their names in the arguments.
    pub const ALL: [(Kind, &'static str); 10] = [
        (Kind::Boolean, "boolean"),
        (Kind::Byte, "byte"),
        (Kind::Char, "char"),
        (Kind::Short, "short"),
        (Kind::Int, "int"),
        (Kind::Long, "long"),
        (Kind::Float, "float"),
        (Kind::Double, "double"),
        (Kind::Text, "string"),
        (Kind::Object, "object"),
    ];

    #[must_use]
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.iter().find(|(_, its)| *its == name).map(|(kind, _)| *kind)
    }
}

const GREETING: &str = "Hello World";

/// The value of a `Send`: an array of `count` elements, or one value. `count` is the length of a scalar string; other scalars ignore it. None if the
/// type has no such content.
#[must_use]
pub fn value(kind: Kind, array: bool, content: Content, count: usize) -> Option<Value> {
    if let Content::Bmp(_) = content {
        return match (kind, array) {
            (Kind::Text, false) => Some(Value::Text(string(content, count))),
            (Kind::Char, true) => Some(Value::Chars(string(content, count).encode_utf16().collect())),
            _ => None,
        };
    }
    let mut source = Source::new(content);
    Some(if array { array_of(kind, &mut source, count) } else { scalar_of(kind, &mut source, content, count) })
}

/// A string of `count` characters: the value of `EchoString` and of a scalar `Send`.
#[must_use]
pub fn string(content: Content, count: usize) -> String {
    match content {
        Content::Fixed => "A".repeat(count),
        Content::Random(seed) => letters(&mut SplitMix64::new(seed), count),
        Content::Bmp(seed) => {
            let mut generator = SplitMix64::new(seed);
            (0..count).map(|_| plane_character(generator.draw(63_454) as u32)).collect()
        }
    }
}

/// Character `k` of those from U+0020 to U+FFFD that are not surrogates.
fn plane_character(k: u32) -> char {
    let code = if k < 55_264 { 0x20 + k } else { 0xE000 + (k - 55_264) };
    char::from_u32(code).expect("no surrogate is among them")
}

fn letters(generator: &mut SplitMix64, count: usize) -> String {
    (0..count).map(|_| char::from(65 + generator.draw(26) as u8)).collect()
}

/// Produces one element after another. Without a generator, it is always the fixed one.
struct Source(Option<SplitMix64>);

impl Source {
    fn new(content: Content) -> Self {
        match content {
            Content::Fixed => Source(None),
            Content::Random(seed) | Content::Bmp(seed) => Source(Some(SplitMix64::new(seed))),
        }
    }

    fn next<T>(&mut self, fixed: impl FnOnce() -> T, random: impl FnOnce(&mut SplitMix64) -> T) -> T {
        self.0.as_mut().map_or_else(fixed, random)
    }

    fn boolean(&mut self) -> bool {
        self.next(|| true, |from| from.next_word() & 1 == 1)
    }

    fn byte(&mut self) -> u8 {
        self.next(|| 42, |from| (from.next_word() >> 56) as u8)
    }

    fn char(&mut self) -> u16 {
        self.next(|| 65, |from| 65 + from.draw(26) as u16)
    }

    fn short(&mut self) -> i16 {
        self.next(|| 4242, |from| (from.next_word() >> 48) as i16)
    }

    fn int(&mut self) -> i32 {
        self.next(|| 42_424_242, |from| (from.next_word() >> 32) as i32)
    }

    fn long(&mut self) -> i64 {
        self.next(|| 4_242_424_242_424_242, |from| from.next_word() as i64)
    }

    fn float(&mut self) -> f32 {
        self.next(|| 42.25, |from| from.draw(1 << 24) as f32 / 256.0)
    }

    fn double(&mut self) -> f64 {
        self.next(|| 42.4242, |from| (from.next_word() >> 11) as f64 * 2_f64.powi(-53))
    }

    fn text(&mut self) -> String {
        self.next(|| GREETING.to_owned(), |from| letters(from, 8))
    }

    fn object(&mut self) -> Person {
        self.next(|| person(42), |from| person(from.draw(COUNT as u64) as usize))
    }
}

fn scalar_of(kind: Kind, source: &mut Source, content: Content, count: usize) -> Value {
    match kind {
        Kind::Boolean => Value::Boolean(source.boolean()),
        Kind::Byte => Value::Byte(source.byte()),
        Kind::Char => Value::Char(source.char()),
        Kind::Short => Value::Short(source.short()),
        Kind::Int => Value::Int(source.int()),
        Kind::Long => Value::Long(source.long()),
        Kind::Float => Value::Float(source.float()),
        Kind::Double => Value::Double(source.double()),
        Kind::Text => Value::Text(string(content, count)),
        Kind::Object => Value::Object(source.object().into()),
    }
}

fn array_of(kind: Kind, source: &mut Source, count: usize) -> Value {
    let every = 0..count;
    match kind {
        Kind::Boolean => Value::Booleans(every.map(|_| source.boolean()).collect()),
        Kind::Byte => Value::Bytes(Octets(every.map(|_| source.byte()).collect())),
        Kind::Char => Value::Chars(every.map(|_| source.char()).collect()),
        Kind::Short => Value::Shorts(every.map(|_| source.short()).collect()),
        Kind::Int => Value::Ints(every.map(|_| source.int()).collect()),
        Kind::Long => Value::Longs(every.map(|_| source.long()).collect()),
        Kind::Float => Value::Floats(every.map(|_| source.float()).collect()),
        Kind::Double => Value::Doubles(every.map(|_| source.double()).collect()),
        Kind::Text => Value::Texts(every.map(|_| source.text()).collect()),
        Kind::Object => Value::Objects(every.map(|_| source.object()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_string_has_as_many_characters_as_asked(count in 0_usize..500, seed: u64) {
            for content in [Content::Fixed, Content::Random(seed), Content::Bmp(seed)] {
                prop_assert_eq!(string(content, count).chars().count(), count);
            }
        }

        #[test]
        fn every_plane_character_is_one_unit_and_no_control(k in 0_u32..63_454) {
            let it = plane_character(k);
            prop_assert!(it.len_utf16() == 1 && it >= ' ');
        }
    }

    #[test]
    fn the_plane_ends_where_it_should() {
        let ends = [0, 55_263, 55_264, 63_453].map(|k| plane_character(k) as u32);
        assert_eq!(ends, [0x20, 0xD7FF, 0xE000, 0xFFFD]);
    }

    #[test]
    fn every_type_has_a_scalar_and_an_array() {
        for (kind, name) in Kind::ALL {
            for content in [Content::Fixed, Content::Random(1)] {
                let operations = [false, true].map(|array| value(kind, array, content, 3).expect(name).operation());
                assert_eq!(operations[1], format!("{}Array", operations[0]));
            }
        }
    }
}
