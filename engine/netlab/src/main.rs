//! `callbench-netlab` holds two hosts while it lives: JSON lines in, JSON lines out; its end is their end.
//!
//! It ends with its input, with the word stop, or with the process that started it, however that ended.

use std::io::{self, Write};
use std::process::ExitCode;

use callbench_netlab::failure::Failure;
use callbench_netlab::{file, holder, namespace};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use serde_json::json;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if let Some(word) = words.next() {
        return said(&word, &words.collect::<Vec<_>>());
    }
    let parent = getppid();
    let able = namespace::become_able();
    // After the step into a user namespace, which may clear it.
    if let Err(error) = prctl::set_pdeathsig(Signal::SIGKILL) {
        eprintln!("callbench-netlab: cannot ask for the parent-death signal: {}", error.desc());
        return ExitCode::from(125);
    }
    if getppid() != parent {
        return ExitCode::SUCCESS; // it died before the kernel could tell us
    }
    let ended = match able {
        Ok(user) => holder::converse(io::stdin().lock(), io::stdout().lock(), user),
        Err(failure) => {
            writeln!(io::stdout(), "{}", json!({"is": "error", "id": null, "kind": failure.kind.name(), "message": failure.message}))
        }
    };
    // Whoever has gone needs no answer.
    ended.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

/// What a person asks for on the command line.
fn said(word: &str, rest: &[String]) -> ExitCode {
    let answer = match word {
        "account" => file::account(rest),
        other => Err(Failure::bad(format!("{other} is not a command: account FILE.pcap is; without one, the lab listens to the core"))),
    };
    match answer {
        Ok(text) => writeln!(io::stdout(), "{}", text.trim_end()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS),
        Err(failure) => {
            eprintln!("callbench-netlab: {failure}");
            ExitCode::from(2)
        }
    }
}
