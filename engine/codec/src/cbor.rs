//! CBOR, RFC 8949, with `minicbor`. There is no call format of its own: a call is an array of four, as in `msgpack`. Parameters go by position;
//! records are maps from names; octets are byte strings. A fault's error is its text.

use std::convert::Infallible;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};
use minicbor_serde::error::{DecodeError, EncodeError};
use minicbor_serde::{Deserializer, Serializer};
use serde::Serialize;
use serde::de::{DeserializeSeed, Error as _};

use super::array_rpc::{ANSWER, ELEMENTS, ID, REQUEST, ReadAnswer, Request, id};
use super::parameters::{Parameters, Sink};
use super::{Message, Reply};

pub struct Cbor;

impl Message for Cbor {
    fn name(&self) -> &'static str {
        "cbor"
    }

    fn content_type(&self) -> &'static str {
        "application/cbor"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        call.encode(Parameters(&mut Positions(writer(out)))).map_err(|error| cannot_carry(&error))
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let mut request = Request::default();
        let read = whole(bytes, &mut request);
        request.read(read)
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut to = writer(out);
        write_head(reply, &mut to)
            .and_then(|()| ().serialize(&mut to))
            .and_then(|()| answer.encode(&mut to))
            .map_err(|error| cannot_carry(&error))
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        let mut to = writer(out);
        // Writing to memory fails only where memory ends, and text always has a form.
        let _ = write_head(reply, &mut to).and_then(|()| message.serialize(&mut to)).and_then(|()| ().serialize(&mut to));
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        whole(bytes, ReadAnswer { operation: call.operation() }).map_err(Failure::protocol)?
    }
}

type Writer<'a> = Serializer<&'a mut Vec<u8>>;
type Error = EncodeError<Infallible>;

fn writer(out: &mut Vec<u8>) -> Writer<'_> {
    let mut writer = Serializer::new(out);
    writer.serialize_unit_as_null(true);
    writer
}

fn cannot_carry(error: &Error) -> Failure {
    Failure::new(callbench_kit::Kind::CannotCarry, error.to_string())
}

fn array(count: u64, to: &mut Writer<'_>) -> Result<(), Error> {
    to.encoder_mut().array(count)?;
    Ok(())
}

/// An answer up to its error.
fn write_head(reply: &Reply, to: &mut Writer<'_>) -> Result<(), Error> {
    array(ELEMENTS.into(), to)?;
    ANSWER.serialize(&mut *to)?;
    id(reply).serialize(to)
}

/// Parameters as the array that ends a request.
struct Positions<'a>(Writer<'a>);

impl Sink for Positions<'_> {
    type Error = Error;

    fn begin(&mut self, operation: &'static str, count: usize) -> Result<(), Error> {
        array(ELEMENTS.into(), &mut self.0)?;
        REQUEST.serialize(&mut self.0)?;
        ID.serialize(&mut self.0)?;
        operation.serialize(&mut self.0)?;
        array(count as u64, &mut self.0)
    }

    fn parameter<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(&mut self.0)
    }
}

/// Reads one message that fills `bytes`.
fn whole<'de, S: DeserializeSeed<'de>>(bytes: &'de [u8], seed: S) -> Result<S::Value, DecodeError> {
    let mut from = Deserializer::new(bytes);
    let read = seed.deserialize(&mut from)?;
    if from.decoder().position() == bytes.len() { Ok(read) } else { Err(DecodeError::custom("bytes are left behind the message")) }
}
