//! Values into XML-RPC, as serde hands them over.

use callbench_own::any;
use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::super::SERVICE;
use super::super::parameters;
use super::super::trouble::Trouble;
use super::super::xml::key::key_text;
use super::super::xml::writer::XmlWriter;

/// A call's name and parameters, up to the end of the last.
pub struct Sink<'a, 'o>(pub &'a mut XmlWriter<'o>);

impl parameters::Sink for Sink<'_, '_> {
    type Error = Trouble;

    fn begin(&mut self, operation: &'static str, _: usize) -> Result<(), Trouble> {
        self.0.open_bare("methodName")?;
        self.0.shown(format_args!("{SERVICE}.{operation}"))?;
        self.0.close("methodName")?;
        self.0.open_bare("params")
    }

    fn parameter<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Trouble> {
        self.0.open_bare("param")?;
        value.serialize(Value(self.0))?;
        self.0.close("param")
    }
}

/// One value, with the `<value>` around it.
pub struct Value<'a, 'o>(pub &'a mut XmlWriter<'o>);

impl<'o> Value<'_, 'o> {
    fn typed(self, name: &'static str, write: impl FnOnce(&mut XmlWriter<'o>) -> Result<(), Trouble>) -> Result<(), Trouble> {
        self.0.open_bare("value")?;
        self.0.open_bare(name)?;
        write(self.0)?;
        self.0.close(name)?;
        self.0.close("value")
    }

    fn double(self, digits: impl std::fmt::Display, is_finite: bool) -> Result<(), Trouble> {
        if !is_finite {
            return Err(Trouble::cannot_carry("XML-RPC has no double for NaN or infinity"));
        }
        self.typed("double", |xml| xml.shown(digits))
    }
}

/// The elements of an array or the members of a struct, and what is still to be closed.
pub struct Parts<'a, 'o> {
    xml: &'a mut XmlWriter<'o>,
    open: &'static [&'static str],
}

impl Parts<'_, '_> {
    fn close(self) -> Result<(), Trouble> {
        self.open.iter().try_for_each(|name| self.xml.close(name))
    }
}

impl SerializeSeq for Parts<'_, '_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        value.serialize(Value(self.xml))
    }

    fn end(self) -> Result<(), Trouble> {
        self.close()
    }
}

/// Members whose names are known only when they are written.
impl SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Trouble> {
        self.xml.open_bare("member")?;
        self.xml.open_bare("name")?;
        self.xml.text(&key_text(key)?)?;
        self.xml.close("name")
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        value.serialize(Value(self.xml))?;
        self.xml.close("member")
    }

    fn end(self) -> Result<(), Trouble> {
        self.close()
    }
}

impl SerializeStruct for Parts<'_, '_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Trouble> {
        self.xml.open_bare("member")?;
        self.xml.open_bare("name")?;
        self.xml.raw(name)?;
        self.xml.close("name")?;
        value.serialize(Value(self.xml))?;
        self.xml.close("member")
    }

    fn end(self) -> Result<(), Trouble> {
        self.close()
    }
}

macro_rules! as_int {
    ($($name:ident $type:ty),*) => {
        $(fn $name(self, value: $type) -> Result<(), Trouble> { self.typed("int", |xml| xml.shown(value)) })*
    };
}

macro_rules! not_carried {
    ($($name:ident($($type:ty),*) $ok:ty;)*) => {
        $(fn $name(self, $(_: $type),*) -> Result<$ok, Trouble> { Err(Trouble::cannot_carry("XML-RPC is not given this type of value here")) })*
    };
}

type Never = Impossible<(), Trouble>;

impl<'a, 'o> Serializer for Value<'a, 'o> {
    type Ok = ();
    type Error = Trouble;
    type SerializeSeq = Parts<'a, 'o>;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Parts<'a, 'o>;
    type SerializeStruct = Parts<'a, 'o>;
    type SerializeStructVariant = Never;

    /// Octets come as bytes then, and are turned into base64 without a copy between.
    fn is_human_readable(&self) -> bool {
        false
    }

    as_int! { serialize_u8 u8, serialize_u16 u16, serialize_i16 i16, serialize_i32 i32 }

    fn serialize_bool(self, value: bool) -> Result<(), Trouble> {
        self.typed("boolean", |xml| xml.raw(if value { "1" } else { "0" }))
    }

    fn serialize_i64(self, value: i64) -> Result<(), Trouble> {
        self.typed("i8", |xml| xml.shown(value))
    }

    fn serialize_f32(self, value: f32) -> Result<(), Trouble> {
        self.double(value, value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Trouble> {
        self.double(value, value.is_finite())
    }

    fn serialize_str(self, value: &str) -> Result<(), Trouble> {
        self.typed("string", |xml| xml.text(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Trouble> {
        self.typed("base64", |xml| xml.base64(value))
    }

    fn serialize_none(self) -> Result<(), Trouble> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Trouble> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Trouble> {
        self.typed("nil", |_| Ok(()))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a, 'o>, Trouble> {
        for name in ["value", "array", "data"] {
            self.0.open_bare(name)?;
        }
        Ok(Parts { xml: self.0, open: &["data", "array", "value"] })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a, 'o>, Trouble> {
        for name in ["value", "struct"] {
            self.0.open_bare(name)?;
        }
        Ok(Parts { xml: self.0, open: &["struct", "value"] })
    }

    fn serialize_u32(self, value: u32) -> Result<(), Trouble> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), Trouble> {
        let value = i64::try_from(value).map_err(|_| Trouble::cannot_carry(format!("XML-RPC has no number as great as {value}")))?;
        self.serialize_i64(value)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<(), Trouble> {
        self.serialize_str(name)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a, 'o>, Trouble> {
        self.serialize_struct("", 0)
    }

    not_carried! {
        serialize_i8(i8) (); serialize_char(char) (); serialize_unit_struct(&'static str) ();
        serialize_tuple(usize) Never; serialize_tuple_struct(&'static str, usize) Never;
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
        Err(Trouble::cannot_carry("XML-RPC is not given this type of value here"))
    }
}
