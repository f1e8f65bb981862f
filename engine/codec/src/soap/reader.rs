//! Values out of SOAP's encoding. Members are known by their local names, in any order; a value's type is the one expected, whatever `xsi:type` says.

use std::borrow::Cow;

use callbench_own::any;
use quick_xml::events::BytesStart;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::trouble::Trouble;
use super::super::xml::pull::{Pull, shortened};
use super::super::xml::{scalar, text};

/// An element that was just opened.
pub struct Element<'a, 'de> {
    pub pull: &'a mut Pull<'de>,
    pub start: BytesStart<'de>,
}

/// Attributes that change what an element means.
const MARKS: [&str; 4] = ["nil", "href", "position", "offset"];

/// Whether one of `MARKS` may be among the attributes. Only then they are parsed. Our own documents have one attribute, and looking for the four
/// names everywhere would cost more than reading the element.
#[inline]
fn may_be_marked(attributes: &str) -> bool {
    let bytes = attributes.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| *byte == b'=' && is_mark(&bytes[..at]))
}

/// Whether the name of a mark ends here. The last letter of `xsi:type` differs from all of them.
#[inline]
fn is_mark(before: &[u8]) -> bool {
    let name = if before.last().is_some_and(u8::is_ascii_whitespace) { before.trim_ascii_end() } else { before };
    name.last() != Some(&b'e') && MARKS.iter().any(|mark| name.ends_with(mark.as_bytes()))
}

impl<'de> Element<'_, 'de> {
    /// Whether the element says that it is null. An element that refers elsewhere, or of which parts are left out, is refused.
    #[inline]
    fn is_nil(&self) -> Result<bool, Trouble> {
        if !may_be_marked(self.start.attributes_raw()) {
            return Ok(false);
        }
        let mut nil = false;
        for attribute in self.start.attributes() {
            let attribute = attribute.map_err(|error| Trouble::protocol(error.to_string()))?;
            match attribute.key.local_name().as_ref() {
                "nil" => nil = scalar::boolean(&attribute.value)?,
                "href" => return Err(Trouble::protocol("a reference by href is refused: values stand where they belong")),
                "position" | "offset" => return Err(Trouble::protocol("arrays in parts are refused")),
                _ => {}
            }
        }
        Ok(nil)
    }

    #[inline]
    fn present(&self) -> Result<(), Trouble> {
        if self.is_nil()? { Err(Trouble::protocol(format!("{} is nil", shortened(self.start.local_name().as_ref())))) } else { Ok(()) }
    }

    #[inline]
    fn text(self) -> Result<Cow<'de, str>, Trouble> {
        self.present()?;
        self.pull.text()
    }
}

macro_rules! scalars {
    ($($name:ident $visit:ident $read:path;)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> { visitor.$visit($read(&self.text()?)?) })*
    };
}

impl<'de> Deserializer<'de> for Element<'_, 'de> {
    type Error = Trouble;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::protocol("an element is read as the type that the operation has there"))
    }

    scalars! {
        deserialize_bool visit_bool scalar::boolean;
        deserialize_u8 visit_u8 scalar::whole;
        deserialize_u16 visit_u16 scalar::whole;
        deserialize_i16 visit_i16 scalar::whole;
        deserialize_i32 visit_i32 scalar::whole;
        deserialize_i64 visit_i64 scalar::whole;
        deserialize_u32 visit_u32 scalar::whole;
        deserialize_u64 visit_u64 scalar::whole;
        deserialize_f32 visit_f32 scalar::real;
        deserialize_f64 visit_f64 scalar::real;
        deserialize_byte_buf visit_byte_buf scalar::octets;
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let value = self.text()?;
        text::check(&value)?;
        match value {
            Cow::Borrowed(value) => visitor.visit_borrowed_str(value),
            Cow::Owned(value) => visitor.visit_string(value),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        if self.is_nil()? {
            self.pull.skip()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        if self.is_nil()? {
            self.pull.skip()?;
            return visitor.visit_seq(NoItems);
        }
        visitor.visit_seq(Items(self.pull))
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        self.present()?;
        visitor.visit_map(Members { pull: self.pull, member: None })
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        let name = self.text()?;
        let name: StrDeserializer<Trouble> = (&*name).into_deserializer();
        visitor.visit_enum(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Trouble> {
        if name == any::NAME { visitor.visit_str(&self.text()?) } else { visitor.visit_newtype_struct(self) }
    }

    /// An array of entries, each a key and a value.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        if self.is_nil()? {
            self.pull.skip()?;
            return visitor.visit_seq(NoItems);
        }
        visitor.visit_map(Entries(self.pull))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.pull.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i128 u128 char bytes unit unit_struct tuple tuple_struct identifier
    }
}

/// The items of an array, up to its end.
struct Items<'a, 'de>(&'a mut Pull<'de>);

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Trouble;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        let Some(start) = self.0.child()? else { return Ok(None) };
        seed.deserialize(Element { pull: self.0, start }).map(Some)
    }
}

/// The entries of a map, up to its end. A key stands before its value.
struct Entries<'a, 'de>(&'a mut Pull<'de>);

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Trouble;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        if self.0.child()?.is_none() {
            return Ok(None);
        }
        let start = self.0.expect("key")?;
        seed.deserialize(Element { pull: self.0, start }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        let start = self.0.expect("value")?;
        let value = seed.deserialize(Element { pull: self.0, start })?;
        self.0.end()?;
        Ok(value)
    }
}

/// The items of a null array.
struct NoItems;

impl<'de> SeqAccess<'de> for NoItems {
    type Error = Trouble;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, _: T) -> Result<Option<T::Value>, Trouble> {
        Ok(None)
    }
}

/// The members of a struct, up to its end.
struct Members<'a, 'de> {
    pull: &'a mut Pull<'de>,
    member: Option<BytesStart<'de>>,
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Trouble;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        let Some(start) = self.pull.child()? else { return Ok(None) };
        let key = seed.deserialize(StrDeserializer::<Trouble>::new(start.local_name().as_ref()))?;
        self.member = Some(start);
        Ok(Some(key))
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        let start = self.member.take().ok_or_else(|| Trouble::protocol("a member's value comes after its name"))?;
        seed.deserialize(Element { pull: self.pull, start })
    }
}
