//! gRPC over HTTP/2, <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>: the call is the path, its parameters are one framed
//! message, and the answer is one as well, with its status in the trailers.
//!
//! The channel carries `protobuf`, whose envelope says which call it holds. gRPC says so in the path, with `contract/service.proto`'s own
//! names: so the envelope is taken off on the way out, and put on again on the way in. What has no envelope goes as it is, under its route.
//! The calls of a service of the user's own are named when the program starts (`carry_own`). So they are not compiled in, and one build of the
//! channels does for every service.

use std::sync::OnceLock;

use bytes::{Buf, Bytes};
use callbench_contract::operations::OPERATIONS;
use callbench_contract::{Failure, Kind};
use hyper::HeaderMap;
use hyper::header::HeaderValue;

/// The message that goes by `contract/service.proto`.
pub const MESSAGE: &str = "protobuf";
/// What a body is.
pub const MEDIA: &str = "application/grpc";
/// Before every message: whether it is compressed, and its length.
pub const HEADER: usize = 5;

const SERVICE: &str = "/callbench.SpeedService/";
/// What has no envelope.
const RAW: &str = "/callbench.Raw/";
/// Of the envelope: the field of the first operation, and the id of every call.
const FIRST: usize = 2;
const ID: [u8; 2] = [0x08, 1];
const FAULT: usize = 2;

/// Codes of `grpc-status` that are used here.
pub mod code {
    pub const OK: &str = "0";
    pub const INVALID_ARGUMENT: &str = "3";
    pub const RESOURCE_EXHAUSTED: &str = "8";
    pub const UNIMPLEMENTED: &str = "12";
    pub const INTERNAL: &str = "13";
}

/// The calls of a service of the user's own.
#[derive(Debug)]
pub struct OwnCalls {
    /// The service's name with its package: a call's path is `/SERVICE/CALL`.
    pub service: &'static str,
    pub calls: &'static [&'static str],
    /// The field of the first call in the envelope; the others follow.
    pub first: usize,
}

static OWN: OnceLock<OwnCalls> = OnceLock::new();
const NONE: OwnCalls = OwnCalls { service: "", calls: &[], first: usize::MAX };

/// Names the calls of a service of the user's own. A program has one such service: what is named later is not taken.
pub fn carry_own(calls: OwnCalls) {
    let _ = OWN.set(calls);
}

fn own() -> &'static OwnCalls {
    OWN.get().unwrap_or(&NONE)
}

/// The field of an operation's answer in the envelope.
fn answer_field(operation: &str) -> usize {
    match operation {
        "Sum" => 4,
        "GetPersons" => 5,
        "GetBinaryData" => 6,
        "EchoStructure" => 7,
        "EchoString" | "Hello" => 8,
        "FindItems" => 9,
        // Nothing.
        _ => 3,
    }
}

/// The fields of a call in the envelopes of its request and of its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fields {
    request: usize,
    answer: usize,
}

impl Fields {
    /// Of an operation of the service, by its place among them.
    fn of(number: usize) -> Self {
        Fields { request: FIRST + number, answer: answer_field(OPERATIONS[number]) }
    }

    /// Of a call of a service of the user's own, by its place.
    fn of_own(place: usize) -> Self {
        let field = own().first + place;
        Fields { request: field, answer: field }
    }
}

/// What a request's path asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'a> {
    /// A call.
    Operation(Fields),
    /// A route as it is.
    Raw(&'a str),
}

impl<'a> Target<'a> {
    pub fn by(path: &'a str) -> Option<Self> {
        if let Some(raw) = path.strip_prefix(RAW) {
            return Some(Target::Raw(raw));
        }
        if let Some(name) = path.strip_prefix(SERVICE) {
            return OPERATIONS.iter().position(|it| *it == name).map(|number| Target::Operation(Fields::of(number)));
        }
        let name = path.strip_prefix('/')?.strip_prefix(own().service)?.strip_prefix('/')?;
        own().calls.iter().position(|it| *it == name).map(|place| Target::Operation(Fields::of_own(place)))
    }

    /// The path of a server's route that answers it.
    pub fn route(&self) -> &str {
        match self {
            Target::Operation(_) => MESSAGE,
            Target::Raw(route) => route,
        }
    }

    /// A message as the route's handler reads it.
    pub fn request(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Target::Operation(fields) => enveloped(fields.request, message),
            Target::Raw(_) => message.to_vec(),
        }
    }

    /// The framed message of an answer, or the sentence of a fault.
    pub fn answer(&self, written: &[u8]) -> Result<Bytes, String> {
        let Target::Operation(fields) = self else { return Ok(framed(written)) };
        match opened(written) {
            Some((FAULT, fault)) => Err(held_text(fault)),
            Some((field, message)) if field == fields.answer => Ok(framed(message)),
            _ => Err("the answer is none to the call".to_owned()),
        }
    }
}

/// A request on its way out.
pub struct Outgoing {
    pub path: String,
    pub body: Bytes,
    /// The field of its answer in the envelope; None without one.
    pub field: Option<usize>,
}

/// Takes the envelope off a request of `route`.
pub fn outgoing(route: &str, request: &[u8]) -> Result<Outgoing, Failure> {
    if route != MESSAGE {
        return Ok(Outgoing { path: format!("{RAW}{route}"), body: framed(request), field: None });
    }
    let named = opened(request).and_then(|(field, message)| named(field).map(|(path, fields)| (path, fields, message)));
    let (path, fields, message) = named
        .ok_or_else(|| Failure::new(Kind::CannotCarry, "gRPC carries the calls of contract/service.proto and of schema.proto alone"))?;
    Ok(Outgoing { path, body: framed(message), field: Some(fields.answer) })
}

/// The path and the fields of the call that has this field in the envelope of a request.
fn named(field: usize) -> Option<(String, Fields)> {
    if let Some(place) = field.checked_sub(own().first) {
        return Some((format!("/{}/{}", own().service, own().calls.get(place)?), Fields::of_own(place)));
    }
    let number = field.checked_sub(FIRST)?;
    Some((format!("{SERVICE}{}", OPERATIONS.get(number)?), Fields::of(number)))
}

/// Puts the envelope on an answer: to a call whose answer has this field.
pub fn incoming(field: Option<usize>, message: Bytes) -> Bytes {
    match field {
        None => message,
        Some(field) => enveloped(field, &message).into(),
    }
}

/// A fault as the envelope has it.
pub fn fault(sentence: &str) -> Bytes {
    let mut text = vec![0x0a];
    varint(sentence.len(), &mut text);
    text.extend_from_slice(sentence.as_bytes());
    enveloped(FAULT, &text).into()
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = Vec::with_capacity(HEADER + message.len());
    frame.push(0);
    frame.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    frame.extend_from_slice(message);
    frame.into()
}

/// The one message of a body.
pub fn unframed(mut body: Bytes) -> Result<Bytes, (&'static str, &'static str)> {
    if body.len() < HEADER {
        return Err((code::INTERNAL, "the body ends before its message"));
    }
    if body.get_u8() != 0 {
        return Err((code::UNIMPLEMENTED, "compressed messages are not read here"));
    }
    if body.get_u32() as usize == body.len() { Ok(body) } else { Err((code::INTERNAL, "the body is not one whole message")) }
}

/// Trailers, or headers where there is nothing else.
pub fn status(code: &'static str, sentence: &str) -> HeaderMap {
    let mut said = HeaderMap::new();
    said.insert("grpc-status", HeaderValue::from_static(code));
    if let Some(text) = HeaderValue::from_str(&escaped(sentence)).ok().filter(|_| !sentence.is_empty()) {
        said.insert("grpc-message", text);
    }
    said
}

/// What the status of an answer says, where it is no success.
pub fn refusal(said: &HeaderMap) -> Option<Result<String, Failure>> {
    let text = |name| said.get(name).and_then(|it: &HeaderValue| it.to_str().ok()).unwrap_or_default();
    let sentence = unescaped(text("grpc-message"));
    match text("grpc-status") {
        code::OK => None,
        code::INVALID_ARGUMENT => Some(Ok(sentence)),
        code::RESOURCE_EXHAUSTED => Some(Err(Failure::new(Kind::TooLarge, sentence))),
        "" => Some(Err(Failure::protocol("the answer has no grpc-status"))),
        other => Some(Err(Failure::protocol(format!("the server answers with grpc-status {other}: {sentence}")))),
    }
}

/// As the protocol has it: printable ASCII but the percent sign as it is, everything else as percent and two digits.
fn escaped(sentence: &str) -> String {
    use std::fmt::Write as _;
    sentence.bytes().fold(String::with_capacity(sentence.len()), |mut text, byte| {
        if (b' '..=b'~').contains(&byte) && byte != b'%' {
            text.push(byte.into());
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

/// The other way round. What is no escape stays as it is, as the protocol asks.
fn unescaped(text: &str) -> String {
    let (bytes, mut found, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|it| std::str::from_utf8(it).ok());
        let byte = digits.filter(|_| bytes[at] == b'%').and_then(|it| u8::from_str_radix(it, 16).ok());
        found.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&found).into_owned()
}

/// An envelope of a message, with the id of every call.
fn enveloped(field: usize, message: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(message.len() + 16);
    whole.extend_from_slice(&ID);
    varint(field << 3 | 2, &mut whole);
    varint(message.len(), &mut whole);
    whole.extend_from_slice(message);
    whole
}

/// The field and the message of an envelope.
fn opened(mut envelope: &[u8]) -> Option<(usize, &[u8])> {
    // The id stands before it, but for that of 0, which is not written.
    if envelope.first() == Some(&ID[0]) {
        envelope = &envelope[1..];
        number(&mut envelope)?;
    }
    let tag = number(&mut envelope)?;
    let length = number(&mut envelope)?;
    (tag & 7 == 2 && length == envelope.len()).then_some((tag >> 3, envelope))
}

/// The text of a message that holds one.
fn held_text(mut message: &[u8]) -> String {
    if message.is_empty() {
        return String::new();
    }
    let rest = (number(&mut message), number(&mut message)).1.map_or(message, |length| &message[..length.min(message.len())]);
    String::from_utf8_lossy(rest).into_owned()
}

fn varint(mut number: usize, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// The number at the start of `bytes`, which is moved behind it.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let mut found = 0_usize;
    for (place, byte) in bytes.iter().enumerate().take(5) {
        found |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            *bytes = &bytes[place + 1..];
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use callbench_service::Answer;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_operation_has_a_path_of_its_own() {
        for (number, operation) in OPERATIONS.iter().enumerate() {
            assert_eq!(Target::by(&format!("/callbench.SpeedService/{operation}")), Some(Target::Operation(Fields::of(number))));
        }
        assert_eq!(Target::by("/callbench.SpeedService/Adieu"), None);
        assert_eq!(Target::by("/other.Service/Sum"), None);
        assert_eq!(Target::by("/callbench.Raw/echo"), Some(Target::Raw("echo")));
    }

    #[test]
    fn what_answers_nothing_has_the_field_of_nothing() {
        for operation in OPERATIONS {
            assert_eq!(answer_field(operation) == 3, Answer::is_nothing(operation), "{operation}");
        }
    }

    proptest! {
        #[test]
        fn an_envelope_comes_off_and_on(number in 0..OPERATIONS.len(), message in vec(any::<u8>(), 0..300)) {
            let request = enveloped(FIRST + number, &message);
            let sent = outgoing(MESSAGE, &request).unwrap();
            let Some(asked) = Target::by(&sent.path) else { panic!("{} is no path", sent.path) };
            prop_assert_eq!(asked.request(&unframed(sent.body).unwrap()), request);
            let answer = enveloped(sent.field.unwrap(), &message);
            let framed = asked.answer(&answer).unwrap();
            prop_assert_eq!(incoming(sent.field, unframed(framed).unwrap()), answer);
        }

        #[test]
        fn a_sentence_arrives_in_a_status(sentence: String) {
            let said = status(code::INVALID_ARGUMENT, &sentence);
            prop_assert_eq!(refusal(&said).unwrap().unwrap(), sentence.clone());
            let asked = Target::Operation(Fields::of(1));
            prop_assert_eq!(asked.answer(&fault(&sentence)), Err(sentence));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..60)) {
            let _ = opened(&bytes);
            let _ = held_text(&bytes);
            let _ = outgoing(MESSAGE, &bytes);
            let _ = Target::Operation(Fields::of(1)).answer(&bytes);
            let _ = unframed(bytes.into());
        }
    }
}
