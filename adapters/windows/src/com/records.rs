//! Records as variants: an array of variants in the order of the members, a member that is absent an empty one. A list is an array too, of
//! numbers where it holds nothing but `int`.

use std::fmt;

use callbench_kit::Failure;
use serde::de::value::SeqDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, SeqAccess, Visitor};
use serde::ser::{self, Impossible, Serialize};
use windows_sys::Win32::System::Com::SAFEARRAY;
use windows_sys::Win32::System::Variant::{
    VARENUM, VARIANT, VT_ARRAY, VT_BOOL, VT_BSTR, VT_EMPTY, VT_I2, VT_I4, VT_I8, VT_R4, VT_R8, VT_UI1, VT_UI2, VT_VARIANT,
};

use super::values::{Array, Text, Truth, Variant, elements, read_text};

const LIST: VARENUM = VT_ARRAY | VT_VARIANT;
const NUMBERS: VARENUM = VT_ARRAY | VT_I4;

pub fn write(value: &impl Serialize) -> Result<Variant, Failure> {
    value.serialize(Writer).map_err(|misfit| misfit.0)
}

pub fn write_all<T: Serialize>(values: &[T]) -> Result<Array, Failure> {
    Array::made(values, |value| write(value).map(Variant::give))
}

/// # Safety
/// The variant is one that COM made, whole.
pub unsafe fn read<T: DeserializeOwned>(from: &VARIANT) -> Result<T, Failure> {
    T::deserialize(Reader(from)).map_err(|misfit| misfit.0)
}

/// # Safety
/// The array is null or one that COM made, whole.
pub unsafe fn read_all<T: DeserializeOwned>(from: *const SAFEARRAY) -> Result<Vec<T>, Failure> {
    // SAFETY: the caller's promise, for the array and for each variant of it.
    unsafe { elements::<VARIANT>(from)?.iter().map(|each| read(each)).collect() }
}

/// serde's error.
#[derive(Debug)]
struct ArgumentError(Failure);

impl fmt::Display for ArgumentError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}

impl std::error::Error for ArgumentError {}

impl ser::Error for ArgumentError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ArgumentError(Failure::protocol(message))
    }
}

impl de::Error for ArgumentError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ArgumentError(Failure::protocol(message))
    }
}

impl From<Failure> for ArgumentError {
    fn from(failure: Failure) -> Self {
        ArgumentError(failure)
    }
}

struct Writer;

/// The elements of a list, or the members of a record.
struct Several {
    given: Vec<Variant>,
    record: bool,
}

fn none<T>(what: &str) -> Result<T, ArgumentError> {
    Err(ser::Error::custom(format_args!("a record has no member that is {what}")))
}

impl ser::Serializer for Writer {
    type Ok = Variant;
    type Error = ArgumentError;
    type SerializeSeq = Several;
    type SerializeStruct = Several;
    type SerializeTuple = Impossible<Variant, ArgumentError>;
    type SerializeTupleStruct = Impossible<Variant, ArgumentError>;
    type SerializeTupleVariant = Impossible<Variant, ArgumentError>;
    type SerializeMap = Impossible<Variant, ArgumentError>;
    type SerializeStructVariant = Impossible<Variant, ArgumentError>;

    fn serialize_bool(self, value: bool) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_BOOL, |it| it.boolVal = Truth::from(value).raw()))
    }
    fn serialize_i8(self, _: i8) -> Result<Variant, ArgumentError> {
        none("a signed byte")
    }
    fn serialize_i16(self, value: i16) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_I2, |it| it.iVal = value))
    }
    fn serialize_i32(self, value: i32) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_I4, |it| it.lVal = value))
    }
    fn serialize_i64(self, value: i64) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_I8, |it| it.llVal = value))
    }
    fn serialize_u8(self, value: u8) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_UI1, |it| it.bVal = value))
    }
    fn serialize_u16(self, value: u16) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_UI2, |it| it.uiVal = value))
    }
    fn serialize_u32(self, _: u32) -> Result<Variant, ArgumentError> {
        none("an unsigned int")
    }
    fn serialize_u64(self, _: u64) -> Result<Variant, ArgumentError> {
        none("an unsigned long")
    }
    fn serialize_f32(self, value: f32) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_R4, |it| it.fltVal = value))
    }
    fn serialize_f64(self, value: f64) -> Result<Variant, ArgumentError> {
        Ok(Variant::of(VT_R8, |it| it.dblVal = value))
    }
    fn serialize_char(self, _: char) -> Result<Variant, ArgumentError> {
        none("a character of Rust")
    }
    fn serialize_str(self, value: &str) -> Result<Variant, ArgumentError> {
        let text = Text::of(value)?;
        Ok(Variant::of(VT_BSTR, |it| it.bstrVal = text.give()))
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<Variant, ArgumentError> {
        let array = Array::of(value)?;
        Ok(Variant::of(VT_ARRAY | VT_UI1, |it| it.parray = array.give()))
    }
    fn serialize_none(self) -> Result<Variant, ArgumentError> {
        Ok(Variant::default())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Variant, ArgumentError> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<Variant, ArgumentError> {
        Ok(Variant::default())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<Variant, ArgumentError> {
        Ok(Variant::default())
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<Variant, ArgumentError> {
        none("a variant of an enum")
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Variant, ArgumentError> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Variant, ArgumentError> {
        none("a variant of an enum")
    }
    fn serialize_seq(self, count: Option<usize>) -> Result<Several, ArgumentError> {
        Ok(Several { given: Vec::with_capacity(count.unwrap_or_default()), record: false })
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, ArgumentError> {
        none("a tuple")
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, ArgumentError> {
        none("a tuple")
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, ArgumentError> {
        none("a variant of an enum")
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, ArgumentError> {
        none("a map")
    }
    fn serialize_struct(self, _: &'static str, count: usize) -> Result<Several, ArgumentError> {
        Ok(Several { given: Vec::with_capacity(count), record: true })
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, ArgumentError> {
        none("a variant of an enum")
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

impl Several {
    fn whole(self) -> Result<Variant, ArgumentError> {
        if !self.record && !self.given.is_empty() {
            let numbers: Option<Vec<i32>> = self.given.iter().map(number).collect();
            if let Some(numbers) = numbers {
                let array = Array::of(&numbers)?;
                return Ok(Variant::of(NUMBERS, |it| it.parray = array.give()));
            }
        }
        let array = Array::holding(self.given)?;
        Ok(Variant::of(LIST, |it| it.parray = array.give()))
    }
}

fn number(variant: &Variant) -> Option<i32> {
    // SAFETY: a variant of this type holds an `i32`.
    unsafe {
        let inner = &variant.raw().Anonymous.Anonymous;
        (inner.vt == VT_I4).then_some(inner.Anonymous.lVal)
    }
}

impl ser::SerializeSeq for Several {
    type Ok = Variant;
    type Error = ArgumentError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ArgumentError> {
        self.given.push(value.serialize(Writer)?);
        Ok(())
    }

    fn end(self) -> Result<Variant, ArgumentError> {
        self.whole()
    }
}

impl ser::SerializeStruct for Several {
    type Ok = Variant;
    type Error = ArgumentError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), ArgumentError> {
        self.given.push(value.serialize(Writer)?);
        Ok(())
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), ArgumentError> {
        self.given.push(Variant::default());
        Ok(())
    }

    fn end(self) -> Result<Variant, ArgumentError> {
        self.whole()
    }
}

/// Reads a variant, which says itself what it holds.
struct Reader<'a>(&'a VARIANT);

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = ArgumentError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        // SAFETY: each member is read where the variant says that it is this one; `read` asks its caller for a whole one.
        unsafe {
            let inner = &self.0.Anonymous.Anonymous;
            let value = &inner.Anonymous;
            match inner.vt {
                VT_EMPTY => visitor.visit_none(),
                VT_BOOL => visitor.visit_bool(Truth::taken(value.boolVal).holds()),
                VT_UI1 => visitor.visit_u8(value.bVal),
                VT_UI2 => visitor.visit_u16(value.uiVal),
                VT_I2 => visitor.visit_i16(value.iVal),
                VT_I4 => visitor.visit_i32(value.lVal),
                VT_I8 => visitor.visit_i64(value.llVal),
                VT_R4 => visitor.visit_f32(value.fltVal),
                VT_R8 => visitor.visit_f64(value.dblVal),
                VT_BSTR => visitor.visit_string(read_text(value.bstrVal)?),
                LIST => visitor.visit_seq(List(elements::<VARIANT>(value.parray)?.iter())),
                NUMBERS => visitor.visit_seq(SeqDeserializer::new(elements::<i32>(value.parray)?.iter().copied())),
                kind => Err(de::Error::custom(format_args!("a variant has the type {kind}, which no record has"))),
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        // SAFETY: every variant has a type.
        if unsafe { self.0.Anonymous.Anonymous.vt } == VT_EMPTY { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ArgumentError> {
        visitor.visit_newtype_struct(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct enum identifier ignored_any
    }
}

struct List<'a>(std::slice::Iter<'a, VARIANT>);

impl<'de> SeqAccess<'de> for List<'_> {
    type Error = ArgumentError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ArgumentError> {
        self.0.next().map(|variant| seed.deserialize(Reader(variant))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}
