//! `callbench-load`: the load driver. It speaks `contract/CONTRACT.md` on its standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_load::adapter::Load;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

fn main() -> ExitCode {
    // A connection is a file descriptor, and a shell often allows a thousand where the machine allows a million.
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
    callbench_kit::run(Arc::new(Load::new()))
}
