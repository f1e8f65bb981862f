//! Reads plain values into the service's types. The types are known, so a number may also be a decimal string, and the other way round.

use serde::de::value::{Error, SeqDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value as Json, map};

use super::units;

/// A deserializer of one plain value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub &'a Json);

/// An error message with the value that was found.
fn wrong(found: &Json, right: &str) -> Error {
    let shown: String = found.to_string().chars().take(64).collect();
    Error::custom(format_args!("{shown} is not {right}"))
}

impl Reader<'_> {
    fn whole(self) -> Result<i64, Error> {
        let number = self.0.as_i64().or_else(|| self.0.as_str().and_then(|digits| digits.parse().ok()));
        number.ok_or_else(|| wrong(self.0, "a whole number"))
    }

    fn text(self) -> Result<String, Error> {
        if let Some(text) = self.0.as_str() {
            return Ok(text.to_owned());
        }
        let units = units::of(self.0).ok_or_else(|| wrong(self.0, "a string"))?;
        String::from_utf16(&units).map_err(|_| Error::custom("it holds a surrogate without its partner"))
    }
}

/// Integers. Their types refuse values out of range.
macro_rules! whole {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> { visitor.visit_i64(self.whole()?) })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Error;

    whole!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(wrong(self.0, "of a type that the service has"))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.0.as_bool().ok_or_else(|| wrong(self.0, "true or false"))?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::String(spelt) => visitor.visit_f32(number(self.0, spelt)?),
            other => visitor.visit_f64(other.as_f64().ok_or_else(|| wrong(other, "a number"))?),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::String(spelt) => visitor.visit_f64(number(self.0, spelt)?),
            other => visitor.visit_f64(other.as_f64().ok_or_else(|| wrong(other, "a number"))?),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let list = self.0.as_array().ok_or_else(|| wrong(self.0, "a list"))?;
        visitor.visit_seq(SeqDeserializer::new(list.iter().map(Reader)))
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let members = self.0.as_object().ok_or_else(|| wrong(self.0, "a record"))?;
        visitor.visit_map(Members::of(members))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        char bytes byte_buf unit unit_struct tuple tuple_struct map enum i128 u128
    }
}

impl IntoDeserializer<'_, Error> for Reader<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A number in a string: decimal, or one that JSON cannot represent as a number.
fn number<T: std::str::FromStr>(found: &Json, spelt: &str) -> Result<T, Error> {
    let plain = matches!(spelt, "NaN" | "Infinity" | "-Infinity") || spelt.bytes().all(|byte| b"+-.0123456789eE".contains(&byte));
    plain.then(|| spelt.parse().ok()).flatten().ok_or_else(|| wrong(found, "a number"))
}

/// The members of a record. A member that is `null` counts as absent.
struct Members<'a> {
    left: map::Iter<'a>,
    value: Option<&'a Json>,
}

impl<'a> Members<'a> {
    fn of(members: &'a Map<String, Json>) -> Self {
        Members { left: members.iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.left.find(|(_, value)| !value.is_null()) else { return Ok(None) };
        self.value = Some(value);
        let name: de::value::StrDeserializer<'_, Error> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let value = self.value.take().ok_or_else(|| Error::custom("a value is asked for before its name"))?;
        seed.deserialize(Reader(value))
    }
}
