//! Text that is not valid Unicode. Rust strings cannot hold it, so it is passed as UTF-16 units between the core and the runner.

use serde_json::{Map, Value as Json, json};

use super::Payload;

/// The payload of a call whose literal `value` is such a text. Such a text has the same canonical and plain form.
pub(super) fn payload(name: &str, arguments: &Map<String, Json>) -> Option<Payload> {
    let value = arguments.get("value")?;
    let operation = match (name, arguments.get("type").and_then(Json::as_str)) {
        ("EchoString", _) => "EchoString",
        ("Send", Some("string")) => "SendString",
        ("Send", Some("string[]")) => "SendStringArray",
        ("Send", Some("object")) => "SendObject",
        ("Send", Some("object[]")) => "SendObjectArray",
        _ => return None,
    };
    let answer = if operation == "EchoString" { value.clone() } else { Json::Null };
    Some(Payload { operation, arguments: json!({"value": value}), answer: Ok(answer) })
}

/// The canonical form of such a text. None for any other value.
pub(super) fn text(value: &Json) -> Option<Json> {
    let units = of(value)?;
    Some(String::from_utf16(&units).map_or_else(|_| json!({"utf16": units}), Json::String))
}

/// The UTF-16 units of such a text.
pub(super) fn of(value: &Json) -> Option<Vec<u16>> {
    let units = value.get("utf16")?.as_array()?;
    units.iter().map(|unit| unit.as_u64().and_then(|it| u16::try_from(it).ok())).collect()
}
