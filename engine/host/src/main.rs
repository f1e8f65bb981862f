//! `callbench-host NAME PROGRAM [ARGUMENT...]` speaks `contract/CONTRACT.md` with the core on its standard input and output, and `contract/RUNNER.md`
//! with a runner, which it starts as PROGRAM. NAME is the name of the adapter, the part of a stack's name before the slash.
//!
//! Built for a service of the user's own, it is given the pairs of each call behind the last `--`: `... -- CALL=FILE ...`.

use std::process::ExitCode;

use callbench_kit::contract;

mod ask;
mod driving;
mod hosted;
mod prepared;
mod ready;
mod runner;

/// What stands between the runner's command and the files with pairs.
const PAIRS: &str = "--";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), program) = (arguments.next(), arguments.collect::<Vec<_>>()) else {
        return usage();
    };
    let (program, files) = match program.iter().rposition(|argument| argument == PAIRS) {
        Some(place) => (program[..place].to_vec(), program[place + 1..].to_vec()),
        None => (program, Vec::new()),
    };
    if program.is_empty() {
        return usage();
    }
    if let Err(message) = callbench_service::pairs::read(files.into_iter()) {
        eprintln!("callbench-host: {message}");
        return ExitCode::FAILURE;
    }
    contract::run_handler(|stopping, events| hosted::Hosted::start(name, &program, stopping, events))
}

fn usage() -> ExitCode {
    eprintln!(
        "callbench-host: say the adapter's name and the runner's command: callbench-host NAME PROGRAM [ARGUMENT...] [-- CALL=FILE...]"
    );
    ExitCode::from(2)
}
