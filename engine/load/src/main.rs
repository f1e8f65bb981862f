//! `callbench-load`: the load driver. It speaks `contract/CONTRACT.md` on its standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_load::adapter::Load;

fn main() -> ExitCode {
    callbench_kit::run(Arc::new(Load::new()))
}
