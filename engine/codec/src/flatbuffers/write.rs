//! Writes any record as a table of `FlatBuffers`: a member's place in its record is its field's number.
//!
//! A serde serializer whose result is what goes into the field above: a scalar, or where a table, text or vector was written.

use std::fmt::Display;

use callbench_own::any;
use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};
use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::super::trouble::Trouble;
use super::key::Key;

pub type Builder = FlatBufferBuilder<'static>;
type Place = WIPOffset<UnionWIPOffset>;

/// A number or a truth.
#[derive(Clone, Copy)]
pub enum Scalar {
    Bool(bool),
    Byte(u8),
    Char(u16),
    Short(i16),
    Int(i32),
    Natural(u32),
    Long(i64),
    Huge(u64),
    Float(f32),
    Double(f64),
}

/// What a field holds.
#[derive(Clone, Copy)]
pub enum Held {
    Nothing,
    Scalar(Scalar),
    /// A member that may be absent is written even where it is the default.
    Always(Scalar),
    /// A table or a text.
    At(Place),
    /// A vector. One within a vector needs a table around it.
    Vector(Place),
}

/// The number of a field in the table of fields.
pub fn slot(number: usize) -> u16 {
    4 + 2 * number as u16
}

/// A table of these fields.
pub fn table(to: &mut Builder, fields: &[Held]) -> Place {
    let start = to.start_table();
    for (number, held) in fields.iter().enumerate() {
        let slot = slot(number);
        match *held {
            Held::Nothing => {}
            Held::Scalar(value) if value.is_default() => {}
            Held::Scalar(value) | Held::Always(value) => value.push(slot, to),
            Held::At(place) | Held::Vector(place) => to.push_slot_always(slot, place),
        }
    }
    WIPOffset::new(to.end_table(start).value())
}

macro_rules! each_scalar {
    ($($kind:ident),*) => {
        impl Scalar {
            fn push(self, slot: u16, to: &mut Builder) {
                match self { $(Scalar::$kind(value) => to.push_slot_always(slot, value)),* }
            }
        }

        /// A vector of scalars of one kind.
        fn scalars(first: Scalar, held: &[Held], to: &mut Builder) -> Result<Held, Trouble> {
            match first {
                $(Scalar::$kind(_) => {
                    let one = |held: &Held| if let Held::Scalar(Scalar::$kind(value)) = held { Some(*value) } else { None };
                    let all: Vec<_> = held.iter().filter_map(one).collect();
                    if all.len() == held.len() { Ok(vector(to.create_vector(&all))) } else { Err(unexpected()) }
                })*
            }
        }
    };
}
each_scalar!(Bool, Byte, Char, Short, Int, Natural, Long, Huge, Float, Double);

impl Scalar {
    /// Whether it is what an absent field reads as. Compared by their bits: -0.0 equals the default, and is another number.
    fn is_default(self) -> bool {
        match self {
            Scalar::Bool(value) => !value,
            Scalar::Byte(value) => value == 0,
            Scalar::Char(value) => value == 0,
            Scalar::Short(value) => value == 0,
            Scalar::Int(value) => value == 0,
            Scalar::Natural(value) => value == 0,
            Scalar::Long(value) => value == 0,
            Scalar::Huge(value) => value == 0,
            Scalar::Float(value) => value.to_bits() == 0,
            Scalar::Double(value) => value.to_bits() == 0,
        }
    }
}

/// The serializer.
pub struct Writer<'a>(pub &'a mut Builder);

/// The fields of a record so far.
pub struct Record<'a> {
    to: &'a mut Builder,
    fields: Vec<Held>,
}

impl SerializeStruct for Record<'_> {
    type Ok = Held;
    type Error = Trouble;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Trouble> {
        self.fields.push(value.serialize(Writer(&mut *self.to))?);
        Ok(())
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), Trouble> {
        self.fields.push(Held::Nothing);
        Ok(())
    }

    fn end(self) -> Result<Held, Trouble> {
        Ok(Held::At(table(self.to, &self.fields)))
    }
}

/// The elements of a vector so far.
pub struct Elements<'a> {
    to: &'a mut Builder,
    held: Vec<Held>,
}

impl SerializeSeq for Elements<'_> {
    type Ok = Held;
    type Error = Trouble;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        let held = value.serialize(Writer(&mut *self.to))?;
        self.held.push(if let Held::Vector(_) = held { Held::At(table(self.to, &[held])) } else { held });
        Ok(())
    }

    fn end(self) -> Result<Held, Trouble> {
        match self.held.first() {
            None => Ok(vector(self.to.create_vector::<u8>(&[]))),
            Some(Held::Scalar(first)) => scalars(*first, &self.held, self.to),
            Some(_) => {
                let all: Vec<Place> =
                    self.held.iter().filter_map(|held| if let Held::At(place) = held { Some(*place) } else { None }).collect();
                if all.len() == self.held.len() { Ok(vector(self.to.create_vector(&all))) } else { Err(unexpected()) }
            }
        }
    }
}

/// The entries of a map so far, with the keys that they are sorted by: each is a table of its key and its value.
pub struct Entries<'a> {
    to: &'a mut Builder,
    key: String,
    held: Vec<(String, Place)>,
}

impl SerializeMap for Entries<'_> {
    type Ok = Held;
    type Error = Trouble;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Trouble> {
        self.key = key.serialize(Key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Trouble> {
        let key = place(self.to.create_string(&self.key));
        let value = value.serialize(Writer(&mut *self.to))?;
        let entry = table(self.to, &[key, value]);
        self.held.push((std::mem::take(&mut self.key), entry));
        Ok(())
    }

    fn end(mut self) -> Result<Held, Trouble> {
        // Numbers as keys come in another order than their texts have.
        self.held.sort_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
        let all: Vec<Place> = self.held.iter().map(|(_, place)| *place).collect();
        Ok(vector(self.to.create_vector(&all)))
    }
}

fn place<T>(at: WIPOffset<T>) -> Held {
    Held::At(WIPOffset::new(at.value()))
}

fn vector<T>(at: WIPOffset<T>) -> Held {
    Held::Vector(WIPOffset::new(at.value()))
}

/// A value that nothing is ever written to.
type Never = Impossible<Held, Trouble>;

macro_rules! scalars {
    ($($name:ident $type:ty => $kind:ident;)*) => {
        $(fn $name(self, value: $type) -> Result<Held, Trouble> { Ok(Held::Scalar(Scalar::$kind(value))) })*
    };
}

macro_rules! refused {
    ($($name:ident($($type:ty),*) $ok:ty;)*) => { $(fn $name(self, $(_: $type),*) -> Result<$ok, Trouble> { Err(unexpected()) })* };
}

fn unexpected() -> Trouble {
    Trouble::cannot_carry("the schema has nothing of this kind")
}

impl<'a> Serializer for Writer<'a> {
    type Ok = Held;
    type Error = Trouble;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Entries<'a>;
    type SerializeStruct = Record<'a>;
    type SerializeStructVariant = Never;

    scalars! {
        serialize_bool bool => Bool; serialize_u8 u8 => Byte; serialize_u16 u16 => Char; serialize_i16 i16 => Short; serialize_i32 i32 => Int;
        serialize_u32 u32 => Natural; serialize_i64 i64 => Long; serialize_u64 u64 => Huge; serialize_f32 f32 => Float; serialize_f64 f64 => Double;
    }

    fn serialize_str(self, text: &str) -> Result<Held, Trouble> {
        Ok(place(self.0.create_string(text)))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Held, Trouble> {
        Ok(vector(self.0.create_vector(bytes)))
    }

    fn serialize_none(self) -> Result<Held, Trouble> {
        Ok(Held::Nothing)
    }

    fn serialize_unit(self) -> Result<Held, Trouble> {
        Ok(Held::Nothing)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Held, Trouble> {
        Ok(match value.serialize(self)? {
            Held::Scalar(value) => Held::Always(value),
            held => held,
        })
    }

    /// By its place, not its number.
    fn serialize_unit_variant(self, _: &'static str, place: u32, _: &'static str) -> Result<Held, Trouble> {
        u16::try_from(place).map(|place| Held::Scalar(Scalar::Char(place))).map_err(|_| unexpected())
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Entries<'a>, Trouble> {
        Ok(Entries { to: self.0, key: String::new(), held: Vec::with_capacity(count.unwrap_or_default()) })
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Elements<'a>, Trouble> {
        Ok(Elements { to: self.0, held: Vec::with_capacity(count.unwrap_or_default()) })
    }

    fn serialize_struct(self, _: &'static str, count: usize) -> Result<Record<'a>, Trouble> {
        Ok(Record { to: self.0, fields: Vec::with_capacity(count) })
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<Held, Trouble> {
        match any::text(name, value) {
            Some(text) => self.serialize_str(&text),
            None => value.serialize(self),
        }
    }

    refused! {
        serialize_i8(i8) Held; serialize_char(char) Held; serialize_unit_struct(&'static str) Held;
        serialize_tuple(usize) Never; serialize_tuple_struct(&'static str, usize) Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never;
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<Held, Trouble> {
        Err(unexpected())
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<Held, Trouble> {
        Err(unexpected())
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
