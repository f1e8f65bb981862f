//! What every operation takes and answers, learnt from how the vocabulary decodes itself: the records are described once, in the service's crate, and
//! the tags and the WSDL follow from there.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use callbench_own::any;
use callbench_service::call;
use callbench_service::{Answer, Call};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::trouble::Trouble;
use super::super::xml::writer::Tag;

/// A type of XML Schema, or one made of them.
pub enum Kind {
    /// A type of XML Schema by its name.
    Simple(&'static str),
    Record(Arc<Record>),
    /// A record within itself, by its name: `record` has it.
    Again(&'static str),
    /// The element of the list.
    List(Box<Slot>),
}

pub struct Record {
    pub name: &'static str,
    pub fields: Vec<Slot>,
}

/// A place for a value: a parameter, a field, an element of a list, a result.
pub struct Slot {
    pub name: &'static str,
    pub kind: Kind,
    pub optional: bool,
    /// Its start tag; a list's lacks the count and what follows it.
    pub tag: Tag,
}

/// Behind a list's count.
pub const COUNTED: &str = "]\"";

impl Slot {
    fn new(name: &'static str, shape: Shape) -> Self {
        let attributes = match &shape.kind {
            Kind::List(item) => format!(" xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"{}[", item.kind.qualified("ns1")),
            kind => format!(" xsi:type=\"{}\"", kind.qualified("ns1")),
        };
        Slot { name, tag: Tag::new(name, &attributes), kind: shape.kind, optional: shape.optional }
    }
}

impl Kind {
    /// The type's name with a prefix; the service's own types are under `own`.
    pub fn qualified(&self, own: &str) -> String {
        match self {
            Kind::Simple(name) => format!("xsd:{name}"),
            Kind::Record(record) => format!("{own}:{}", record.name),
            Kind::Again(name) => format!("{own}:{name}"),
            Kind::List(_) => format!("{own}:{}", self.local()),
        }
    }

    /// The name of the type. For a list, it contains the type of the elements.
    pub fn local(&self) -> String {
        match self {
            Kind::Simple(name) | Kind::Again(name) => (*name).to_owned(),
            Kind::Record(record) => record.name.to_owned(),
            Kind::List(item) => {
                let held = item.kind.local();
                let (first, rest) = held.split_at(1);
                format!("ArrayOf{}{rest}", first.to_uppercase())
            }
        }
    }
}

pub struct Operation {
    pub name: &'static str,
    pub parameters: Vec<Slot>,
    pub result: Option<Slot>,
    /// The element of a request and of an answer.
    pub request: Tag,
    pub answer: Tag,
}

/// Every operation, in the order of `contract/SERVICE.md`, and those of the user's own service.
pub fn operations() -> &'static [Operation] {
    static ALL: LazyLock<Vec<Operation>> = LazyLock::new(|| call::operations().map(learn).collect());
    &ALL
}

pub fn operation(name: &str) -> Option<&'static Operation> {
    operations().iter().find(|it| it.name == name)
}

/// The record of this name, which some operation has.
pub fn record(name: &str) -> Option<&'static Record> {
    static ALL: LazyLock<HashMap<&'static str, &'static Record>> = LazyLock::new(|| {
        let mut found = HashMap::new();
        let slots = operations().iter().flat_map(|operation| operation.parameters.iter().chain(&operation.result));
        slots.for_each(|slot| gather(&slot.kind, &mut found));
        found
    });
    ALL.get(name).copied()
}

fn gather(kind: &'static Kind, found: &mut HashMap<&'static str, &'static Record>) {
    match kind {
        Kind::Simple(_) | Kind::Again(_) => {}
        Kind::List(item) => gather(&item.kind, found),
        Kind::Record(record) => {
            found.insert(record.name, record);
            record.fields.iter().for_each(|field| gather(&field.kind, found));
        }
    }
}

fn learn(name: &'static str) -> Operation {
    let mut parameters = None;
    // The result of decoding is not used, only the requested types.
    let _ = Call::decode(name, Learner { to: &mut parameters, within: &[] });
    let parameters = match parameters {
        Some(Shape { kind: Kind::Record(record), .. }) => Arc::into_inner(record).map_or_else(Vec::new, |it| it.fields),
        _ => Vec::new(),
    };
    let mut result = None;
    if !Answer::is_nothing(name) {
        let _ = Answer::decode(name, Learner { to: &mut result, within: &[] });
    }
    Operation {
        name,
        parameters,
        result: result.map(|shape| Slot::new("Result", shape)),
        request: Tag::new(&format!("ns1:{name}"), ""),
        answer: Tag::new(&format!("ns1:{name}Response"), ""),
    }
}

struct Shape {
    kind: Kind,
    optional: bool,
}

/// Returns a simple value for each requested type, and notes the type.
struct Learner<'a> {
    to: &'a mut Option<Shape>,
    /// The records that are being learnt: one within itself would be learnt for ever.
    within: &'a [&'static str],
}

impl Learner<'_> {
    fn keep(&mut self, kind: Kind) {
        *self.to = Some(Shape { kind, optional: false });
    }
}

macro_rules! learn_simple {
    ($($name:ident $visit:ident $schema:literal $value:expr;)*) => {
        $(fn $name<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Trouble> {
            self.keep(Kind::Simple($schema));
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Learner<'_> {
    type Error = Trouble;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Trouble> {
        Err(Trouble::protocol("this type has no place in the schema"))
    }

    learn_simple! {
        deserialize_bool visit_bool "boolean" false;
        deserialize_u8 visit_u8 "unsignedByte" 0;
        deserialize_u16 visit_u16 "unsignedShort" 0;
        deserialize_i16 visit_i16 "short" 0;
        deserialize_i32 visit_i32 "int" 0;
        deserialize_i64 visit_i64 "long" 0;
        deserialize_u32 visit_u32 "unsignedInt" 0;
        deserialize_u64 visit_u64 "unsignedLong" 0;
        deserialize_f32 visit_f32 "float" 0.0;
        deserialize_f64 visit_f64 "double" 0.0;
        deserialize_str visit_str "string" "0";
        deserialize_string visit_str "string" "0";
        deserialize_byte_buf visit_bytes "base64Binary" &[];
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let value = visitor.visit_some(Learner { to: &mut *self.to, within: self.within });
        if let Some(shape) = self.to {
            shape.optional = true;
        }
        value
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Trouble> {
        let mut slots = Vec::new();
        let value = visitor.visit_seq(Fields { names: &["item"], slots: &mut slots, within: self.within });
        if let Some(item) = slots.pop() {
            self.keep(Kind::List(Box::new(item)));
        }
        value
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        if self.within.contains(&name) {
            self.keep(Kind::Again(name));
            // All of its members have defaults.
            return visitor.visit_seq(Fields { names: &[], slots: &mut Vec::new(), within: self.within });
        }
        let within = [self.within, &[name]].concat();
        let mut fields = Vec::new();
        let value = visitor.visit_seq(Fields { names, slots: &mut fields, within: &within });
        self.keep(Kind::Record(Arc::new(Record { name, fields })));
        value
    }

    /// An array of entries, since SOAP's encoding has no maps.
    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Trouble> {
        let mut slots = Vec::new();
        let value = visitor.visit_map(Fields { names: &["key", "value"], slots: &mut slots, within: self.within });
        let held = slots.last().map_or_else(String::new, |slot: &Slot| slot.kind.local());
        // As long as the program: a schema has few maps.
        let name = format!("EntryOf{held}").leak();
        let entry = Kind::Record(Arc::new(Record { name, fields: slots }));
        self.keep(Kind::List(Box::new(Slot::new("item", Shape { kind: entry, optional: false }))));
        value
    }

    /// An enumeration travels as the name of its value.
    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        self.keep(Kind::Simple("string"));
        let name: StrDeserializer<Trouble> = names.first().copied().unwrap_or_default().into_deserializer();
        visitor.visit_enum(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(mut self, name: &'static str, visitor: V) -> Result<V::Value, Trouble> {
        if name == any::NAME {
            self.keep(Kind::Simple("string"));
            return visitor.visit_str("null");
        }
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i128 u128 char bytes unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// A slot for each name.
struct Fields<'a> {
    names: &'static [&'static str],
    slots: &'a mut Vec<Slot>,
    within: &'a [&'static str],
}

impl Fields<'_> {
    /// Learns the next slot, if one is left.
    fn next<'de, T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        let Some(name) = self.names.get(self.slots.len()) else { return Ok(None) };
        let mut shape = None;
        let value = seed.deserialize(Learner { to: &mut shape, within: self.within })?;
        self.slots.push(Slot::new(name, shape.ok_or_else(|| Trouble::protocol("a field asked for nothing"))?));
        Ok(Some(value))
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Trouble;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        self.next(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        self.next(seed)?.ok_or_else(|| Trouble::protocol("a key has a value"))
    }
}

impl<'de> SeqAccess<'de> for Fields<'_> {
    type Error = Trouble;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Trouble> {
        self.next(seed)
    }
}
