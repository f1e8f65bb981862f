//! Canonical JSON, the form in which adapters return values to the core.
//!
//! Each value has exactly one text: no white space, sorted members, 64-bit integers as decimal strings, floats as their bits, byte arrays as their
//! digest. The core compares texts, so the number types of a language do not matter.

use serde::Serialize;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::call::{Answer, Value};
use crate::tree::{self, Dialect};

/// The longest canonical text that is sent itself, in bytes.
pub const LONGEST: usize = 4096;

/// The canonical form of an answer. No value is `null`.
#[must_use]
pub fn answer(answer: &Answer) -> Json {
    tree::answer::<Canonical>(answer)
}

/// The canonical form of the value of a `Send`.
#[must_use]
pub fn value(value: &Value) -> Json {
    match value {
        Value::Boolean(it) => tree(it),
        Value::Byte(it) => tree(it),
        Value::Char(it) => tree(it),
        Value::Short(it) => tree(it),
        Value::Int(it) => tree(it),
        Value::Long(it) => tree(it),
        Value::Float(it) => tree(it),
        Value::Double(it) => tree(it),
        Value::Text(it) => tree(it),
        Value::Object(it) => tree(&**it),
        Value::Booleans(it) => tree(it),
        Value::Bytes(it) => digest_of_bytes(&it.0),
        Value::Chars(it) => tree(it),
        Value::Shorts(it) => tree(it),
        Value::Ints(it) => tree(it),
        Value::Longs(it) => tree(it),
        Value::Floats(it) => tree(it),
        Value::Doubles(it) => tree(it),
        Value::Texts(it) => tree(it),
        Value::Objects(it) => tree(it),
    }
}

/// The canonical text of a canonical form.
#[must_use]
pub fn text(form: &Json) -> String {
    // serde_json's maps are sorted by the bytes of their keys. For UTF-8, this is the order of code points. Its escapes are those of RFC 8785.
    form.to_string()
}

/// The form for the contract: the value itself, or the digest of its text if that is longer than [`LONGEST`].
#[must_use]
pub fn digest_if_large(form: Json) -> Json {
    let text = text(&form);
    if text.len() <= LONGEST {
        return form;
    }
    json!({"sha256": hexadecimal(&Sha256::digest(&text)), "bytes": text.len()})
}

fn digest_of_bytes(bytes: &[u8]) -> Json {
    json!({"bytes": bytes.len(), "sha256": hexadecimal(&Sha256::digest(bytes))})
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Floats as their bits, byte arrays as their digest.
struct Canonical;

impl Dialect for Canonical {
    fn float(value: f32) -> Json {
        Json::String(format!("0x{:08x}", value.to_bits()))
    }

    fn double(value: f64) -> Json {
        Json::String(format!("0x{:016x}", value.to_bits()))
    }

    fn octets(value: &[u8]) -> Json {
        digest_of_bytes(value)
    }
}

fn tree(value: &impl Serialize) -> Json {
    tree::of::<Canonical>(value)
}

#[cfg(test)]
mod tests;
