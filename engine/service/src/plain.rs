//! Plain values: JSON as the runners of other languages are handed arguments and answers, and hand answers back.
//!
//! It is the JSON mapping of Protocol Buffers with the service's own names: `contract/RUNNER.md` has the table. Nothing here is
//! digested or spelt in bits, so that any JSON library reads it into the types of its language.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value as Json, json};

use crate::arguments::{self, Misfit};
use crate::call::{Answer, Call};
use crate::canonical;
use crate::service::Service;
use crate::tree::{self, Dialect};

mod reader;
mod rotation;
mod units;

use reader::Reader;
pub use rotation::{further_calls, rotation};

/// A call as a runner makes it, and what must come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// The operation on the wire.
    pub operation: &'static str,
    /// Its parameters by name.
    pub arguments: Json,
    /// The right answer, or the sentence with which the service refuses.
    pub answer: Result<Json, String>,
}

impl Payload {
    /// The call `name` with the `arguments` of the contract; other than in a Rust program, text that is not valid Unicode is no misfit.
    pub fn of(name: &str, arguments: &Map<String, Json>) -> Result<Self, Misfit> {
        match arguments::call(name, arguments) {
            Ok(call) => Ok(Payload::of_call(&call)),
            Err(Misfit::CannotCarry(message)) => units::payload(name, arguments).ok_or(Misfit::CannotCarry(message)),
            Err(wrong) => Err(wrong),
        }
    }

    /// The same with an answer that differs from the right one in its last field; None where it has no field, or is a refusal.
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
    tree::parameters::<Plain>(call)
}

/// The plain form of an answer; nothing is `null`.
#[must_use]
pub fn answer(answer: &Answer) -> Json {
    tree::answer::<Plain>(answer)
}

/// The call of `operation` with plain `parameters`; the error is a sentence.
pub fn read_call(operation: &str, parameters: &Json) -> Result<Call, String> {
    Call::decode(operation, Reader(parameters)).map_err(|error| format!("the arguments of {operation} are wrong: {error}"))
}

/// What `operation` answered, from its plain form; the error is a sentence.
pub fn read_answer(operation: &str, value: &Json) -> Result<Answer, String> {
    if Answer::is_nothing(operation) {
        return if value.is_null() { Ok(Answer::Nothing) } else { Err(format!("{operation} answers nothing, but there is a value")) };
    }
    Answer::decode(operation, Reader(value)).map_err(|error| format!("this is no answer of {operation}: {error}"))
}

/// The canonical form of a plain answer of `operation`; the error is a sentence.
pub fn canonical(operation: &str, value: &Json) -> Result<Json, String> {
    if operation == "EchoString"
        && let Some(text) = units::text(value)
    {
        return Ok(text);
    }
    read_answer(operation, value).map(|it| canonical::answer(&it))
}

/// Floats as numbers where JSON has them, octets in base64.
struct Plain;

impl Dialect for Plain {
    fn float(value: f32) -> Json {
        // The shortest digits that give this float again are fewer than those of the double nearest to it.
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
