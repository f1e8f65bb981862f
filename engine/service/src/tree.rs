//! Converts the service's values to JSON. A dialect defines what JSON leaves open.

use std::fmt::Display;
use std::marker::PhantomData;

use serde::Serialize;
use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use serde_json::{Map, Value as Json};

use crate::call::{Answer, Call};

/// The parts of the JSON form that differ between dialects.
pub(crate) trait Dialect {
    fn float(value: f32) -> Json;
    fn double(value: f64) -> Json;
    fn octets(value: &[u8]) -> Json;
}

/// The value as JSON in the dialect `D`.
pub(crate) fn of<D: Dialect>(value: &impl Serialize) -> Json {
    made(value.serialize(Tree::<D>::new()))
}

/// The parameters of a call as JSON in the dialect `D`.
pub(crate) fn parameters<D: Dialect>(call: &Call) -> Json {
    made(call.encode(Tree::<D>::new()))
}

/// An answer as JSON in the dialect `D`. No value is `null`.
pub(crate) fn answer<D: Dialect>(answer: &Answer) -> Json {
    made(answer.encode(Tree::<D>::new()))
}

fn made(tree: Made) -> Json {
    tree.expect("the service's values have only kinds that JSON has")
}

/// A serializer that produces JSON.
struct Tree<D>(PhantomData<D>);

impl<D> Tree<D> {
    fn new() -> Self {
        Tree(PhantomData)
    }
}

/// A value of a kind that the service does not use.
#[derive(Debug)]
struct NoSuchKind(String);

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
    NoSuchKind(format!("a tree of JSON has no {kind}"))
}

/// Kinds that become a JSON number.
macro_rules! numbers {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Made { Ok(Json::from(value)) })*
    };
}

impl<D: Dialect> Serializer for Tree<D> {
    type Ok = Json;
    type Error = NoSuchKind;
    type SerializeSeq = List<D>;
    type SerializeTuple = Impossible<Json, NoSuchKind>;
    type SerializeTupleStruct = Impossible<Json, NoSuchKind>;
    type SerializeTupleVariant = Impossible<Json, NoSuchKind>;
    type SerializeMap = Entries<D>;
    type SerializeStruct = Record<D>;
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
        Ok(D::float(value))
    }

    fn serialize_f64(self, value: f64) -> Made {
        Ok(D::double(value))
    }

    fn serialize_char(self, _: char) -> Made {
        Err(none("character"))
    }

    fn serialize_str(self, value: &str) -> Made {
        Ok(Json::String(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Made {
        Ok(D::octets(value))
    }

    fn serialize_none(self) -> Made {
        Ok(Json::Null)
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

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Made {
        Ok(Json::String(name.to_owned()))
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Made {
        Err(none("enumeration"))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List<D>, NoSuchKind> {
        Ok(List(Vec::with_capacity(length.unwrap_or_default()), PhantomData))
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

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<D>, NoSuchKind> {
        Ok(Entries { members: Map::new(), key: String::new(), dialect: PhantomData })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Record<D>, NoSuchKind> {
        Ok(Record(Map::new(), PhantomData))
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
        // Byte arrays are passed as bytes, and the dialect writes them.
        false
    }
}

struct List<D>(Vec<Json>, PhantomData<D>);

impl<D: Dialect> SerializeSeq for List<D> {
    type Ok = Json;
    type Error = NoSuchKind;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), NoSuchKind> {
        self.0.push(value.serialize(Tree::<D>::new())?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(Json::Array(self.0))
    }
}

struct Record<D>(Map<String, Json>, PhantomData<D>);

impl<D: Dialect> SerializeStruct for Record<D> {
    type Ok = Json;
    type Error = NoSuchKind;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), NoSuchKind> {
        self.0.insert(name.to_owned(), value.serialize(Tree::<D>::new())?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(Json::Object(self.0))
    }
}

/// The entries of a map, whose keys are text.
struct Entries<D> {
    members: Map<String, Json>,
    key: String,
    dialect: PhantomData<D>,
}

impl<D: Dialect> SerializeMap for Entries<D> {
    type Ok = Json;
    type Error = NoSuchKind;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), NoSuchKind> {
        let Json::String(key) = key.serialize(Tree::<D>::new())? else { return Err(none("key but text")) };
        self.key = key;
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), NoSuchKind> {
        self.members.insert(std::mem::take(&mut self.key), value.serialize(Tree::<D>::new())?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(Json::Object(self.members))
    }
}
