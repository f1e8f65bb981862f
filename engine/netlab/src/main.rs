//! `callbench-netlab` creates two hosts, which exist as long as it runs. It reads and writes JSON lines.
//!
//! It ends with its input, with the request `stop`, or when the process that started it ends for any reason.

use std::io::{self, Write};
use std::process::ExitCode;

use callbench_netlab::failure::Failure;
use callbench_netlab::half::Tunnel;
use callbench_netlab::{daemon, file, namespace};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use serde_json::json;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if let Some(word) = words.next() {
        return run_command(&word, &words.collect::<Vec<_>>());
    }
    let parent = getppid();
    // In the network of this machine, which a process without rights cannot enter again.
    let able = Tunnel::open().and_then(|tunnel| namespace::gain_privileges().map(|user| (tunnel, user)));
    // After entering the user namespace, because that may clear it.
    if let Err(error) = prctl::set_pdeathsig(Signal::SIGKILL) {
        eprintln!("callbench-netlab: cannot ask for the parent-death signal: {}", error.desc());
        return ExitCode::from(125);
    }
    if getppid() != parent {
        return ExitCode::SUCCESS; // the parent died before the signal was set
    }
    let ended = match able {
        Ok((tunnel, user)) => daemon::converse(io::stdin().lock(), io::stdout().lock(), tunnel, user),
        Err(failure) => {
            writeln!(io::stdout(), "{}", json!({"is": "error", "id": null, "kind": failure.kind.name(), "message": failure.message}))
        }
    };
    // The reader has ended.
    ended.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

/// Commands for people.
fn run_command(word: &str, rest: &[String]) -> ExitCode {
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
