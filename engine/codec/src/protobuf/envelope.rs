//! The envelope as `contract/service.proto` has it, for decoding. Messages that are alike on the wire are one type here.

use callbench_kit::Failure;
use callbench_own as own;
use callbench_service::{Answer, Call, Fault, Octets, Person, SearchResponse, Structure, Value};
use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType};
use prost::{DecodeError, Message};

use super::super::{Mark, Reply};

/// Messages of one field with tag 1.
macro_rules! holders {
    ($($name:ident { $type:ty, $($kind:tt)* })*) => {
        $(
            #[derive(Clone, PartialEq, prost::Message)]
            pub struct $name {
                #[prost($($kind)*, tag = "1")]
                pub value: $type,
            }
        )*
    };
}

holders! {
    Boolean { bool, bool }
    Small { u32, uint32 }
    Int { i32, int32 }
    Long { i64, int64 }
    Float { f32, float }
    Double { f64, double }
    Text { String, string }
    Bytes { Vec<u8>, bytes = "vec" }
    Object { Box<Person>, message, required }
    Echoed { Box<Structure>, message, required }
    Booleans { Vec<bool>, bool, repeated }
    Smalls { Vec<u32>, uint32, repeated }
    Ints { Vec<i32>, int32, repeated }
    Longs { Vec<i64>, int64, repeated }
    Floats { Vec<f32>, float, repeated }
    Doubles { Vec<f64>, double, repeated }
    Texts { Vec<String>, string, repeated }
    Objects { Vec<Person>, message, repeated }
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Nothing {}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Sum {
    #[prost(int32, tag = "1")]
    pub a: i32,
    #[prost(int32, tag = "2")]
    pub b: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct BinaryData {
    #[prost(int32, tag = "1")]
    pub size: i32,
    #[prost(string, tag = "2")]
    pub fill: String,
}

/// Writes the `oneof` of calls: variant, tag, type, the operation, and how it becomes a `Call`.
macro_rules! requests {
    ($($variant:ident $tag:literal $type:ident: $it:pat => $call:expr;)*) => {
        #[derive(Clone, PartialEq, prost::Oneof)]
        pub enum Request {
            $(#[prost(message, tag = $tag)] $variant($type),)*
        }

        impl Request {
            /// The call for the service. Each kind is created in its final place: moving it afterwards would cost as much as reading it.
            #[inline]
            pub fn into_call(self, mark: Mark) -> (Reply, Result<Call, Fault>) {
                match self {
                    $(Request::$variant($it) => {
                        let made = || Ok::<Call, String>($call);
                        match made() {
                            Ok(call) => Reply::to(call, mark),
                            Err(message) => Reply::refuse_call(mark, stringify!($variant), message),
                        }
                    })*
                }
            }
        }

        #[derive(Clone, PartialEq, prost::Message)]
        pub struct CallRequest {
            #[prost(uint32, tag = "1")]
            pub id: u32,
            #[prost(oneof = "Request", tags($($tag),*))]
            pub call: Option<Request>,
        }
    };
}

requests! {
    Empty 2 Nothing: _ => Call::Empty;
    Sum 3 Sum: it => Call::Sum { a: it.a, b: it.b };
    GetPersons 4 Int: it => Call::GetPersons { n: it.value };
    GetBinaryData 5 BinaryData: it => Call::GetBinaryData { size: it.size, fill: it.fill };
    EchoStructure 6 Echoed: it => Call::EchoStructure(it.value);
    EchoString 7 Text: it => Call::EchoString(it.value);
    Hello 8 Nothing: _ => Call::Hello;
    FindItems 9 Int: it => Call::FindItems { n: it.value };
    SendBoolean 10 Boolean: it => Call::Send(Value::Boolean(it.value));
    SendByte 11 Small: it => Call::Send(Value::Byte(narrow(it.value)?));
    SendChar 12 Small: it => Call::Send(Value::Char(narrow(it.value)?));
    SendShort 13 Int: it => Call::Send(Value::Short(narrow(it.value)?));
    SendInt 14 Int: it => Call::Send(Value::Int(it.value));
    SendLong 15 Long: it => Call::Send(Value::Long(it.value));
    SendFloat 16 Float: it => Call::Send(Value::Float(it.value));
    SendDouble 17 Double: it => Call::Send(Value::Double(it.value));
    SendString 18 Text: it => Call::Send(Value::Text(it.value));
    SendObject 19 Object: it => Call::Send(Value::Object(it.value));
    SendBooleanArray 20 Booleans: it => Call::Send(Value::Booleans(it.value));
    SendByteArray 21 Bytes: it => Call::Send(Value::Bytes(Octets(it.value)));
    SendCharArray 22 Smalls: it => Call::Send(Value::Chars(narrow_all(it.value)?));
    SendShortArray 23 Ints: it => Call::Send(Value::Shorts(narrow_all(it.value)?));
    SendIntArray 24 Ints: it => Call::Send(Value::Ints(it.value));
    SendLongArray 25 Longs: it => Call::Send(Value::Longs(it.value));
    SendFloatArray 26 Floats: it => Call::Send(Value::Floats(it.value));
    SendDoubleArray 27 Doubles: it => Call::Send(Value::Doubles(it.value));
    SendStringArray 28 Texts: it => Call::Send(Value::Texts(it.value));
    SendObjectArray 29 Objects: it => Call::Send(Value::Objects(it.value));
}

/// A number of a type that Protocol Buffers do not have, from the next wider one.
fn narrow<W: Copy + std::fmt::Display, N: TryFrom<W>>(wide: W) -> Result<N, String> {
    N::try_from(wide).map_err(|_| format!("value is {wide}: that is beyond {}", std::any::type_name::<N>()))
}

fn narrow_all<W: Copy + std::fmt::Display, N: TryFrom<W>>(wide: Vec<W>) -> Result<Vec<N>, String> {
    wide.into_iter().map(narrow).collect()
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Answered {
    #[prost(message, tag = "2")]
    Fault(Text),
    #[prost(message, tag = "3")]
    Nothing(Nothing),
    #[prost(message, tag = "4")]
    Number(Int),
    #[prost(message, tag = "5")]
    Persons(Objects),
    #[prost(message, tag = "6")]
    Octets(Bytes),
    #[prost(message, tag = "7")]
    Structure(Echoed),
    #[prost(message, tag = "8")]
    Text(Text),
    #[prost(message, boxed, tag = "9")]
    Found(Box<SearchResponse>),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct CallAnswer {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(oneof = "Answered", tags = "2, 3, 4, 5, 6, 7, 8, 9")]
    pub answer: Option<Answered>,
}

impl Answered {
    /// The answer; a fault is a failure.
    pub fn into_answer(self) -> Result<Answer, Failure> {
        Ok(match self {
            Answered::Fault(fault) => return Err(Failure::fault(fault.value)),
            Answered::Nothing(_) => Answer::Nothing,
            Answered::Number(it) => Answer::Number(it.value),
            Answered::Persons(it) => Answer::Persons(it.value),
            Answered::Octets(it) => Answer::Octets(Octets(it.value)),
            Answered::Structure(it) => Answer::Structure(it.value),
            Answered::Text(it) => Answer::Text(it.value),
            Answered::Found(it) => Answer::Found(it),
        })
    }
}

/// An envelope that may hold a call of a service of the user's own, or its answer.
#[derive(Debug)]
pub struct WithOwn<M, O> {
    pub known: M,
    pub own: Option<O>,
}

impl<M: Default, O> Default for WithOwn<M, O> {
    fn default() -> Self {
        WithOwn { known: M::default(), own: None }
    }
}

/// What stands in the envelope beside what `contract/service.proto` has.
pub trait Own: Sized + Send + Sync {
    fn take(field: &mut Option<Self>, tag: u32, kind: WireType, from: &mut impl Buf, context: DecodeContext) -> Result<(), DecodeError>;
}

macro_rules! own {
    ($($type:ty),*) => {
        $(impl Own for $type {
            fn take(field: &mut Option<Self>, tag: u32, kind: WireType, from: &mut impl Buf, context: DecodeContext) -> Result<(), DecodeError> {
                <$type>::take(field, tag, kind, from, context)
            }
        })*
    };
}
own!(own::Request, own::Answer);

/// Decoding alone: `write` encodes.
impl<M: Message + Default, O: Own> Message for WithOwn<M, O> {
    fn encode_raw(&self, out: &mut impl BufMut) {
        self.known.encode_raw(out);
    }

    fn merge_field(&mut self, tag: u32, kind: WireType, from: &mut impl Buf, context: DecodeContext) -> Result<(), DecodeError> {
        if tag < own::FIRST_TAG {
            self.known.merge_field(tag, kind, from, context)
        } else {
            O::take(&mut self.own, tag, kind, from, context)
        }
    }

    fn encoded_len(&self) -> usize {
        self.known.encoded_len()
    }

    fn clear(&mut self) {
        *self = WithOwn::default();
    }
}
