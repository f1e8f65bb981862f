//! The payloads of a drive: the same call with different random values, to prevent unrealistic cache effects in libraries.

use serde_json::{Map, Value as Json};

use super::Payload;
use crate::arguments::{self, ArgumentError};
use crate::call::Call;
use crate::pairs;

/// The number of payloads for random values.
pub const PAYLOADS: usize = 16;
/// If the payloads would be longer than this as text, in bytes, fewer are used.
const BUDGET: usize = 64 << 20;

/// The payloads of the call `name`. For `content` `random`, there are 16, with consecutive seeds. A call of the user's own has all its pairs, unless
/// the arguments name one. For all others, there is one.
pub fn rotation(name: &str, arguments: &Map<String, Json>) -> Result<Vec<Payload>, ArgumentError> {
    let first = Payload::of(name, arguments)?;
    if let Some(calls) = own(name, arguments) {
        return Ok(std::iter::once(first).chain(calls.iter().map(Payload::of_call)).collect());
    }
    let rest = further(name, arguments, || first.arguments.to_string().len())?;
    let rest: Vec<Payload> = rest.iter().map(|turned| Payload::of(name, turned)).collect::<Result<_, _>>()?;
    Ok(std::iter::once(first).chain(rest).collect())
}

/// The further payloads as calls of a Rust program, without the first one, which is `call`.
pub fn further_calls(name: &str, arguments: &Map<String, Json>, call: &Call) -> Result<Vec<Call>, ArgumentError> {
    if let Some(calls) = own(name, arguments) {
        return Ok(calls.to_vec());
    }
    let rest = further(name, arguments, || super::parameters(call).to_string().len())?;
    rest.iter().map(|turned| arguments::call(name, turned)).collect()
}

/// The calls of the user's own behind the first one: none if the arguments name a pair. None for a call of Callbench's own.
fn own(name: &str, arguments: &Map<String, Json>) -> Option<&'static [Call]> {
    let calls = pairs::calls(name)?;
    Some(if arguments.contains_key("pair") { &[] } else { calls.get(1..).unwrap_or_default() })
}

/// The arguments of the further payloads; `length` is the length of a payload as text, in bytes.
fn further(name: &str, arguments: &Map<String, Json>, length: impl FnOnce() -> usize) -> Result<Vec<Map<String, Json>>, ArgumentError> {
    if !matches!(name, "Send" | "EchoString") || arguments.get("content").and_then(Json::as_str) != Some("random") {
        return Ok(Vec::new());
    }
    let seed = arguments::seed(arguments)?;
    let most = (BUDGET / length().max(1)).clamp(1, PAYLOADS);
    let turned = |turn| {
        let mut turned = arguments.clone();
        turned.insert("seed".to_owned(), Json::String(seed.wrapping_add(turn).to_string()));
        turned
    };
    Ok((1..most as u64).map(turned).collect())
}
