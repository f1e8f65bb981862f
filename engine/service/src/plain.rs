//! Plain values: the JSON form in which runners in other languages receive arguments and answers, and return answers.
//!
//! It is the JSON mapping of Protocol Buffers with the service's own names; `contract/RUNNER.md` has the table. It contains no digests and no bit
//! patterns, so that any JSON library can convert it to the types of its language. A call of the user's own has the JSON of its service instead.

use std::fmt::Display;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value as Json, json};

use crate::arguments::{self, ArgumentError};
use crate::call::{Answer, Call};
use crate::canonical;
use crate::service::Service;
use crate::tree::{self, Dialect};

mod own;
mod reader;
mod rotation;
mod units;

use reader::Reader;
pub use rotation::{further_calls, rotation};

/// A call as a runner makes it, and its correct answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// The operation on the wire.
    pub operation: &'static str,
    /// Its parameters by name.
    pub arguments: Json,
    /// The correct answer, or the sentence with which the service refuses.
    pub answer: Result<Json, String>,
}

impl Payload {
    /// Parses the call. Unlike for a Rust adapter, text that is not valid Unicode is allowed.
    pub fn of(name: &str, arguments: &Map<String, Json>) -> Result<Self, ArgumentError> {
        match arguments::call(name, arguments) {
            Ok(call) => Ok(Payload::of_call(&call)),
            Err(ArgumentError::CannotCarry(message)) => units::payload(name, arguments).ok_or(ArgumentError::CannotCarry(message)),
            Err(wrong) => Err(wrong),
        }
    }

    /// A copy whose answer differs from the correct one in its last field. None if there is no field, or if the call is refused.
    #[must_use]
    pub fn altered(&self) -> Option<Self> {
        let right = read_answer(self.operation, self.answer.as_ref().ok()?).ok()?;
        Some(Payload { answer: Ok(answer(&right.altered()?)), ..self.clone() })
    }

    fn of_call(call: &Call) -> Self {
        let answered = Service::default().answer(call);
        Payload {
            operation: call.operation(),
            arguments: parameters(call),
            answer: answered.map(|it| answer(&it)).map_err(|fault| fault.message),
        }
    }
}

/// The parameters of a call, by name.
#[must_use]
pub fn parameters(call: &Call) -> Json {
    match call {
        Call::Own(request) => own::json(|to| request.write(to)),
        _ => tree::parameters::<Plain>(call),
    }
}

/// The plain form of an answer. No value is `null`.
#[must_use]
pub fn answer(answer: &Answer) -> Json {
    match answer {
        Answer::Own(answer) => own::json(|to| answer.write(to)),
        _ => tree::answer::<Plain>(answer),
    }
}

/// The call of `operation` with plain `parameters`. The error is a sentence.
pub fn read_call(operation: &str, parameters: &Json) -> Result<Call, String> {
    let wrong = |error: &dyn Display| format!("the arguments of {operation} are wrong: {error}");
    if own::has(operation) {
        return Call::decode(operation, parameters).map_err(|error| wrong(&error));
    }
    Call::decode(operation, Reader(parameters)).map_err(|error| wrong(&error))
}

/// The answer of `operation` from its plain form. The error is a sentence.
pub fn read_answer(operation: &str, value: &Json) -> Result<Answer, String> {
    if Answer::is_nothing(operation) {
        return if value.is_null() { Ok(Answer::Nothing) } else { Err(format!("{operation} answers nothing, but there is a value")) };
    }
    let wrong = |error: &dyn Display| format!("this is no answer of {operation}: {error}");
    if own::has(operation) {
        return Answer::decode(operation, value).map_err(|error| wrong(&error));
    }
    Answer::decode(operation, Reader(value)).map_err(|error| wrong(&error))
}

/// The canonical form of a plain answer of `operation`. The error is a sentence.
pub fn canonical(operation: &str, value: &Json) -> Result<Json, String> {
    if operation == "EchoString"
        && let Some(text) = units::text(value)
    {
        return Ok(text);
    }
    read_answer(operation, value).map(|it| canonical::answer(&it))
}

/// Floats as numbers if JSON can represent them, byte arrays in base64.
struct Plain;

impl Dialect for Plain {
    fn float(value: f32) -> Json {
        // The shortest digits of this float are fewer than those of the nearest double.
        let shortest = value.to_string().parse().unwrap_or(f64::from(value));
        double(if (shortest as f32).to_bits() == value.to_bits() { shortest } else { f64::from(value) })
    }

    fn double(value: f64) -> Json {
        double(value)
    }

    fn octets(value: &[u8]) -> Json {
        Json::String(BASE64.encode(value))
    }
}

fn double(value: f64) -> Json {
    if value.is_nan() {
        json!("NaN")
    } else if value.is_infinite() {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else if value == 0.0 && value.is_sign_negative() {
        json!("-0")
    } else {
        json!(value)
    }
}

#[cfg(test)]
mod tests;
