//! Payloads that the runner holds: the arguments of a call in rotation, with the right answers.

use callbench_kit::contract::{misfitting, no_field};
use callbench_kit::{Failure, Kind};
use callbench_service::plain::{self, Payload};
use serde_json::{Map, Value, json};

/// What was asked for when payloads were made: nothing is prepared twice in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    pub call: String,
    pub arguments: Map<String, Value>,
    /// The answers differ from the right ones in their last field.
    pub altered: bool,
}

impl Wanted {
    /// The request that prepares it, and the operation that it calls. A single call takes one payload, a drive all in rotation.
    pub fn request(&self, rotates: bool) -> Result<(Value, &'static str), Failure> {
        let payloads = if rotates {
            plain::rotation(&self.call, &self.arguments).map_err(misfitting)?
        } else {
            vec![Payload::of(&self.call, &self.arguments).map_err(misfitting)?]
        };
        let operation = payloads.first().map_or("", |it| it.operation);
        let payloads: Result<Vec<Value>, Failure> = payloads.into_iter().map(|it| self.shown(it)).collect();
        Ok((json!({"do": "prepare", "call": operation, "payloads": payloads?}), operation))
    }

    fn shown(&self, payload: Payload) -> Result<Value, Failure> {
        let payload = if self.altered { payload.altered().ok_or_else(|| no_field(&self.call))? } else { payload };
        Ok(match payload.answer {
            Ok(answer) => json!({"arguments": payload.arguments, "answer": answer}),
            Err(fault) => json!({"arguments": payload.arguments, "fault": fault}),
        })
    }
}

/// What a runner returned, in the form in which the core compares it.
pub fn canonical(operation: &str, value: &Value) -> Result<Value, Failure> {
    plain::canonical(operation, value)
        .map(callbench_service::canonical::digest_if_large)
        .map_err(|why| Failure::new(Kind::Protocol, format!("what the runner returned is not understood: {why}")))
}
