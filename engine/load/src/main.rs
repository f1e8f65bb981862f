//! `callbench-load`: the load driver. It speaks `contract/CONTRACT.md` on its standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_load::adapter::Load;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

fn main() -> ExitCode {
    // Raises the limit of descriptors. Each connection needs one, and shells often allow only a thousand.
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
    callbench_kit::run(Arc::new(Load::new()))
}
