//! `callbench-native`: the native adapter. It speaks `contract/CONTRACT.md` on its standard input and output.
//!
//! Built for a service of the user's own, it is given the pairs of each call: `callbench-native CALL=FILE ...`.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_native::adapter::Native;

fn main() -> ExitCode {
    match callbench_service::pairs::read(std::env::args().skip(1)) {
        Ok(()) => callbench_kit::run(Arc::new(Native::new())),
        Err(message) => {
            eprintln!("callbench-native: {message}");
            ExitCode::FAILURE
        }
    }
}
