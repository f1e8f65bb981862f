//! The first line of an adapter, `hello`.

use super::answers::{Clock, Hello};
use crate::stack::Adapter;
use crate::{clock, heap};

/// The version of the contract.
pub const CONTRACT: u32 = 1;

pub(super) fn hello(adapter: &dyn Adapter) -> Hello {
    let mut features = vec!["closed", "think", "ramp-up", "open", "burn"];
    if adapter.stacks().iter().any(|stack| stack.codec().is_some()) {
        features.push("codec");
    }
    if heap::used_bytes().is_some() {
        features.push("heap");
    }
    if adapter.supports_traces() {
        features.extend(["trace", "altered"]);
    }
    if adapter.supports_serve_all() {
        features.push("serve-all");
    }
    let full = |name: String| format!("{}/{name}", adapter.name());
    let stacks = adapter.stacks();
    Hello {
        contract: CONTRACT,
        adapter: adapter.name().to_owned(),
        language: "rust".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        runtime: env!("CALLBENCH_RUSTC").to_owned(),
        libraries: adapter.libraries().into_iter().map(|(library, version)| (library.to_owned(), version)).collect(),
        clock: Clock { name: clock::NAME.to_owned(), resolution_ns: clock::resolution_ns(), reading_ns: clock::reading_ns() },
        features: features.into_iter().map(str::to_owned).collect(),
        stacks: stacks.iter().map(|stack| full(stack.name())).collect(),
        unavailable: stacks.iter().filter_map(|stack| Some((full(stack.name()), stack.unavailable()?))).collect(),
    }
}
