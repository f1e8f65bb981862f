//! `callbench-witness gaps --cpus 0,1` and `callbench-witness canary --client 0 --server 1 --seconds 0.2` say what the machine itself does
//! while others are measured.
//!
//! | command | what it does |
//! |---|---|
//! | `gaps` | a line `begin` on stdin: one thread a processor sleeps 5 ms at a time (`begin 1000`: so many microseconds) and notes how late it was woken; a line `end`: it says what was seen, in JSON; end of stdin: it ends |
//! | `canary` | two threads, pinned as the sides of a trial are, send 16 bytes to and fro over TCP on loopback; says the round trips in JSON |

mod canary;
mod gaps;
mod place;

use std::process::ExitCode;

const USAGE: &str = "usage: callbench-witness gaps --cpus 0,1 | callbench-witness canary --client 0 --server 1 --seconds 0.2";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words[..] {
        ["gaps", "--cpus", cpus] => place::processors(cpus).and_then(|cpus| gaps::watch(&cpus)),
        ["canary", "--client", client, "--server", server, "--seconds", seconds] => canary_of(client, server, seconds),
        _ => Err(USAGE.to_owned()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("callbench-witness: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn canary_of(client: &str, server: &str, seconds: &str) -> Result<(), String> {
    let long: f64 = seconds.parse().map_err(|_| format!("--seconds {seconds} is no number"))?;
    if !(0.0..=60.0).contains(&long) {
        return Err(format!("--seconds {seconds}: it must be from 0 to 60"));
    }
    canary::sing(&place::processors(client)?, &place::processors(server)?, (long * 1e9) as u64)
}
