//! Scalars in the notation of XML Schema, which XML-RPC mostly shares.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::super::trouble::Trouble;
use super::pull::shortened;

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

fn not_a<T>(what: &str, text: &str) -> Result<T, Trouble> {
    Err(Trouble::protocol(format!("{:?} is no {what}", shortened(text))))
}

pub fn whole<N: FromStr>(text: &str) -> Result<N, Trouble> {
    // White space around a number is allowed and rare.
    text.parse().or_else(|_| trimmed(text).parse()).or_else(|_| not_a("whole number of this type", text))
}

pub fn boolean(text: &str) -> Result<bool, Trouble> {
    match trimmed(text) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => not_a("boolean", text),
    }
}

/// A number with a decimal point. Words that only Rust accepts are refused.
pub fn real<N: FromStr>(text: &str) -> Result<N, Trouble> {
    let text = trimmed(text);
    let word = match text {
        "INF" => "inf",
        "-INF" => "-inf",
        "NaN" => "nan",
        _ if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) => text,
        _ => return not_a("number", text),
    };
    word.parse().or_else(|_| not_a("number", text))
}

/// Base64, in one line or in many. Most is in one, so that white space is looked for only where decoding has met some.
pub fn octets(text: &str) -> Result<Vec<u8>, Trouble> {
    BASE64.decode(text).or_else(|_| {
        let joined: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).collect();
        BASE64.decode(&joined).map_err(|error| Trouble::protocol(format!("base64: {error}")))
    })
}
