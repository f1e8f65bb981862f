//! `callbench-torture`: reads one line of JSON (what to do to whom), does it, and says ten times a second what came of it.
//!
//! It ends with its standard input, so it cannot outlive who started it.

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

use callbench_torture::tally::Said;
use callbench_torture::{storm, wish::Wish};

fn main() -> ExitCode {
    match told() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            say(&Said::Error { message: &sentence });
            ExitCode::from(2)
        }
    }
}

fn told() -> Result<(), String> {
    let mut line = String::new();
    stdin().lock().read_line(&mut line).map_err(|error| format!("no wish can be read: {error}"))?;
    let wish = Wish::of(&line)?;
    std::thread::spawn(|| {
        let mut rest = String::new();
        while stdin().lock().read_line(&mut rest).is_ok_and(|read| read > 0) {
            rest.clear();
        }
        std::process::exit(0);
    });
    let tally = storm::raged(&wish, |at_ns, tally| say(&Said::Interval { at_ms: at_ns / 1_000_000, tally }))?;
    say(&Said::Done { tally: &tally, processor: callbench_kit::processor::usage() });
    Ok(())
}

fn say(what: &Said) {
    let mut line = serde_json::to_vec(what).expect("our own figures are JSON");
    line.push(b'\n');
    let mut out = stdout().lock();
    // Whoever listened has gone: then nobody is left to tell.
    if out.write_all(&line).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
