//! What the runner's server asks: the answers that it cannot make itself.

use callbench_service::{Service, plain};
use serde_json::{Map, Value, json};

/// The line that answers an `ask`: the plain value, or the fault with which the service refuses. The error is what is wrong with the ask.
pub fn answered(service: &Service, asked: &Map<String, Value>) -> Result<Value, String> {
    let number = asked.get("ask").and_then(Value::as_u64).ok_or("an ask has no number")?;
    let name = asked.get("call").and_then(Value::as_str).ok_or("an ask names no call")?;
    let none = Value::Object(Map::new());
    let call = plain::read_call(name, asked.get("arguments").unwrap_or(&none))?;
    Ok(match service.look_up(&call).as_ref() {
        Ok(answer) => json!({"do": "answer", "ask": number, "value": plain::answer(answer)}),
        Err(fault) => json!({"do": "answer", "ask": number, "fault": fault.message}),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(asked: Value) -> Result<Value, String> {
        let Value::Object(asked) = asked else { panic!("an object") };
        answered(&Service::default(), &asked)
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
