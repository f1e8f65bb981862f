//! The keys of a map, which are text.

use serde::Serialize;
use serde_json::Value;

use super::super::trouble::Trouble;

/// The text of a key.
pub fn key_text<T: Serialize + ?Sized>(key: &T) -> Result<String, Trouble> {
    match serde_json::to_value(key) {
        Ok(Value::String(text)) => Ok(text),
        _ => Err(Trouble::cannot_carry("a map has keys of text")),
    }
}
