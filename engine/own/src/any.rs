//! Any JSON value: `google.protobuf.Value` in memory and in Protocol Buffers.
//!
//! A format that says what its values are has it as such. One that must know beforehand has the JSON as text: its serializer asks `text`
//! when it is given a newtype struct, and its deserializer gives the visitor of one a string.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_with::{DeserializeAs, SerializeAs};

/// The name of the newtype struct that holds any value.
pub const NAME: &str = "callbench::Any";

/// From here on a double does not hold every whole number.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// The null of JSON, as a text that its serializer does not look into: it takes a null for a number that JSON does not have.
static NULL: LazyLock<Option<Box<RawValue>>> = LazyLock::new(|| RawValue::from_string("null".to_owned()).ok());

/// The JSON of a value, if `name` is that of any value.
pub fn text<T: Serialize + ?Sized>(name: &str, value: &T) -> Option<String> {
    (name == NAME).then(|| serde_json::to_string(value).unwrap_or_default())
}

/// The form of a field that holds any value.
pub struct Any;

impl SerializeAs<Value> for Any {
    fn serialize_as<S: Serializer>(value: &Value, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_newtype_struct(NAME, &Written(value))
    }
}

impl<'de> DeserializeAs<'de, Value> for Any {
    fn deserialize_as<D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Value;
            fn expecting(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
                to.write_str("any value")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
                Read::deserialize(from).map(|it| it.0)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
                serde_json::from_str::<Read>(text).map(|it| it.0).map_err(E::custom)
            }
        }
        from.deserialize_newtype_struct(NAME, Visit)
    }
}

/// Null, as every format has it.
pub fn null<S: Serializer>(to: S) -> Result<S::Ok, S::Error> {
    match &*NULL {
        Some(null) if to.is_human_readable() => null.serialize(to),
        _ => to.serialize_none(),
    }
}

/// Whether a whole number is the same: -0.0 has none.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < WHOLE && number.to_bits() != (-0.0_f64).to_bits()
}

struct Written<'a>(&'a Value);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => null(to),
            Some(Kind::NumberValue(number)) if is_whole(*number) => to.serialize_i64(*number as i64),
            Some(Kind::NumberValue(number)) => to.serialize_f64(*number),
            Some(Kind::StringValue(text)) => to.serialize_str(text),
            Some(Kind::BoolValue(truth)) => to.serialize_bool(*truth),
            Some(Kind::StructValue(members)) => to.collect_map(members.fields.iter().map(|(name, value)| (name, Written(value)))),
            Some(Kind::ListValue(list)) => to.collect_seq(list.values.iter().map(Written)),
        }
    }
}

struct Read(Value);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ReadVisitor)
    }
}

struct ReadVisitor;

fn read(kind: Kind) -> Read {
    Read(Value { kind: Some(kind) })
}

impl<'de> Visitor<'de> for ReadVisitor {
    type Value = Read;

    fn expecting(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        to.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Read, E> {
        Ok(read(Kind::NullValue(0)))
    }

    fn visit_none<E: de::Error>(self) -> Result<Read, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Read, D::Error> {
        Read::deserialize(from)
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Read, E> {
        Ok(read(Kind::BoolValue(truth)))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Read, E> {
        Ok(read(Kind::NumberValue(number as f64)))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Read, E> {
        Ok(read(Kind::NumberValue(number as f64)))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Read, E> {
        Ok(read(Kind::NumberValue(number)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Read, E> {
        Ok(read(Kind::StringValue(text.to_owned())))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Read, E> {
        Ok(read(Kind::StringValue(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Read, A::Error> {
        let mut values = Vec::new();
        while let Some(Read(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(read(Kind::ListValue(ListValue { values })))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Read, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((name, Read(value))) = members.next_entry::<String, Read>()? {
            fields.insert(name, value);
        }
        Ok(read(Kind::StructValue(Struct { fields })))
    }
}

/// Null: what a field holds that is left out.
#[must_use]
pub fn empty() -> Value {
    Value { kind: Some(Kind::NullValue(0)) }
}
