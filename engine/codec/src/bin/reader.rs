//! Reads values of `BinMessage`. A length is refused if fewer bytes follow.

use callbench_own::any;
use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::trouble::Trouble;

/// What is left of a body.
pub struct Reader<'de>(pub &'de [u8]);

#[inline]
pub fn utf8(octets: &[u8]) -> Result<&str, Trouble> {
    std::str::from_utf8(octets).map_err(|_| Trouble::protocol("a string is not UTF-8"))
}

#[cold]
fn short() -> Trouble {
    Trouble::protocol("the message ends in the middle of a value")
}

#[cold]
fn another(expected: &str, found: &[u8]) -> Trouble {
    match utf8(found) {
        Ok(found) => Trouble::protocol(format!("a {expected} was expected, not a {}", found.chars().take(64).collect::<String>())),
        Err(trouble) => trouble,
    }
}

#[cold]
fn null(name: &str) -> Trouble {
    Trouble::protocol(format!("a {name} is null"))
}

#[cold]
fn negative(length: i32) -> Trouble {
    Trouble::protocol(format!("a length of {length}"))
}

#[cold]
fn left(behind: usize) -> Trouble {
    Trouble::protocol(format!("{behind} bytes are left behind the last value"))
}

impl<'de> Reader<'de> {
    #[inline]
    fn take(&mut self, length: usize) -> Result<&'de [u8], Trouble> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(short)?;
        self.0 = rest;
        Ok(taken)
    }

    #[inline]
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Trouble> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or_else(short)?;
        self.0 = rest;
        Ok(*taken)
    }

    #[inline]
    fn integer(&mut self) -> Result<i32, Trouble> {
        self.chunk().map(i32::from_le_bytes)
    }

    /// A length in bytes, or a count of elements, of which each has at least a byte.
    #[inline]
    fn length(&mut self) -> Result<usize, Trouble> {
        let claimed = self.integer()?;
        let length = usize::try_from(claimed).map_err(|_| negative(claimed))?;
        if length > self.0.len() { Err(short()) } else { Ok(length) }
    }

    #[inline]
    pub fn octets(&mut self) -> Result<&'de [u8], Trouble> {
        let length = self.length()?;
        self.take(length)
    }

    #[inline]
    pub fn text(&mut self) -> Result<&'de str, Trouble> {
        utf8(self.octets()?)
    }

    /// Whether what follows is there at all.
    #[inline]
    fn assigned(&mut self) -> Result<bool, Trouble> {
        match self.chunk()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(Trouble::protocol(format!("{other} says neither that a value is there nor that it is not"))),
        }
    }

    /// The count of an array; a null one has none.
    fn count(&mut self) -> Result<usize, Trouble> {
        if self.assigned()? { self.length() } else { Ok(0) }
    }

    /// After the last value.
    #[inline]
    pub fn end(&self) -> Result<(), Trouble> {
        if self.0.is_empty() { Ok(()) } else { Err(left(self.0.len())) }
    }
}

/// The parameters of a call: a struct without an assigned byte and a name. No bytes may follow it.
pub struct Parameters<'a, 'de>(pub &'a mut Reader<'de>);

impl<'de> Deserializer<'de> for Parameters<'_, 'de> {
    type Error = Trouble;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::protocol("parameters are read as a struct"))
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        let read = visitor.visit_seq(Parts { from: &mut *self.0, left: fields.len() })?;
        self.0.end()?;
        Ok(read)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// The remaining elements or fields.
struct Parts<'a, 'de> {
    from: &'a mut Reader<'de>,
    left: usize,
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de> {
    type Error = Trouble;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.from).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Parts<'_, 'de> {
    type Error = Trouble;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Trouble> {
        seed.deserialize(&mut *self.from)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

macro_rules! from_integer {
    ($($name:ident),*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> { visitor.visit_i32(self.integer()?) })*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Trouble;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::protocol("a BinMessage does not say what its values are"))
    }

    from_integer! { deserialize_u8, deserialize_u16, deserialize_i16, deserialize_i32 }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_bool(self.integer()? != 0)
    }

    #[inline]
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_i64(i64::from_le_bytes(self.chunk()?))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_f32(f64::from_le_bytes(self.chunk()?) as f32)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_f64(f64::from_le_bytes(self.chunk()?))
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_borrowed_str(self.text()?)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let octets = if self.assigned()? { self.octets()? } else { &[] };
        visitor.visit_borrowed_bytes(octets)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        match self.count()? {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            more => Err(Trouble::protocol(format!("an optional member is an array of none or one, not of {more}"))),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let left = self.count()?;
        visitor.visit_seq(Parts { from: self, left })
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        if !self.assigned()? {
            return Err(null(name));
        }
        // The correct name is compared as bytes, so only other names must be checked as UTF-8.
        let found = self.octets()?;
        if found != name.as_bytes() {
            return Err(another(name, found));
        }
        visitor.visit_seq(Parts { from: self, left: fields.len() })
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_i64(i64::from_le_bytes(self.chunk()?))
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_u64(u64::from_le_bytes(self.chunk()?))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let left = self.count()?;
        visitor.visit_map(Parts { from: self, left })
    }

    fn deserialize_enum<V: Visitor<'de>>(self, name: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        let place = u32::try_from(self.integer()?).map_err(|_| Trouble::protocol(format!("{name} has no negative place")))?;
        let place: U32Deserializer<Trouble> = place.into_deserializer();
        visitor.visit_enum(place)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Trouble> {
        if name == any::NAME { visitor.visit_str(self.text()?) } else { visitor.visit_newtype_struct(self) }
    }

    forward_to_deserialize_any! {
        i8 i128 u128 char bytes unit unit_struct tuple tuple_struct identifier ignored_any
    }
}
