//! Values out of XML-RPC. A value says its type, which must be one that the expected type can be read from.

use std::borrow::Cow;

use callbench_own::any;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::trouble::Trouble;
use super::super::xml::pull::{Content, Pull, is_named, shortened};
use super::super::xml::{scalar, text};

/// A call's parameters, by position.
pub struct Params<'a, 'de> {
    pub pull: &'a mut Pull<'de>,
    /// Whether `<params>` was there, and is open.
    pub open: bool,
}

impl<'de> Deserializer<'de> for Params<'_, 'de> {
    type Error = Trouble;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::protocol("parameters are read as a struct"))
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(mut self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        let value = visitor.visit_seq(&mut self)?;
        if self.open {
            self.pull.end()?;
        }
        Ok(value)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for &mut Params<'_, 'de> {
    type Error = Trouble;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        if !self.open {
            return Ok(None);
        }
        let Some(param) = self.pull.child()? else {
            self.open = false;
            return Ok(None);
        };
        if !is_named(&param, "param") {
            return Err(Trouble::protocol("params hold param elements"));
        }
        self.pull.expect("value")?;
        let read = seed.deserialize(value(self.pull))?;
        self.pull.end()?;
        Ok(Some(read))
    }
}

/// The value whose `<value>` was just opened. Reading it also reads its end tag.
pub fn value<'a, 'de>(pull: &'a mut Pull<'de>) -> Value<'a, 'de> {
    Value { pull, content: None }
}

pub struct Value<'a, 'de> {
    pull: &'a mut Pull<'de>,
    /// Its content, if that was read already.
    content: Option<Content<'de>>,
}

const WHOLE: [&str; 5] = ["int", "i4", "i8", "i2", "i1"];
const REAL: [&str; 6] = ["double", "int", "i4", "i8", "i2", "i1"];

impl<'de> Value<'_, 'de> {
    #[inline]
    fn content(&mut self) -> Result<Content<'de>, Trouble> {
        self.content.take().map_or_else(|| self.pull.content(), Ok)
    }

    /// The text of a scalar of one of these types.
    #[inline]
    fn text(mut self, types: &[&str]) -> Result<Cow<'de, str>, Trouble> {
        match self.content()? {
            Content::Text(text) if types.contains(&"string") => Ok(text),
            Content::Text(_) => Err(Trouble::protocol(format!("{} was expected, not a bare string", types[0]))),
            Content::Child(start) => {
                expect_type(start.local_name().as_ref(), types)?;
                let text = self.pull.text()?;
                self.pull.end()?;
                Ok(text)
            }
        }
    }

    /// Opens a value that contains elements.
    fn open(&mut self, types: &[&str]) -> Result<(), Trouble> {
        match self.content()? {
            Content::Text(_) => Err(Trouble::protocol(format!("{} was expected, not a bare string", types[0]))),
            Content::Child(start) => expect_type(start.local_name().as_ref(), types),
        }
    }
}

fn expect_type(found: &str, types: &[&str]) -> Result<(), Trouble> {
    if types.contains(&found) { Ok(()) } else { Err(Trouble::protocol(format!("{} was expected, not {}", types[0], shortened(found)))) }
}

macro_rules! scalars {
    ($($name:ident $visit:ident $types:expr, $read:path;)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> { visitor.$visit($read(&self.text($types)?)?) })*
    };
}

impl<'de> Deserializer<'de> for Value<'_, 'de> {
    type Error = Trouble;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::protocol("a value is read as the type that the operation has there"))
    }

    scalars! {
        deserialize_bool visit_bool &["boolean"], scalar::boolean;
        deserialize_u8 visit_u8 &WHOLE, scalar::whole;
        deserialize_u16 visit_u16 &WHOLE, scalar::whole;
        deserialize_i16 visit_i16 &WHOLE, scalar::whole;
        deserialize_i32 visit_i32 &WHOLE, scalar::whole;
        deserialize_i64 visit_i64 &WHOLE, scalar::whole;
        deserialize_u32 visit_u32 &WHOLE, scalar::whole;
        deserialize_u64 visit_u64 &WHOLE, scalar::whole;
        deserialize_f32 visit_f32 &REAL, scalar::real;
        deserialize_f64 visit_f64 &REAL, scalar::real;
        deserialize_byte_buf visit_byte_buf &["base64"], scalar::octets;
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let value = self.text(&["string"])?;
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

    /// An optional member may be left out, or be `<nil/>`.
    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Trouble> {
        let content = self.content()?;
        if matches!(&content, Content::Child(start) if start.local_name().as_ref() == "nil") {
            self.pull.end()?;
            self.pull.end()?;
            return visitor.visit_none();
        }
        visitor.visit_some(Value { content: Some(content), ..self })
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Trouble> {
        self.open(&["array"])?;
        let pull = self.pull;
        pull.expect("data")?;
        let read = visitor.visit_seq(Elements(pull))?;
        pull.end()?;
        pull.end()?;
        Ok(read)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(mut self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        self.open(&["struct"])?;
        let pull = self.pull;
        let read = visitor.visit_map(Members(pull))?;
        pull.end()?;
        Ok(read)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Trouble> {
        let name = self.text(&["string"])?;
        let name: StrDeserializer<Trouble> = (&*name).into_deserializer();
        visitor.visit_enum(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Trouble> {
        if name == any::NAME { visitor.visit_str(&self.text(&["string"])?) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.pull.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i128 u128 char bytes unit unit_struct tuple tuple_struct identifier
    }
}

/// The values of an array, up to the end of its `<data>`.
struct Elements<'a, 'de>(&'a mut Pull<'de>);

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Trouble;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        match self.0.child()? {
            None => Ok(None),
            Some(start) if is_named(&start, "value") => seed.deserialize(value(self.0)).map(Some),
            Some(_) => Err(Trouble::protocol("an array's data holds values")),
        }
    }
}

/// The members of a struct, up to its end.
struct Members<'a, 'de>(&'a mut Pull<'de>);

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Trouble;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Trouble> {
        match self.0.child()? {
            None => return Ok(None),
            Some(start) if is_named(&start, "member") => {}
            Some(_) => return Err(Trouble::protocol("a struct holds members")),
        }
        self.0.expect("name")?;
        let name = self.0.text()?;
        seed.deserialize(StrDeserializer::<Trouble>::new(&name)).map(Some)
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        self.0.expect("value")?;
        let read = seed.deserialize(value(self.0))?;
        self.0.end()?;
        Ok(read)
    }
}

/// The text of the fault in the value that was just opened.
pub fn fault_string(pull: &mut Pull) -> Result<String, Trouble> {
    #[derive(serde::Deserialize)]
    struct Fault {
        #[serde(rename = "faultString")]
        string: String,
    }
    let fault: Fault = serde::Deserialize::deserialize(value(pull))?;
    Ok(fault.string)
}
