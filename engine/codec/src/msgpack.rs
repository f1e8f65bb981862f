//! MessagePack-RPC, <https://github.com/msgpack-rpc/msgpack-rpc/blob/master/spec.md>, with `rmp-serde`: `[0, id, method, [parameters]]`, answered by
//! `[1, id, error, result]`. Parameters go by position; records are maps from names; octets are binary. A fault's error is its text.

use std::fmt;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};
use rmp_serde::config::{DefaultConfig, StructMapConfig};
use rmp_serde::decode::{Error as DecodeError, ReadRefReader};
use rmp_serde::encode::Error as EncodeError;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::parameters::{Parameters, Sink};
use super::reply::known;
use super::{DEPTH, Mark, Message, Refusal, Reply};

/// What the first element says a message is.
const REQUEST: u8 = 0;
const ANSWER: u8 = 1;

/// The id of every request: a connection has one call under way at a time.
const ID: u32 = 1;

/// The byte of an array of so many elements, fewer than 16.
const fn array(count: u8) -> u8 {
    0x90 | count
}

pub struct MsgPack;

impl Message for MsgPack {
    fn name(&self) -> &'static str {
        "msgpack"
    }

    fn content_type(&self) -> &'static str {
        "application/msgpack"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.push(array(4));
        call.encode(Parameters(&mut Positions(writer(out)))).map_err(|error| cannot_carry(&error))
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let mut request = Request::default();
        let read = whole(bytes, &mut request);
        let mark = request.mark();
        match (read, request.call) {
            (Ok(()), Some(call)) => Reply::to(call, mark),
            (Ok(()), None) => Reply { mark, ..Reply::default() }.refuse(Refusal::Unreadable, "a request has four elements"),
            (Err(error), _) if request.reached => Reply::refuse_call(mark, request.method, error.to_string()),
            (Err(error), _) => Reply { mark, ..Reply::default() }.refuse(Refusal::Unreadable, error.to_string()),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        write_head(reply, out);
        let mut to = writer(out);
        ().serialize(&mut to).map_err(|error| cannot_carry(&error))?;
        answer.encode(&mut to).map_err(|error| cannot_carry(&error))
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        write_head(reply, out);
        let mut to = writer(out);
        // Writing to memory fails only where memory ends, and text always has a form.
        let _ = message.serialize(&mut to);
        let _ = ().serialize(&mut to);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        whole(bytes, ReadAnswer { operation: call.operation() }).map_err(Failure::protocol)?
    }
}

type Writer<'a> = rmp_serde::Serializer<&'a mut Vec<u8>, StructMapConfig<DefaultConfig>>;

fn writer(out: &mut Vec<u8>) -> Writer<'_> {
    rmp_serde::Serializer::new(out).with_struct_map()
}

fn cannot_carry(error: &EncodeError) -> Failure {
    Failure::new(callbench_kit::Kind::CannotCarry, error.to_string())
}

/// An answer up to its error.
fn write_head(reply: &Reply, out: &mut Vec<u8>) {
    out.extend_from_slice(&[array(4), ANSWER]);
    let id = if let Mark::Number(id) = reply.mark { id } else { 0 };
    // An integer in memory always has a form.
    let _ = id.serialize(&mut writer(out));
}

/// Parameters as the array that ends a request.
struct Positions<'a>(Writer<'a>);

impl Sink for Positions<'_> {
    type Error = EncodeError;

    fn begin(&mut self, operation: &'static str, count: usize) -> Result<(), EncodeError> {
        REQUEST.serialize(&mut self.0)?;
        ID.serialize(&mut self.0)?;
        operation.serialize(&mut self.0)?;
        self.0.get_mut().push(array(count as u8));
        Ok(())
    }

    fn parameter<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), EncodeError> {
        value.serialize(&mut self.0)
    }
}

/// Reads one message that fills `bytes`.
fn whole<'de, S: DeserializeSeed<'de>>(bytes: &'de [u8], seed: S) -> Result<S::Value, DecodeError> {
    let mut from: rmp_serde::Deserializer<ReadRefReader<'de, [u8]>> = rmp_serde::Deserializer::from_read_ref(bytes);
    from.set_max_depth(DEPTH);
    let read = seed.deserialize(&mut from)?;
    // The reader does not say what is left of its bytes: at their end no marker is left to read.
    match IgnoredAny::deserialize(&mut from) {
        Err(DecodeError::InvalidMarkerRead(_)) => Ok(read),
        _ => Err(DecodeError::custom("bytes are left behind the message")),
    }
}

/// How far a request could be read. The call is put here by its reader: it is longer than what the layers in between hand on.
#[derive(Default)]
struct Request {
    id: Option<u32>,
    call: Option<Call>,
    method: &'static str,
    reached: bool,
}

impl Request {
    fn mark(&self) -> Mark {
        self.id.map_or(Mark::None, |id| Mark::Number(i64::from(id)))
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
        *self.to = Some(Call::decode(self.operation, from)?);
        Ok(())
    }
}

struct ReadAnswer {
    operation: &'static str,
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
            return <()>::deserialize(from).map(|()| Answer::Nothing);
        }
        Answer::decode(self.operation, from)
    }
}
