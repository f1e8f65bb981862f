//! The payloads of a drive: the same call with other random values, so that no cache of a library flatters it.

use serde_json::{Map, Value as Json};

use super::Payload;
use crate::arguments::{self, Misfit};

/// So many payloads are in rotation where the values are random.
pub const PAYLOADS: usize = 16;
/// Where so many would be longer than this as text, in bytes, there are fewer.
const BUDGET: usize = 64 << 20;

/// The payloads of the call `name`: of `content` `random` 16, each with the seed after the last one's; of all else, one.
pub fn rotation(name: &str, arguments: &Map<String, Json>) -> Result<Vec<Payload>, Misfit> {
    let first = Payload::of(name, arguments)?;
    if !matches!(name, "Send" | "EchoString") || arguments.get("content").and_then(Json::as_str) != Some("random") {
        return Ok(vec![first]);
    }
    let seed = arguments::seed(arguments)?;
    let most = (BUDGET / first.arguments.to_string().len().max(1)).clamp(1, PAYLOADS);
    let rest = (1..most as u64).map(|turn| {
        let mut turned = arguments.clone();
        turned.insert("seed".to_owned(), Json::String(seed.wrapping_add(turn).to_string()));
        Payload::of(name, &turned)
    });
    std::iter::once(Ok(first)).chain(rest).collect()
}
