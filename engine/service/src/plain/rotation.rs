//! The payloads of a drive: the same call with other random values, so that no cache of a library flatters it.

use serde_json::{Map, Value as Json};

use super::Payload;
use crate::arguments::{self, Misfit};
use crate::call::Call;

/// So many payloads are in rotation where the values are random.
pub const PAYLOADS: usize = 16;
/// Where so many would be longer than this as text, in bytes, there are fewer.
const BUDGET: usize = 64 << 20;

/// The payloads of the call `name`: of `content` `random` 16, each with the seed after the last one's; of all else, one.
pub fn rotation(name: &str, arguments: &Map<String, Json>) -> Result<Vec<Payload>, Misfit> {
    let first = Payload::of(name, arguments)?;
    let rest = further(name, arguments, || first.arguments.to_string().len())?;
    let rest: Vec<Payload> = rest.iter().map(|turned| Payload::of(name, turned)).collect::<Result<_, _>>()?;
    Ok(std::iter::once(first).chain(rest).collect())
}

/// The same payloads as the calls of a Rust program, without the first one, which is `call`.
pub fn further_calls(name: &str, arguments: &Map<String, Json>, call: &Call) -> Result<Vec<Call>, Misfit> {
    let rest = further(name, arguments, || super::parameters(call).to_string().len())?;
    rest.iter().map(|turned| arguments::call(name, turned)).collect()
}

/// The arguments behind the first ones; `length` is that of a payload as text, in bytes.
fn further(name: &str, arguments: &Map<String, Json>, length: impl FnOnce() -> usize) -> Result<Vec<Map<String, Json>>, Misfit> {
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
