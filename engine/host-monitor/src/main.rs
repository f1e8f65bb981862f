//! `callbench-host-monitor gaps --cpus 0,1` and `callbench-host-monitor echo --client 0 --server 1 --seconds 0.2` watch the machine during a
//! measurement.
//!
//! | command | what it does |
//! |---|---|
//! | `gaps` | After a line `begin` on stdin, one thread per processor sleeps 5 ms at a time and notes how late it wakes up. `begin 1000` sleeps 1000 us instead. After a line `end`, it prints the result in JSON. It ends with stdin. |
//! | `echo` | Two threads send 16 bytes back and forth over TCP on loopback, pinned like the client and the server of a trial. It prints the times of the round trips in JSON. |

mod echo;
mod gaps;
mod place;

use std::process::ExitCode;

const USAGE: &str = "usage: callbench-host-monitor gaps --cpus 0,1 | callbench-host-monitor echo --client 0 --server 1 --seconds 0.2";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words[..] {
        ["gaps", "--cpus", cpus] => place::processors(cpus).and_then(|cpus| gaps::watch(&cpus)),
        ["echo", "--client", client, "--server", server, "--seconds", seconds] => echo_of(client, server, seconds),
        _ => Err(USAGE.to_owned()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("callbench-host-monitor: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn echo_of(client: &str, server: &str, seconds: &str) -> Result<(), String> {
    let long: f64 = seconds.parse().map_err(|_| format!("--seconds {seconds} is no number"))?;
    if !(0.0..=60.0).contains(&long) {
        return Err(format!("--seconds {seconds}: it must be from 0 to 60"));
    }
    echo::run(&place::processors(client)?, &place::processors(server)?, (long * 1e9) as u64)
}
