//! Calls with arguments, answers with values, and their encoding with any serde format.
//!
//! Formats without types need the name of the operation to decode: `Call::decode` and `Answer::decode` take it. The parameters of a call are encoded
//! as one struct with the name of the operation.

use callbench_own as own;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::records::{Octets, Person, SearchResponse, Structure};

mod altered;

/// What `GetBinaryData` fills its answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    Article,
    Random,
    Zero,
    Text,
}

impl Fill {
    /// The fill with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "article" => Some(Fill::Article),
            "random" => Some(Fill::Random),
            "zero" => Some(Fill::Zero),
            "text" => Some(Fill::Text),
            _ => None,
        }
    }
}

/// The parameter of `Send`. Long values are boxed here and below, because calls and answers are moved often and most of them are short.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Boolean(bool),
    Byte(u8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Text(String),
    Object(Box<Person>),
    Booleans(Vec<bool>),
    Bytes(Octets),
    Chars(Vec<u16>),
    Shorts(Vec<i16>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
    Texts(Vec<String>),
    Objects(Vec<Person>),
}

/// One call of the service.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Empty,
    Send(Value),
    Sum {
        a: i32,
        b: i32,
    },
    GetPersons {
        n: i32,
    },
    /// `fill` is text here, because a server must be able to refuse an unknown one.
    GetBinaryData {
        size: i32,
        fill: String,
    },
    EchoStructure(Box<Structure>),
    EchoString(String),
    Hello,
    FindItems {
        n: i32,
    },
    /// A call of a service of the user's own.
    Own(own::Request),
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Nothing,
    Number(i32),
    Persons(Vec<Person>),
    Octets(Octets),
    Structure(Box<Structure>),
    Text(String),
    Found(Box<SearchResponse>),
    Own(own::Answer),
}

/// An error that the server reports, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
}

pub use callbench_contract::operations::OPERATIONS;

/// Every operation on the wire: Callbench's own, and those of a service of the user's own.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPERATIONS.into_iter().chain(own::CALLS.iter().copied())
}

/// Calls `$then!` with the table of Send's variants: variant, operation, type.
macro_rules! each_value {
    ($then:ident) => {
        $then! {
            Boolean "SendBoolean" bool, Byte "SendByte" u8, Char "SendChar" u16, Short "SendShort" i16, Int "SendInt" i32,
            Long "SendLong" i64, Float "SendFloat" f32, Double "SendDouble" f64, Text "SendString" String, Object "SendObject" Box<Person>,
            Booleans "SendBooleanArray" Vec<bool>, Bytes "SendByteArray" Octets, Chars "SendCharArray" Vec<u16>,
            Shorts "SendShortArray" Vec<i16>, Ints "SendIntArray" Vec<i32>, Longs "SendLongArray" Vec<i64>,
            Floats "SendFloatArray" Vec<f32>, Doubles "SendDoubleArray" Vec<f64>, Texts "SendStringArray" Vec<String>,
            Objects "SendObjectArray" Vec<Person>
        }
    };
}

/// A struct with one field, with the name of the operation.
fn one<S: Serializer>(to: S, operation: &'static str, name: &'static str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut fields = to.serialize_struct(operation, 1)?;
    fields.serialize_field(name, value)?;
    fields.end()
}

macro_rules! value_codec {
    ($($variant:ident $operation:literal $type:ty),*) => {
        impl Value {
            /// The operation on the wire.
            #[must_use]
            #[inline]
            pub fn operation(&self) -> &'static str {
                match self { $(Value::$variant(_) => $operation),* }
            }

            fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                match self { $(Value::$variant(value) => one(to, $operation, "value", value)),* }
            }

            /// None if `operation` is not a Send.
            fn decode<'de, D: Deserializer<'de>>(operation: &str, from: D) -> Option<Result<Self, D::Error>> {
                match operation {
                    $($operation => {
                        #[derive(Deserialize)]
                        #[serde(rename = $operation)]
                        struct Parameters { value: $type }
                        Some(Parameters::deserialize(from).map(|it| Value::$variant(it.value)))
                    })*
                    _ => None,
                }
            }
        }
    };
}
each_value!(value_codec);

impl Call {
    /// The operation on the wire. `Send` has one operation per type.
    #[must_use]
    #[inline]
    pub fn operation(&self) -> &'static str {
        match self {
            Call::Send(value) => value.operation(),
            other => other.name(),
        }
    }

    /// The call's name in `contract/SERVICE.md`.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &'static str {
        match self {
            Call::Empty => "Empty",
            Call::Send(_) => "Send",
            Call::Sum { .. } => "Sum",
            Call::GetPersons { .. } => "GetPersons",
            Call::GetBinaryData { .. } => "GetBinaryData",
            Call::EchoStructure(_) => "EchoStructure",
            Call::EchoString(_) => "EchoString",
            Call::Hello => "Hello",
            Call::FindItems { .. } => "FindItems",
            Call::Own(request) => own::CALLS[request.place()],
        }
    }

    /// Writes the parameters as a struct named after the operation.
    pub fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Call::Empty | Call::Hello => to.serialize_struct(self.name(), 0)?.end(),
            Call::Send(value) => value.encode(to),
            Call::Sum { a, b } => {
                let mut fields = to.serialize_struct("Sum", 2)?;
                fields.serialize_field("a", a)?;
                fields.serialize_field("b", b)?;
                fields.end()
            }
            Call::GetPersons { n } | Call::FindItems { n } => one(to, self.name(), "n", n),
            Call::GetBinaryData { size, fill } => {
                let mut fields = to.serialize_struct("GetBinaryData", 2)?;
                fields.serialize_field("size", size)?;
                fields.serialize_field("fill", fill)?;
                fields.end()
            }
            Call::EchoStructure(structure) => one(to, "EchoStructure", "structure", structure),
            Call::EchoString(value) => one(to, "EchoString", "value", value),
            Call::Own(request) => request.write(to),
        }
    }

    /// Reads the parameters of `operation`. An unknown operation is an error of the format.
    #[expect(clippy::inline_always, reason = "a call that is moved on from here costs as much as a short one does to read")]
    #[inline(always)]
    pub fn decode<'de, D: Deserializer<'de>>(operation: &str, from: D) -> Result<Self, D::Error> {
        match operation {
            "Empty" => {
                #[derive(Deserialize)]
                struct Empty {}
                Empty::deserialize(from).map(|_| Call::Empty)
            }
            "Hello" => {
                #[derive(Deserialize)]
                struct Hello {}
                Hello::deserialize(from).map(|_| Call::Hello)
            }
            "Sum" => {
                #[derive(Deserialize)]
                struct Sum {
                    a: i32,
                    b: i32,
                }
                Sum::deserialize(from).map(|it| Call::Sum { a: it.a, b: it.b })
            }
            "GetPersons" => {
                #[derive(Deserialize)]
                struct GetPersons {
                    n: i32,
                }
                GetPersons::deserialize(from).map(|it| Call::GetPersons { n: it.n })
            }
            "FindItems" => {
                #[derive(Deserialize)]
                struct FindItems {
                    n: i32,
                }
                FindItems::deserialize(from).map(|it| Call::FindItems { n: it.n })
            }
            "GetBinaryData" => {
                #[derive(Deserialize)]
                struct GetBinaryData {
                    size: i32,
                    fill: String,
                }
                GetBinaryData::deserialize(from).map(|it| Call::GetBinaryData { size: it.size, fill: it.fill })
            }
            "EchoStructure" => {
                #[derive(Deserialize)]
                struct EchoStructure {
                    structure: Box<Structure>,
                }
                EchoStructure::deserialize(from).map(|it| Call::EchoStructure(it.structure))
            }
            "EchoString" => {
                #[derive(Deserialize)]
                struct EchoString {
                    value: String,
                }
                EchoString::deserialize(from).map(|it| Call::EchoString(it.value))
            }
            _ => match own::place_of(operation) {
                Some(place) => own::Request::read(place, from).map(Call::Own),
                None => Value::decode(operation, from).unwrap_or_else(|| Err(unknown(operation))).map(Call::Send),
            },
        }
    }
}

fn unknown<E: de::Error>(operation: &str) -> E {
    let shown: String = operation.chars().take(64).collect();
    E::custom(format_args!("the service has no operation {shown}"))
}

impl Answer {
    /// Writes the value alone. No value is written as a unit.
    pub fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Answer::Nothing => to.serialize_unit(),
            Answer::Number(number) => number.serialize(to),
            Answer::Persons(persons) => persons.serialize(to),
            Answer::Octets(octets) => octets.serialize(to),
            Answer::Structure(structure) => structure.serialize(to),
            Answer::Text(text) => text.serialize(to),
            Answer::Found(found) => found.serialize(to),
            Answer::Own(answer) => answer.write(to),
        }
    }

    /// Reads the answer to `operation`. It must not be called for operations without an answer.
    pub fn decode<'de, D: Deserializer<'de>>(operation: &str, from: D) -> Result<Self, D::Error> {
        match operation {
            "Sum" => i32::deserialize(from).map(Answer::Number),
            "GetPersons" => Vec::deserialize(from).map(Answer::Persons),
            "GetBinaryData" => Octets::deserialize(from).map(Answer::Octets),
            "EchoStructure" => Deserialize::deserialize(from).map(Answer::Structure),
            "EchoString" | "Hello" => String::deserialize(from).map(Answer::Text),
            "FindItems" => Deserialize::deserialize(from).map(Answer::Found),
            _ => match own::place_of(operation) {
                Some(place) => own::Answer::read(place, from).map(Answer::Own),
                None => Err(unknown(operation)),
            },
        }
    }

    /// Whether `operation` has no answer.
    #[must_use]
    #[inline]
    pub fn is_nothing(operation: &str) -> bool {
        operation == "Empty" || (operation.starts_with("Send") && own::place_of(operation).is_none())
    }
}
