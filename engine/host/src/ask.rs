//! Answers questions of the runner's server: the answers that the runner cannot compute itself.

use callbench_service::{Service, plain};
use serde_json::{Map, Value, json};

/// Answers an `ask`: the plain value, or the fault with which the service refuses. The error says what is wrong with the `ask`.
pub fn answer_ask(service: &Service, ask: &Map<String, Value>) -> Result<Value, String> {
    let number = ask.get("ask").and_then(Value::as_u64).ok_or("an ask has no number")?;
    let name = ask.get("call").and_then(Value::as_str).ok_or("an ask names no call")?;
    let none = Value::Object(Map::new());
    let call = plain::read_call(name, ask.get("arguments").unwrap_or(&none))?;
    Ok(match service.look_up(&call).as_ref() {
        Ok(answer) => json!({"do": "answer", "ask": number, "value": plain::answer(answer)}),
        Err(fault) => json!({"do": "answer", "ask": number, "fault": fault.message}),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ask: Value) -> Result<Value, String> {
        let Value::Object(ask) = ask else { panic!("an object") };
        answer_ask(&Service::default(), &ask)
    }

    #[test]
    fn it_has_the_answer_or_the_fault() {
        assert_eq!(
            of(json!({"is": "ask", "ask": 7, "call": "GetPersons", "arguments": {"n": "1"}})),
            Ok(json!({"do": "answer", "ask": 7, "value": plain::answer(&callbench_service::Answer::Persons(
                callbench_service::generate::persons(1)))}))
        );
        assert_eq!(
            of(json!({"ask": 8, "call": "GetBinaryData", "arguments": {"size": 1, "fill": "sand"}})),
            Ok(json!({"do": "answer", "ask": 8, "fault": "fill is sand: it must be article, random, zero or text"}))
        );
        assert!(of(json!({"ask": 8, "call": "Dance"})).is_err_and(|why| why.contains("Dance")));
        assert!(of(json!({"call": "Hello"})).is_err());
    }
}
