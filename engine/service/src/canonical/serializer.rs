//! Turns any of the service's values into canonical JSON's kinds.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{self, Impossible, SerializeSeq, SerializeStruct, Serializer};
use serde_json::{Map, Value as Json};

/// A serializer whose result is the canonical tree.
pub(super) struct Canonical;

/// A value of a kind that the service does not have.
#[derive(Debug)]
pub(super) struct NoSuchKind(String);

impl Display for NoSuchKind {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for NoSuchKind {}

impl ser::Error for NoSuchKind {
    fn custom<T: Display>(message: T) -> Self {
        NoSuchKind(message.to_string())
    }
}

type Made = Result<Json, NoSuchKind>;

fn none(kind: &str) -> NoSuchKind {
    NoSuchKind(format!("canonical JSON has no {kind}"))
}

/// Kinds that become a JSON number.
macro_rules! numbers {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Made { Ok(Json::from(value)) })*
    };
}

impl Serializer for Canonical {
    type Ok = Json;
    type Error = NoSuchKind;
    type SerializeSeq = List;
    type SerializeTuple = Impossible<Json, NoSuchKind>;
    type SerializeTupleStruct = Impossible<Json, NoSuchKind>;
    type SerializeTupleVariant = Impossible<Json, NoSuchKind>;
    type SerializeMap = Impossible<Json, NoSuchKind>;
    type SerializeStruct = Record;
    type SerializeStructVariant = Impossible<Json, NoSuchKind>;

    numbers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32);

    fn serialize_bool(self, value: bool) -> Made {
        Ok(Json::Bool(value))
    }

    fn serialize_i64(self, value: i64) -> Made {
        Ok(Json::String(value.to_string()))
    }

    fn serialize_u64(self, value: u64) -> Made {
        Ok(Json::String(value.to_string()))
    }

    fn serialize_f32(self, value: f32) -> Made {
        Ok(Json::String(format!("0x{:08x}", value.to_bits())))
    }

    fn serialize_f64(self, value: f64) -> Made {
        Ok(Json::String(format!("0x{:016x}", value.to_bits())))
    }

    fn serialize_char(self, _: char) -> Made {
        Err(none("character"))
    }

    fn serialize_str(self, value: &str) -> Made {
        Ok(Json::String(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Made {
        Ok(super::digest_of_octets(value))
    }

    fn serialize_none(self) -> Made {
        Err(none("absent value outside of a record"))
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Made {
        Err(none("empty structure"))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Made {
        Err(none("enumeration"))
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Made {
        Err(none("enumeration"))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List, NoSuchKind> {
        Ok(List(Vec::with_capacity(length.unwrap_or_default())))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, NoSuchKind> {
        Err(none("tuple"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, NoSuchKind> {
        Err(none("tuple"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NoSuchKind> {
        Err(none("enumeration"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NoSuchKind> {
        Err(none("map"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Record, NoSuchKind> {
        Ok(Record(Map::new()))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NoSuchKind> {
        Err(none("enumeration"))
    }

    fn is_human_readable(&self) -> bool {
        // So that octets come as bytes and not as base64.
        false
    }
}

pub(super) struct List(Vec<Json>);

impl SerializeSeq for List {
    type Ok = Json;
    type Error = NoSuchKind;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), NoSuchKind> {
        self.0.push(value.serialize(Canonical)?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(Json::Array(self.0))
    }
}

pub(super) struct Record(Map<String, Json>);

impl SerializeStruct for Record {
    type Ok = Json;
    type Error = NoSuchKind;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), NoSuchKind> {
        self.0.insert(name.to_owned(), value.serialize(Canonical)?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(Json::Object(self.0))
    }
}
