//! The key of a map as text, for sorting: whatever the service's type is, JSON has it as text.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use super::super::trouble::Trouble;

/// A serializer of texts alone.
pub struct Key;

type Never = Impossible<String, Trouble>;

fn unexpected() -> Trouble {
    Trouble::cannot_carry("the key of a map is a text")
}

macro_rules! refused {
    ($($name:ident($($type:ty),*) $ok:ty;)*) => { $(fn $name(self, $(_: $type),*) -> Result<$ok, Trouble> { Err(unexpected()) })* };
}

impl Serializer for Key {
    type Ok = String;
    type Error = Trouble;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    fn serialize_str(self, text: &str) -> Result<String, Trouble> {
        Ok(text.to_owned())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<String, Trouble> {
        Ok(value.to_string())
    }

    refused! {
        serialize_bool(bool) String; serialize_i8(i8) String; serialize_i16(i16) String; serialize_i32(i32) String;
        serialize_i64(i64) String; serialize_u8(u8) String; serialize_u16(u16) String; serialize_u32(u32) String;
        serialize_u64(u64) String; serialize_f32(f32) String; serialize_f64(f64) String; serialize_char(char) String;
        serialize_bytes(&[u8]) String; serialize_none() String; serialize_unit() String; serialize_unit_struct(&'static str) String;
        serialize_unit_variant(&'static str, u32, &'static str) String; serialize_seq(Option<usize>) Never; serialize_tuple(usize) Never;
        serialize_tuple_struct(&'static str, usize) Never; serialize_tuple_variant(&'static str, u32, &'static str, usize) Never;
        serialize_map(Option<usize>) Never; serialize_struct(&'static str, usize) Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<String, Trouble> {
        Err(unexpected())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<String, Trouble> {
        Err(unexpected())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<String, Trouble> {
        Err(unexpected())
    }
}
