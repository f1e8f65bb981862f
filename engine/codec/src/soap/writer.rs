//! Values into SOAP's encoding (section 5), as serde hands them over, each with the tag that its slot has ready.

use callbench_own::any;
use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::super::parameters;
use super::super::trouble::Trouble;
use super::super::xml::writer::XmlWriter;
use super::schema::{COUNTED, Kind, Operation, Slot, record};

/// A call's parameters, within the operation's element.
pub struct Sink<'a, 'o> {
    pub xml: &'a mut XmlWriter<'o>,
    pub operation: &'static Operation,
    pub written: usize,
}

impl parameters::Sink for Sink<'_, '_> {
    type Error = Trouble;

    fn begin(&mut self, _: &'static str, _: usize) -> Result<(), Trouble> {
        self.xml.open(&self.operation.request)
    }

    fn parameter<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Trouble> {
        let slot = self.operation.parameters.get(self.written).ok_or_else(unforeseen)?;
        self.written += 1;
        value.serialize(Value { xml: self.xml, slot })
    }
}

fn unforeseen() -> Trouble {
    Trouble::cannot_carry("the schema does not foresee this value")
}

/// One value in its slot.
pub struct Value<'a, 'o> {
    pub xml: &'a mut XmlWriter<'o>,
    pub slot: &'a Slot,
}

impl Value<'_, '_> {
    fn shown(self, number: impl std::fmt::Display) -> Result<(), Trouble> {
        self.xml.open(&self.slot.tag)?;
        self.xml.shown(number)?;
        self.xml.close(self.slot.name)
    }

    fn raw(self, text: &str) -> Result<(), Trouble> {
        self.xml.open(&self.slot.tag)?;
        self.xml.raw(text)?;
        self.xml.close(self.slot.name)
    }
}

/// The items of a list or the fields of a record, and the element that contains them.
pub struct Parts<'a, 'o> {
    xml: &'a mut XmlWriter<'o>,
    slots: &'a [Slot],
    /// The place of the next field; a list has one slot for all its items.
    next: usize,
    element: &'a str,
}

impl SerializeSeq for Parts<'_, '_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        let slot = self.slots.first().ok_or_else(unforeseen)?;
        value.serialize(Value { xml: self.xml, slot })
    }

    fn end(self) -> Result<(), Trouble> {
        self.xml.close(self.element)
    }
}

/// The element of an entry of a map, and the slots of its key and value.
fn entry(slots: &[Slot]) -> Result<(&Slot, &[Slot; 2]), Trouble> {
    let slot = slots.first().ok_or_else(unforeseen)?;
    let Kind::Record(record) = &slot.kind else { return Err(unforeseen()) };
    Ok((slot, record.fields.first_chunk().ok_or_else(unforeseen)?))
}

impl SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Trouble> {
        let (slot, [of_key, _]) = entry(self.slots)?;
        self.xml.open(&slot.tag)?;
        key.serialize(Value { xml: self.xml, slot: of_key })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        let (slot, [_, of_value]) = entry(self.slots)?;
        value.serialize(Value { xml: self.xml, slot: of_value })?;
        self.xml.close(slot.name)
    }

    fn end(self) -> Result<(), Trouble> {
        self.xml.close(self.element)
    }
}

impl SerializeStruct for Parts<'_, '_> {
    type Ok = ();
    type Error = Trouble;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Trouble> {
        let slot = self.slots.get(self.next).ok_or_else(unforeseen)?;
        self.next += 1;
        value.serialize(Value { xml: self.xml, slot })
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), Trouble> {
        self.next += 1;
        Ok(())
    }

    fn end(self) -> Result<(), Trouble> {
        self.xml.close(self.element)
    }
}

macro_rules! as_shown {
    ($($name:ident $type:ty),*) => {
        $(fn $name(self, value: $type) -> Result<(), Trouble> { self.shown(value) })*
    };
}

/// XML Schema's words for numbers without digits; `LowerExp` prevents 301 digits for 1e300.
macro_rules! as_real {
    ($($name:ident $type:ty),*) => {
        $(fn $name(self, value: $type) -> Result<(), Trouble> {
            match value {
                _ if value.is_nan() => self.raw("NaN"),
                <$type>::INFINITY => self.raw("INF"),
                <$type>::NEG_INFINITY => self.raw("-INF"),
                _ if value == 0.0 || (1e-5..1e16).contains(&value.abs()) => self.shown(value),
                _ => self.shown(format_args!("{value:e}")),
            }
        })*
    };
}

macro_rules! not_carried {
    ($($name:ident($($type:ty),*) $ok:ty;)*) => {
        $(fn $name(self, $(_: $type),*) -> Result<$ok, Trouble> { Err(unforeseen()) })*
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

    as_shown! {
        serialize_bool bool, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_i16 i16, serialize_i32 i32,
        serialize_i64 i64
    }
    as_real! { serialize_f32 f32, serialize_f64 f64 }

    fn serialize_str(self, value: &str) -> Result<(), Trouble> {
        self.xml.open(&self.slot.tag)?;
        self.xml.text(value)?;
        self.xml.close(self.slot.name)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Trouble> {
        self.xml.open(&self.slot.tag)?;
        self.xml.base64(value)?;
        self.xml.close(self.slot.name)
    }

    /// An absent member is left out.
    fn serialize_none(self) -> Result<(), Trouble> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Trouble> {
        value.serialize(self)
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Parts<'a, 'o>, Trouble> {
        let Kind::List(item) = &self.slot.kind else { return Err(unforeseen()) };
        self.xml.open_counted(&self.slot.tag, count.ok_or_else(unforeseen)?, COUNTED)?;
        Ok(Parts { xml: self.xml, slots: std::slice::from_ref(&**item), next: 0, element: self.slot.name })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a, 'o>, Trouble> {
        let record = match &self.slot.kind {
            Kind::Record(record) => &**record,
            Kind::Again(name) => record(name).ok_or_else(unforeseen)?,
            _ => return Err(unforeseen()),
        };
        self.xml.open(&self.slot.tag)?;
        Ok(Parts { xml: self.xml, slots: &record.fields, next: 0, element: self.slot.name })
    }

    not_carried! {
        serialize_i8(i8) (); serialize_char(char) (); serialize_unit() ();
        serialize_unit_struct(&'static str) (); serialize_tuple(usize) Never;
        serialize_tuple_struct(&'static str, usize) Never; serialize_tuple_variant(&'static str, u32, &'static str, usize) Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never;
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Trouble> {
        match any::text(name, value) {
            Some(json) => self.serialize_str(&json),
            None => value.serialize(self),
        }
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<(), Trouble> {
        self.serialize_str(name)
    }

    /// An array of entries, each a key and a value.
    fn serialize_map(self, count: Option<usize>) -> Result<Parts<'a, 'o>, Trouble> {
        self.serialize_seq(count)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<(), Trouble> {
        Err(unforeseen())
    }
}
