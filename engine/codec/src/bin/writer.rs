//! Values into `BinMessage`, as serde hands them over.

use callbench_own::any;
use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::super::SERVICE;
use super::super::parameters;
use super::super::trouble::Trouble;

/// Before an array, a struct or a binary that is there.
const ASSIGNED: u8 = 1;

/// A length or a count: an i32, as everything is here.
#[inline]
fn length(length: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let length = i32::try_from(length).map_err(|_| Trouble::cannot_carry(format!("{length} is more than a length can say here")))?;
    out.extend_from_slice(&length.to_le_bytes());
    Ok(())
}

/// A string: its length in bytes, then UTF-8.
#[inline]
pub fn text(text: &str, out: &mut Vec<u8>) -> Result<(), Trouble> {
    out.reserve(4 + text.len());
    length(text.len(), out)?;
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Writes the parameters of a call, one after another, after the two strings.
pub struct Sink<'a>(pub &'a mut Vec<u8>);

impl parameters::Sink for Sink<'_> {
    type Error = Trouble;

    fn begin(&mut self, operation: &'static str, _: usize) -> Result<(), Trouble> {
        text(SERVICE, self.0)?;
        text(operation, self.0)
    }

    fn parameter<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Trouble> {
        value.serialize(Writer(self.0))
    }
}

/// One value.
pub struct Writer<'a>(pub &'a mut Vec<u8>);

/// The elements of an array or the fields of a struct.
pub struct Parts<'a>(&'a mut Vec<u8>);

impl SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = Trouble;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        value.serialize(Writer(self.0))
    }

    fn end(self) -> Result<(), Trouble> {
        Ok(())
    }
}

impl SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Trouble> {
        key.serialize(Writer(self.0))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        value.serialize(Writer(self.0))
    }

    fn end(self) -> Result<(), Trouble> {
        Ok(())
    }
}

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = Trouble;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Trouble> {
        value.serialize(Writer(self.0))
    }

    /// An absent optional member: positions count, so that it takes its place as an array of none.
    fn skip_field(&mut self, _: &'static str) -> Result<(), Trouble> {
        Writer(self.0).serialize_none()
    }

    fn end(self) -> Result<(), Trouble> {
        Ok(())
    }
}

macro_rules! as_integer {
    ($($name:ident $type:ty),*) => {
        $(fn $name(self, value: $type) -> Result<(), Trouble> { self.serialize_i32(i32::from(value)) })*
    };
}

macro_rules! not_carried {
    ($($name:ident($($type:ty),*) $ok:ty;)*) => {
        $(fn $name(self, $(_: $type),*) -> Result<$ok, Trouble> { Err(foreign()) })*
    };
}

fn foreign() -> Trouble {
    Trouble::cannot_carry("BinMessage is not given this type of value here")
}

type Never = Impossible<(), Trouble>;

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Trouble;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Never;

    fn is_human_readable(&self) -> bool {
        false
    }

    as_integer! { serialize_bool bool, serialize_u8 u8, serialize_u16 u16, serialize_i8 i8, serialize_i16 i16 }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<(), Trouble> {
        self.0.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Trouble> {
        self.0.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Trouble> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Trouble> {
        self.0.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Trouble> {
        text(value, self.0)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Trouble> {
        self.0.push(ASSIGNED);
        length(value.len(), self.0)?;
        self.0.extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Trouble> {
        self.0.extend_from_slice(&[ASSIGNED, 0, 0, 0, 0]);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Trouble> {
        self.0.extend_from_slice(&[ASSIGNED, 1, 0, 0, 0]);
        value.serialize(Writer(self.0))
    }

    /// No value: an operation without a result.
    fn serialize_unit(self) -> Result<(), Trouble> {
        Ok(())
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Parts<'a>, Trouble> {
        self.0.push(ASSIGNED);
        length(count.ok_or_else(foreign)?, self.0)?;
        Ok(Parts(self.0))
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts<'a>, Trouble> {
        self.0.push(ASSIGNED);
        text(name, self.0)?;
        Ok(Parts(self.0))
    }

    /// The next wider type, since the form has no unsigned ones.
    fn serialize_u32(self, value: u32) -> Result<(), Trouble> {
        self.serialize_i64(i64::from(value))
    }

    /// Beyond the greatest `Int64` it is the number with the same bits.
    fn serialize_u64(self, value: u64) -> Result<(), Trouble> {
        self.serialize_i64(value.cast_signed())
    }

    /// An enumeration is the place of its value.
    fn serialize_unit_variant(self, _: &'static str, place: u32, _: &'static str) -> Result<(), Trouble> {
        self.serialize_i32(place as i32)
    }

    /// An array of keys and values.
    fn serialize_map(self, count: Option<usize>) -> Result<Parts<'a>, Trouble> {
        self.serialize_seq(count)
    }

    not_carried! {
        serialize_char(char) (); serialize_unit_struct(&'static str) (); serialize_tuple(usize) Never; serialize_tuple_struct(&'static str, usize) Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never;
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Trouble> {
        match any::text(name, value) {
            Some(json) => self.serialize_str(&json),
            None => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<(), Trouble> {
        Err(foreign())
    }
}
