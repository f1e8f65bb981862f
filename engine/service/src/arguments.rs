//! Parses a call from its name and the arguments of the contract.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::call::Call;
use crate::generate::{self, Content, Kind};
use crate::pairs;
use crate::service::MAX_N;

mod literal;

/// The maximum number of elements or characters of a `content`.
pub const MOST_ELEMENTS: u64 = 16_777_216;

/// Why arguments are invalid, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentError {
    /// The arguments do not suit the call.
    Wrong(String),
    /// The arguments are valid, but Rust has no such value.
    CannotCarry(String),
}

impl ArgumentError {
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            ArgumentError::Wrong(message) | ArgumentError::CannotCarry(message) => message,
        }
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.message())
    }
}

impl std::error::Error for ArgumentError {}

/// The call `name` with `arguments`. Unknown members are ignored.
pub fn call(name: &str, arguments: &Map<String, Json>) -> Result<Call, ArgumentError> {
    match name {
        "Empty" => Ok(Call::Empty),
        "Hello" => Ok(Call::Hello),
        "Sum" => Ok(Call::Sum { a: integer(arguments, "a")?, b: integer(arguments, "b")? }),
        "GetPersons" => Ok(Call::GetPersons { n: integer(arguments, "n")? }),
        "FindItems" => Ok(Call::FindItems { n: integer(arguments, "n")? }),
        "GetBinaryData" => Ok(Call::GetBinaryData { size: integer(arguments, "size")?, fill: text(arguments, "fill")?.to_owned() }),
        "EchoStructure" => {
            // n itself is not sent, so a server could not refuse it.
            let n = integer(arguments, "n")?;
            match usize::try_from(n) {
                Ok(size) if n <= MAX_N => Ok(Call::EchoStructure(generate::structure(size).into())),
                _ => Err(ArgumentError::Wrong(format!("n is {n}: it must be from 0 to {MAX_N}"))),
            }
        }
        "EchoString" => match source(arguments)? {
            Source::Literal(value) => literal::text(value).map(Call::EchoString),
            Source::Made(content) => Ok(Call::EchoString(generate::string(content, count(arguments)?))),
        },
        "Send" => send(arguments),
        _ => match pairs::calls(name) {
            Some(calls) => own(name, calls, arguments),
            None => Err(ArgumentError::Wrong(format!("the service has no call {}", shortened(name)))),
        },
    }
}

/// A call of the user's own service: the request of the pair that `pair` counts, from 1; the first unless given.
fn own(name: &str, calls: &[Call], arguments: &Map<String, Json>) -> Result<Call, ArgumentError> {
    let given = arguments.get("pair").map_or(Some(1), Json::as_u64);
    let place = given.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
    let call = place.and_then(|place| calls.get(place));
    call.cloned().ok_or_else(|| ArgumentError::Wrong(format!("{name} has {} pairs: pair must be one of them, from 1", calls.len())))
}

fn send(arguments: &Map<String, Json>) -> Result<Call, ArgumentError> {
    let name = text(arguments, "type")?;
    let (element, array) = name.strip_suffix("[]").map_or((name, false), |element| (element, true));
    let Some(kind) = Kind::named(element) else {
        return Err(ArgumentError::Wrong(format!(
            "type is {}: it must be boolean, byte, char, short, int, long, float, double, string or object, or one of these with [] behind it",
            shortened(name)
        )));
    };
    match source(arguments)? {
        Source::Literal(value) => literal::value(kind, array, value).map(Call::Send),
        Source::Made(content) => {
            let count = if array || kind == Kind::Text { count(arguments)? } else { 1 };
            generate::value(kind, array, content, count)
                .map(Call::Send)
                .ok_or_else(|| ArgumentError::Wrong(format!("content bmp is for string and char[], not for {name}")))
        }
    }
}

/// The source of a value.
enum Source<'a> {
    Literal(&'a Json),
    Made(Content),
}

fn source(arguments: &Map<String, Json>) -> Result<Source<'_>, ArgumentError> {
    match (arguments.get("value"), arguments.get("content")) {
        (Some(value), None) => Ok(Source::Literal(value)),
        (None, Some(content)) => match content.as_str() {
            Some("fixed") => Ok(Source::Made(Content::Fixed)),
            Some("random") => Ok(Source::Made(Content::Random(seed(arguments)?))),
            Some("bmp") => Ok(Source::Made(Content::Bmp(seed(arguments)?))),
            _ => Err(wrong("content", content, "fixed, random or bmp")),
        },
        (None, None) => Err(missing("value or content")),
        (Some(_), Some(_)) => Err(ArgumentError::Wrong("value and content exclude each other: leave one of them out".to_owned())),
    }
}

/// The seed of the arguments; 1 by default.
pub(crate) fn seed(arguments: &Map<String, Json>) -> Result<u64, ArgumentError> {
    match arguments.get("seed") {
        None => Ok(1),
        Some(given) => given
            .as_u64()
            .or_else(|| given.as_str().and_then(literal::decimal))
            .ok_or_else(|| wrong("seed", given, "a whole number from 0 to 18446744073709551615, as a number or a decimal string")),
    }
}

fn count(arguments: &Map<String, Json>) -> Result<usize, ArgumentError> {
    let given = arguments.get("count").ok_or_else(|| missing("count"))?;
    match given.as_u64() {
        Some(count) if count <= MOST_ELEMENTS => Ok(count as usize),
        _ => Err(wrong("count", given, &format!("a whole number from 0 to {MOST_ELEMENTS}"))),
    }
}

fn integer(arguments: &Map<String, Json>, name: &str) -> Result<i32, ArgumentError> {
    let given = arguments.get(name).ok_or_else(|| missing(name))?;
    given.as_i64().and_then(|it| i32::try_from(it).ok()).ok_or_else(|| wrong(name, given, "a whole number of 32 bits"))
}

fn text<'a>(arguments: &'a Map<String, Json>, name: &str) -> Result<&'a str, ArgumentError> {
    let given = arguments.get(name).ok_or_else(|| missing(name))?;
    given.as_str().ok_or_else(|| wrong(name, given, "a string"))
}

fn missing(name: &str) -> ArgumentError {
    ArgumentError::Wrong(format!("the argument {name} is missing"))
}

fn wrong(name: &str, given: &Json, right: &str) -> ArgumentError {
    ArgumentError::Wrong(format!("{name} is {}: it must be {right}", shortened(&given.to_string())))
}

fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}

#[cfg(test)]
mod tests;
