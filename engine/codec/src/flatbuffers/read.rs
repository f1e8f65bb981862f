//! Reads any record from a table of `FlatBuffers`, as `write` has written it. Every place is checked before it is read.
//!
//! Offsets can lead many times to the same place, so that a small message reads as a large one. A message of ours holds each table, text and
//! vector once: so all that is read may be as large as the message, and no larger.

use std::cell::Cell;

use callbench_own::any;
use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::DEPTH;
use super::super::trouble::Trouble;
use super::write::slot;

/// The bytes of a message, and how many of them may still be read.
pub struct Source<'de> {
    bytes: &'de [u8],
    left: Cell<usize>,
}

impl<'de> Source<'de> {
    pub fn new(bytes: &'de [u8]) -> Self {
        Source { bytes, left: Cell::new(bytes.len()) }
    }

    /// The table that the message begins with.
    pub fn root(&self) -> Result<Table<'_, 'de>, Trouble> {
        if !self.bytes.len().is_multiple_of(4) {
            return Err(Trouble::protocol("the message does not end where messages do, at a multiple of four bytes"));
        }
        self.table(self.follow(0)?, DEPTH)
    }

    fn take(&self, size: usize) -> Result<(), Trouble> {
        let left =
            self.left.get().checked_sub(size).ok_or_else(|| Trouble::protocol("the message leads to the same place more than once"))?;
        self.left.set(left);
        Ok(())
    }

    fn part<const SIZE: usize>(&self, at: usize) -> Result<[u8; SIZE], Trouble> {
        let part = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<SIZE>);
        part.copied().ok_or_else(|| Trouble::protocol("a place lies beyond the message"))
    }

    fn short(&self, at: usize) -> Result<usize, Trouble> {
        self.part(at).map(|part| usize::from(u16::from_le_bytes(part)))
    }

    fn length(&self, at: usize) -> Result<usize, Trouble> {
        self.part(at).map(|part| u32::from_le_bytes(part) as usize)
    }

    /// Where an offset leads to: always forward.
    fn follow(&self, at: usize) -> Result<usize, Trouble> {
        let offset = self.length(at)?;
        at.checked_add(offset).filter(|_| offset > 0).ok_or_else(|| Trouble::protocol("an offset leads nowhere"))
    }

    fn table(&self, at: usize, depth: usize) -> Result<Table<'_, 'de>, Trouble> {
        let depth = depth.checked_sub(1).ok_or_else(|| Trouble::protocol(format!("the message nests deeper than {DEPTH}")))?;
        let back = i64::from(i32::from_le_bytes(self.part(at)?));
        let fields = usize::try_from(at as i64 - back).map_err(|_| Trouble::protocol("a table has no list of fields"))?;
        let held = self.short(fields + 2)?.max(4);
        self.take(held)?;
        if at + held > self.bytes.len() {
            return Err(Trouble::protocol("a table lies beyond the message"));
        }
        Ok(Table { source: self, at, fields, size: self.short(fields)?, depth })
    }

    /// The bytes of a text or vector of bytes.
    fn run(&self, at: usize) -> Result<&'de [u8], Trouble> {
        let (start, length) = (at + 4, self.length(at)?);
        self.take(length.saturating_add(4))?;
        let run = start.checked_add(length).and_then(|end| self.bytes.get(start..end));
        run.ok_or_else(|| Trouble::protocol("a text or vector lies beyond the message"))
    }
}

/// A table.
#[derive(Clone, Copy)]
pub struct Table<'a, 'de> {
    source: &'a Source<'de>,
    at: usize,
    /// Where its list of fields is, and how long.
    fields: usize,
    size: usize,
    depth: usize,
}

impl<'a, 'de> Table<'a, 'de> {
    /// The field of this number.
    pub fn field(&self, number: usize) -> Result<Field<'a, 'de>, Trouble> {
        let slot = usize::from(slot(number));
        let offset = if slot + 2 <= self.size { self.source.short(self.fields + slot)? } else { 0 };
        let place = if offset == 0 { Place::Absent } else { Place::At(self.at + offset) };
        Ok(Field { source: self.source, place, depth: self.depth })
    }
}

#[derive(Clone, Copy)]
enum Place {
    Absent,
    At(usize),
    /// Of a vector: where its elements begin, and which one it is. How large they are is known once it is known what they are.
    Element(usize, usize),
}

/// What a field or an element holds.
#[derive(Clone, Copy)]
pub struct Field<'a, 'de> {
    source: &'a Source<'de>,
    place: Place,
    depth: usize,
}

impl<'a, 'de> Field<'a, 'de> {
    fn at(&self, size: usize) -> Result<Option<usize>, Trouble> {
        match self.place {
            Place::Absent => Ok(None),
            Place::At(at) => Ok(Some(at)),
            Place::Element(base, number) => {
                self.source.take(size)?;
                number
                    .checked_mul(size)
                    .and_then(|it| it.checked_add(base))
                    .map(Some)
                    .ok_or_else(|| Trouble::protocol("a vector is too long"))
            }
        }
    }

    /// A scalar; zero where it is absent.
    fn scalar<const SIZE: usize>(&self) -> Result<[u8; SIZE], Trouble> {
        self.at(SIZE)?.map_or(Ok([0; SIZE]), |at| self.source.part(at))
    }

    fn target(&self) -> Result<Option<usize>, Trouble> {
        self.at(4)?.map(|at| self.source.follow(at)).transpose()
    }

    pub fn table(&self) -> Result<Table<'a, 'de>, Trouble> {
        let at = self.target()?.ok_or_else(|| Trouble::protocol("a member is missing"))?;
        self.source.table(at, self.depth)
    }

    /// What a vector holds; nothing where it is absent.
    fn elements(self) -> Result<Elements<'a, 'de>, Trouble> {
        let held = self.vector()?;
        let Some(at) = held.target()? else { return Ok(Elements { source: self.source, base: 0, at: 0, count: 0, depth: 0 }) };
        self.source.take(4)?;
        Ok(Elements { source: self.source, base: at + 4, at: 0, count: self.source.length(at)?, depth: held.depth })
    }

    pub fn byte(&self) -> Result<u8, Trouble> {
        self.scalar().map(u8::from_le_bytes)
    }

    pub fn number(&self) -> Result<u32, Trouble> {
        self.scalar().map(u32::from_le_bytes)
    }

    pub fn text(&self) -> Result<&'de str, Trouble> {
        let Some(at) = self.target()? else { return Ok("") };
        let run = self.source.run(at)?;
        if self.source.bytes.get(at + 4 + run.len()) != Some(&0) {
            return Err(Trouble::protocol("a text has no end"));
        }
        std::str::from_utf8(run).map_err(|_| Trouble::protocol("a text is no UTF-8"))
    }

    /// Where a vector is: one within a vector has a table around it.
    fn vector(self) -> Result<Self, Trouble> {
        if matches!(self.place, Place::Element(..)) { self.table()?.field(0) } else { Ok(self) }
    }

    fn bytes(self) -> Result<&'de [u8], Trouble> {
        self.vector()?.target()?.map_or(Ok(&[][..]), |at| self.source.run(at))
    }
}

macro_rules! scalars {
    ($($name:ident $visit:ident $type:ty;)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> { visitor.$visit(<$type>::from_le_bytes(self.scalar()?)) })*
    };
}

impl<'de> Deserializer<'de> for Field<'_, 'de> {
    type Error = Trouble;

    scalars! {
        deserialize_u8 visit_u8 u8; deserialize_u16 visit_u16 u16; deserialize_i16 visit_i16 i16; deserialize_i32 visit_i32 i32;
        deserialize_u32 visit_u32 u32; deserialize_i64 visit_i64 i64; deserialize_u64 visit_u64 u64; deserialize_f32 visit_f32 f32;
        deserialize_f64 visit_f64 f64;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_bool(self.byte()? != 0)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_borrowed_bytes(self.bytes()?)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_borrowed_bytes(self.bytes()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        if matches!(self.place, Place::Absent) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_seq(self.elements()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_map(Entries { elements: self.elements()?, value: None })
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        let place: U32Deserializer<Trouble> = u32::from(u16::from_le_bytes(self.scalar()?)).into_deserializer();
        visitor.visit_enum(place)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        self.table()?.deserialize_struct("", fields, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Trouble> {
        if name == any::NAME { visitor.visit_borrowed_str(self.text()?) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::custom("FlatBuffers say nothing of what they hold"))
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! { i8 i128 u128 char unit unit_struct tuple tuple_struct identifier ignored_any }
}

impl<'de> Deserializer<'de> for Table<'_, 'de> {
    type Error = Trouble;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_seq(Members { table: self, at: 0, count: fields.len() })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::custom("a table is a record"))
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// The members of a record, in order.
struct Members<'a, 'de> {
    table: Table<'a, 'de>,
    at: usize,
    count: usize,
}

impl<'de> SeqAccess<'de> for Members<'_, 'de> {
    type Error = Trouble;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Trouble> {
        if self.at == self.count {
            return Ok(None);
        }
        let field = self.table.field(self.at)?;
        self.at += 1;
        seed.deserialize(field).map(Some)
    }
}

struct Elements<'a, 'de> {
    source: &'a Source<'de>,
    base: usize,
    at: usize,
    count: usize,
    depth: usize,
}

impl<'a, 'de> Elements<'a, 'de> {
    fn next(&mut self) -> Option<Field<'a, 'de>> {
        if self.at == self.count {
            return None;
        }
        let place = Place::Element(self.base, self.at);
        self.at += 1;
        Some(Field { source: self.source, place, depth: self.depth })
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Trouble;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Trouble> {
        self.next().map(|element| seed.deserialize(element)).transpose()
    }

    /// As many as are claimed, where the message is long enough for so many.
    fn size_hint(&self) -> Option<usize> {
        Some((self.count - self.at).min(self.source.left.get()))
    }
}

/// The entries of a map: tables of a key and a value.
struct Entries<'a, 'de> {
    elements: Elements<'a, 'de>,
    value: Option<Field<'a, 'de>>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Trouble;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Trouble> {
        let Some(entry) = self.elements.next() else { return Ok(None) };
        let entry = entry.table()?;
        self.value = Some(entry.field(1)?);
        seed.deserialize(entry.field(0)?).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Trouble> {
        let value = self.value.take().ok_or_else(|| Trouble::custom("a value comes behind its key"))?;
        seed.deserialize(value)
    }
}
