//! Calls of a service of the user's own: their plain values are the JSON of the service itself, as its files of pairs have it.

use callbench_own as own;
use serde_json::{Serializer, Value as Json};

/// Whether the operation is one of them.
pub(super) fn has(operation: &str) -> bool {
    own::place_of(operation).is_some()
}

/// What `write` writes as JSON. It goes through text, in which a float has the shortest digits of its own width.
pub(super) fn json(write: impl FnOnce(&mut Serializer<&mut Vec<u8>>) -> serde_json::Result<()>) -> Json {
    let mut text = Vec::new();
    let read = write(&mut Serializer::new(&mut text)).and_then(|()| serde_json::from_slice(&text));
    read.expect("the values of a service come from JSON, and JSON has them all")
}
