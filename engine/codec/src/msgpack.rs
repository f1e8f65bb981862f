//! MessagePack-RPC, <https://github.com/msgpack-rpc/msgpack-rpc/blob/master/spec.md>, with `rmp-serde`: `[0, id, method, [parameters]]`, answered by
//! `[1, id, error, result]`. Parameters are written by position. Records are maps with names. Bytes are binary. A fault's error is its text.

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};
use rmp_serde::config::{DefaultConfig, StructMapConfig};
use rmp_serde::decode::{Error as DecodeError, ReadRefReader};
use rmp_serde::encode::Error as EncodeError;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::array_rpc::{ANSWER, ELEMENTS, ID, REQUEST, ReadAnswer, Request, id};
use super::parameters::{Parameters, Sink};
use super::{DEPTH, Message, Reply};

/// The first byte of an array with fewer than 16 elements.
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
        out.push(array(ELEMENTS));
        call.encode(Parameters(&mut Positions(writer(out)))).map_err(|error| cannot_carry(&error))
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let mut request = Request::default();
        let read = whole(bytes, &mut request);
        request.read(read)
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
    out.extend_from_slice(&[array(ELEMENTS), ANSWER]);
    // An integer in memory always has a form.
    let _ = id(reply).serialize(&mut writer(out));
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
