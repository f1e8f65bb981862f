//! `callbench-host NAME PROGRAM [ARGUMENT...]`: speaks `contract/CONTRACT.md` with the core on its standard input and output, and
//! `contract/RUNNER.md` with the runner of a language, which it starts as PROGRAM. NAME is the adapter's, the part of a stack's name
//! before the slash.

use std::process::ExitCode;

use callbench_kit::contract;

mod asked;
mod driving;
mod hosted;
mod prepared;
mod ready;
mod runner;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), program) = (arguments.next(), arguments.collect::<Vec<_>>()) else {
        return usage();
    };
    if program.is_empty() {
        return usage();
    }
    contract::run_party(|stopping, events| hosted::Hosted::start(name, &program, stopping, events))
}

fn usage() -> ExitCode {
    eprintln!("callbench-host: say the adapter's name and the runner's command: callbench-host NAME PROGRAM [ARGUMENT...]");
    ExitCode::from(2)
}
