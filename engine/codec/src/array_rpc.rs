//! A call as an array of four, as MessagePack-RPC has it: `[0, id, method, [parameters]]`, answered by `[1, id, error, result]`.
//!
//! What `msgpack` and `cbor` share: reading both out of any serde format. Each writes its own.

use std::fmt;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::reply::known;
use super::{Mark, Refusal, Reply};

/// What the first element says a message is.
pub const REQUEST: u8 = 0;
pub const ANSWER: u8 = 1;

/// The id of every request: a connection has one call under way at a time.
pub const ID: u32 = 1;

/// How many elements each message has.
pub const ELEMENTS: u8 = 4;

/// The id that an answer repeats.
pub fn id(reply: &Reply) -> i64 {
    if let Mark::Number(id) = reply.mark { id } else { 0 }
}

/// How far a request could be read. The call is put here by its reader: it is longer than what the layers in between hand on.
#[derive(Default)]
pub struct Request {
    id: Option<u32>,
    call: Option<Call>,
    method: &'static str,
    reached: bool,
}

impl Request {
    fn mark(&self) -> Mark {
        self.id.map_or(Mark::None, |id| Mark::Number(i64::from(id)))
    }

    /// The call, or why the request is refused.
    pub fn read<E: fmt::Display>(self, read: Result<(), E>) -> (Reply, Result<Call, Fault>) {
        let mark = self.mark();
        match (read, self.call) {
            (Ok(()), Some(call)) => Reply::to(call, mark),
            (Ok(()), None) => Reply { mark, ..Reply::default() }.refuse(Refusal::Unreadable, "a request has four elements"),
            (Err(error), _) if self.reached => Reply::refuse_call(mark, self.method, error.to_string()),
            (Err(error), _) => Reply { mark, ..Reply::default() }.refuse(Refusal::Unreadable, error.to_string()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Request {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &mut Request {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a request of four elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let missing = || A::Error::custom("a request has four elements");
        if elements.next_element::<u8>()?.ok_or_else(missing)? != REQUEST {
            return Err(A::Error::custom("a request begins with 0"));
        }
        self.id = Some(elements.next_element()?.ok_or_else(missing)?);
        let method = elements.next_element::<&str>()?.ok_or_else(missing)?;
        match elements.next_element_seed(ReadCall { operation: method, to: &mut self.call }) {
            Ok(read) => read.ok_or_else(missing),
            Err(error) => {
                self.reached = true;
                self.method = known(method).unwrap_or_default();
                Err(error)
            }
        }
    }
}

struct ReadCall<'a> {
    operation: &'a str,
    to: &'a mut Option<Call>,
}

impl<'de> DeserializeSeed<'de> for ReadCall<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        *self.to = Some(Call::decode(self.operation, Positions(from))?);
        Ok(())
    }
}

/// Parameters that go by position, though they are a struct: some formats look for their names otherwise.
struct Positions<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Positions<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_seq(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// Reads the answer to an operation.
pub struct ReadAnswer {
    pub operation: &'static str,
}

impl<'de> DeserializeSeed<'de> for ReadAnswer {
    type Value = Result<Answer, Failure>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ReadAnswer {
    type Value = Result<Answer, Failure>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("an answer of four elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let missing = || A::Error::custom("an answer has four elements");
        let kind = elements.next_element::<u8>()?.ok_or_else(missing)?;
        let id = elements.next_element::<u32>()?.ok_or_else(missing)?;
        if let Some(complaint) = elements.next_element::<Option<String>>()?.ok_or_else(missing)? {
            elements.next_element::<IgnoredAny>()?;
            return Ok(Err(Failure::fault(complaint)));
        }
        if (kind, id) != (ANSWER, ID) {
            return Err(A::Error::custom("this is no answer to the request"));
        }
        elements.next_element_seed(ReadResult { operation: self.operation })?.ok_or_else(missing).map(Ok)
    }
}

struct ReadResult {
    operation: &'static str,
}

impl<'de> DeserializeSeed<'de> for ReadResult {
    type Value = Answer;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Answer, D::Error> {
        if Answer::is_nothing(self.operation) {
            return match Option::<IgnoredAny>::deserialize(from)? {
                None => Ok(Answer::Nothing),
                Some(_) => Err(D::Error::custom("an answer of nothing has a result")),
            };
        }
        Answer::decode(self.operation, from)
    }
}
