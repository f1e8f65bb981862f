//! The payloads of the runner: the arguments of a call in rotation, with the correct answers.

use callbench_kit::contract::{argument_failure, no_field};
use callbench_kit::{Failure, Kind};
use callbench_service::plain::{self, Payload};
use serde_json::{Map, Value, json};

/// The request for which payloads were prepared, so that nothing is prepared twice in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    pub call: String,
    pub arguments: Map<String, Value>,
    /// The answers differ from the correct ones in their last field.
    pub altered: bool,
}

impl Wanted {
    /// The request that prepares the payloads, and their operation. A single call needs one payload, a drive needs all in rotation.
    pub fn request(&self, rotates: bool) -> Result<(Value, &'static str), Failure> {
        let payloads = if rotates {
            plain::rotation(&self.call, &self.arguments).map_err(argument_failure)?
        } else {
            vec![Payload::of(&self.call, &self.arguments).map_err(argument_failure)?]
        };
        let operation = payloads.first().map_or("", |it| it.operation);
        let payloads: Result<Vec<Value>, Failure> = payloads.into_iter().map(|it| self.describe(it)).collect();
        Ok((json!({"do": "prepare", "call": operation, "payloads": payloads?}), operation))
    }

    fn describe(&self, payload: Payload) -> Result<Value, Failure> {
        let payload = if self.altered { payload.altered().ok_or_else(|| no_field(&self.call))? } else { payload };
        Ok(match payload.answer {
            Ok(answer) => json!({"arguments": payload.arguments, "answer": answer}),
            Err(fault) => json!({"arguments": payload.arguments, "fault": fault}),
        })
    }
}

/// Converts a value from the runner to canonical JSON.
pub fn canonical(operation: &str, value: &Value) -> Result<Value, Failure> {
    plain::canonical(operation, value)
        .map(callbench_service::canonical::digest_if_large)
        .map_err(|why| Failure::new(Kind::Protocol, format!("what the runner returned is not understood: {why}")))
}
