//! `callbench-dcom`: the DCOM adapter. It speaks `contract/CONTRACT.md` on its standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_dcom::stack::Dcom;

fn main() -> ExitCode {
    callbench_kit::run(Arc::new(Dcom::new()))
}
