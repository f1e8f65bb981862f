//! JSON-RPC 2.0, <https://www.jsonrpc.org/specification>, with `serde_json`.
//!
//! Parameters are written by name, and read by name or by position. Bytes are base64. A request without an id is answered too, with the id null,
//! because every channel here returns an answer. Batches are refused. JSON has no NaN and no infinity.

use std::borrow::Cow;
use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call, Fault};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use serde_json::{Error, Serializer};

use super::{Mark, Message, Refusal, Reply};

/// The id of every request: a connection has one call under way at a time.
const ID: i64 = 1;

/// The initial capacity for a short message.
const SHORT: usize = 128;

pub struct Json;

impl Message for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn content_type(&self) -> &'static str {
        "application/json"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.reserve(SHORT);
        out.extend_from_slice(br#"{"jsonrpc":"2.0","method":""#);
        out.extend_from_slice(call.operation().as_bytes());
        out.extend_from_slice(br#"","params":"#);
        call.encode(&mut Serializer::with_formatter(&mut *out, Finite)).map_err(|error| cannot_carry(&error))?;
        write_end(&Mark::Number(ID), out);
        Ok(())
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        match read_quickly(bytes) {
            Ok((call, mark)) => Reply::to(call, mark),
            Err(_) => read_slowly(bytes),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.reserve(SHORT);
        out.extend_from_slice(br#"{"jsonrpc":"2.0","result":"#);
        match answer {
            Answer::Nothing => out.extend_from_slice(b"null"),
            Answer::Octets(octets) => write_octets(&octets.0, out)?,
            _ => answer.encode(&mut Serializer::with_formatter(&mut *out, Finite)).map_err(|error| cannot_carry(&error))?,
        }
        write_end(&reply.mark, out);
        Ok(())
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        let error = serde_json::json!({ "code": code(reply.refusal), "message": message });
        out.extend_from_slice(br#"{"jsonrpc":"2.0","error":"#);
        out.extend_from_slice(error.to_string().as_bytes());
        write_end(&reply.mark, out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let mut from = serde_json::Deserializer::from_slice(bytes);
        let outcome = ReadAnswer { operation: call.operation() }.deserialize(&mut from).map_err(Failure::protocol)?;
        from.end().map_err(Failure::protocol)?;
        outcome
    }
}

fn code(refusal: Option<Refusal>) -> i32 {
    match refusal {
        Some(Refusal::Unreadable) => -32700,
        Some(Refusal::NoRequest | Refusal::Version | Refusal::Demand) => -32600,
        Some(Refusal::NoOperation) => -32601,
        Some(Refusal::BadParameters) => -32602,
        None => -32000,
    }
}

/// Base64 in quotes, straight into the message: none of its letters need be escaped, and looking for some takes longer than making it.
fn write_octets(octets: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
    let length = octets.len().div_ceil(3) * 4;
    out.reserve(length + SHORT);
    out.push(b'"');
    let start = out.len();
    out.resize(start + length, 0);
    let written = BASE64.encode_slice(octets, &mut out[start..]).map_err(|error| Failure::new(Kind::CannotCarry, error.to_string()))?;
    out.truncate(start + written);
    out.push(b'"');
    Ok(())
}

/// The id and the end of the object.
fn write_end(mark: &Mark, out: &mut Vec<u8>) {
    out.extend_from_slice(br#","id":"#);
    match mark {
        Mark::Number(ID) => out.push(b'1'),
        Mark::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Mark::Json(text) => out.extend_from_slice(text.as_bytes()),
        Mark::None | Mark::Client(_) | Mark::Worded(..) => out.extend_from_slice(b"null"),
    }
    out.push(b'}');
}

/// Compact JSON that refuses null: optional members that are absent are left out, so that the only nulls `serde_json` would write are the numbers
/// that JSON does not have.
struct Finite;

impl Formatter for Finite {
    fn write_null<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        Err(io::Error::other("JSON has no number for NaN or infinity"))
    }
}

fn cannot_carry(error: &Error) -> Failure {
    Failure::new(Kind::CannotCarry, error.to_string())
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Jsonrpc,
    Method,
    Params,
    Id,
    Result,
    Error,
    #[serde(other)]
    Other,
}

fn mark(id: &RawValue) -> Mark {
    match id.get().parse::<i64>() {
        Ok(number) if id.get() != "-0" && !id.get().starts_with('+') => Mark::Number(number),
        _ => Mark::Json(id.get().into()),
    }
}

/// A fast path for correct requests whose method comes before the parameters, as usual. Anything else is an error, and `read_slowly` finds the
/// reason.
fn read_quickly(bytes: &[u8]) -> Result<(Call, Mark), Error> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let read = from.deserialize_map(Quick)?;
    from.end()?;
    Ok(read)
}

struct Quick;

impl<'de> Visitor<'de> for Quick {
    type Value = (Call, Mark);

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a request object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (mut version, mut method, mut call, mut id) = (false, None::<Cow<str>>, None, Mark::None);
        while let Some(key) = members.next_key()? {
            match (key, &method) {
                (Key::Jsonrpc, _) => version = members.next_value::<Text>()?.0 == "2.0",
                (Key::Method, None) => method = Some(members.next_value::<Text>()?.0),
                (Key::Params, Some(method)) if call.is_none() => call = Some(members.next_value_seed(ReadCall { operation: method })?),
                (Key::Id, _) => id = mark(members.next_value()?),
                (Key::Method | Key::Params, _) => return Err(A::Error::custom("the method comes once, before the parameters")),
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        match call {
            Some(call) if version => Ok((call, id)),
            _ => Err(A::Error::custom("a member is missing")),
        }
    }
}

/// Text, borrowed if it contains no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct ReadCall<'a> {
    operation: &'a str,
}

impl<'de> DeserializeSeed<'de> for ReadCall<'_> {
    type Value = Call;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Call, D::Error> {
        Call::decode(self.operation, from)
    }
}

#[derive(Deserialize)]
struct Loose<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// Any request, right or wrong: members in any order, and each mistake under its own code.
fn read_slowly(bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
    let loose: Loose = match serde_json::from_slice(bytes) {
        Ok(loose) => loose,
        Err(error) if error.is_data() => return Reply::default().refuse(Refusal::NoRequest, format!("a request is one object: {error}")),
        Err(error) => return Reply::default().refuse(Refusal::Unreadable, error.to_string()),
    };
    let mark = loose.id.map_or(Mark::None, mark);
    let text = |raw: Option<&RawValue>| raw.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
    if text(loose.jsonrpc).as_deref() != Some("2.0") {
        return Reply { mark, ..Reply::default() }.refuse(Refusal::NoRequest, "jsonrpc must be \"2.0\"");
    }
    let Some(method) = text(loose.method) else {
        return Reply { mark, ..Reply::default() }.refuse(Refusal::NoRequest, "method must be a string");
    };
    let params = loose.params.map_or("{}", RawValue::get);
    let mut from = serde_json::Deserializer::from_str(params);
    match Call::decode(&method, &mut from) {
        Ok(call) => Reply::to(call, mark),
        Err(error) => Reply::refuse_call(mark, &method, without_place(&error)),
    }
}

/// The error without the line and column, which count in the parameters and not in the request.
fn without_place(error: &Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned()
}

struct ReadAnswer {
    operation: &'static str,
}

impl<'de> DeserializeSeed<'de> for ReadAnswer {
    type Value = Result<Answer, Failure>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

#[derive(Deserialize)]
struct Complaint {
    message: String,
}

impl<'de> Visitor<'de> for ReadAnswer {
    type Value = Result<Answer, Failure>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("an answer object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut outcome = None;
        while let Some(key) = members.next_key()? {
            match key {
                Key::Result => outcome = Some(Ok(members.next_value_seed(ReadResult { operation: self.operation })?)),
                Key::Error => {
                    if let Some(complaint) = members.next_value::<Option<Complaint>>()? {
                        outcome = Some(Err(Failure::fault(complaint.message)));
                    }
                }
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        outcome.ok_or_else(|| A::Error::custom("an answer has a result or an error"))
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
