//! `callbench-native`: the native adapter. It speaks `contract/CONTRACT.md` on its standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_native::adapter::Native;

fn main() -> ExitCode {
    callbench_kit::run(Arc::new(Native::new()))
}
