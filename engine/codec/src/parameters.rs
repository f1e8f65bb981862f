//! The outermost layer of a call: its parameters come as one struct, which most messages do not write as one of their records.
//!
//! `Parameters` is a serde serializer for that struct alone; the message's `Sink` says how a parameter is written.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{Error, Impossible, SerializeStruct, Serializer};

/// Takes the parameters one by one, in order.
pub trait Sink {
    type Error: Error;

    /// Before the first: the operation and how many will come.
    fn begin(&mut self, operation: &'static str, count: usize) -> Result<(), Self::Error>;

    fn parameter<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Self::Error>;
}

/// `Call::encode` into a sink.
pub struct Parameters<'a, S>(pub &'a mut S);

impl<S: Sink> SerializeStruct for Parameters<'_, S> {
    type Ok = ();
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), S::Error> {
        self.0.parameter(name, value)
    }

    fn end(self) -> Result<(), S::Error> {
        Ok(())
    }
}

/// Everything that a call's parameters are not.
macro_rules! refused {
    ($($name:ident($($type:ty),*) $ok:ty;)*) => {
        $(fn $name(self, $(_: $type),*) -> Result<$ok, Self::Error> { Err(not_parameters()) })*
    };
}

fn not_parameters<E: Error>() -> E {
    E::custom("a call is written as the struct of its parameters")
}

/// A value that nothing is ever written to.
type Never<S> = Impossible<(), <S as Sink>::Error>;

impl<S: Sink> Serializer for Parameters<'_, S> {
    type Ok = ();
    type Error = S::Error;
    type SerializeSeq = Never<S>;
    type SerializeTuple = Never<S>;
    type SerializeTupleStruct = Never<S>;
    type SerializeTupleVariant = Never<S>;
    type SerializeMap = Never<S>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Never<S>;

    fn serialize_struct(self, operation: &'static str, count: usize) -> Result<Self, S::Error> {
        self.0.begin(operation, count)?;
        Ok(self)
    }

    refused! {
        serialize_bool(bool) (); serialize_i8(i8) (); serialize_i16(i16) (); serialize_i32(i32) (); serialize_i64(i64) ();
        serialize_u8(u8) (); serialize_u16(u16) (); serialize_u32(u32) (); serialize_u64(u64) (); serialize_f32(f32) ();
        serialize_f64(f64) (); serialize_char(char) (); serialize_str(&str) (); serialize_bytes(&[u8]) (); serialize_none() ();
        serialize_unit() (); serialize_unit_struct(&'static str) (); serialize_unit_variant(&'static str, u32, &'static str) ();
        serialize_seq(Option<usize>) Never<S>; serialize_tuple(usize) Never<S>; serialize_tuple_struct(&'static str, usize) Never<S>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) Never<S>; serialize_map(Option<usize>) Never<S>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never<S>;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), S::Error> {
        Err(not_parameters())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<(), S::Error> {
        Err(not_parameters())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<(), S::Error> {
        Err(not_parameters())
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<(), S::Error> {
        Err(not_parameters())
    }
}
