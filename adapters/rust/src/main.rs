//! `callbench-rust`: REST servers of Rust, which the load driver calls. It speaks `contract/CONTRACT.md` on its standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_kit::stack::{Adapter, Stack};

mod hyper_server;

/// What the versions are read from, as it was when this was built.
const LOCK: &str = include_str!("../../../engine/Cargo.lock");

struct Rust {
    stacks: Vec<Box<dyn Stack>>,
}

impl Adapter for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        ["hyper", "hyper-util", "tokio"].into_iter().filter_map(|name| Some((name, locked(name)?))).collect()
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}

/// The version of a library in the lock file.
fn locked(name: &str) -> Option<String> {
    let (_, rest) = LOCK.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split_once('"').map(|(version, _)| version.to_owned())
}

fn main() -> ExitCode {
    callbench_kit::run(Arc::new(Rust { stacks: vec![Box::new(hyper_server::Hyper)] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_are_those_of_the_lock_file() {
        let version = locked("hyper").expect("hyper is in the lock file");
        assert!(version.starts_with("1."), "{version}");
        assert_eq!(locked("no-such-library"), None);
    }
}
