//! `callbench-torture` reads its settings as one line of JSON, attacks the server and reports the counts ten times a second.
//!
//! It ends when its standard input is closed, so it cannot outlive the process that started it.

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

use callbench_torture::counts::Message;
use callbench_torture::{attack, settings::Settings};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            say(&Message::Error { message: &sentence });
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut line = String::new();
    stdin().lock().read_line(&mut line).map_err(|error| format!("no settings can be read: {error}"))?;
    let settings = Settings::of(&line)?;
    let watcher = std::thread::Builder::new().name("end-of-input".to_owned());
    let watching = watcher.spawn(|| {
        let mut rest = String::new();
        while stdin().lock().read_line(&mut rest).is_ok_and(|read| read > 0) {
            rest.clear();
        }
        std::process::exit(0);
    });
    watching.map_err(|error| format!("the thread that waits for the end of the input cannot be started: {error}"))?;
    let counts = attack::run(&settings, |at_ns, counts| say(&Message::Interval { at_ms: at_ns / 1_000_000, counts }))?;
    say(&Message::Done { counts: &counts, processor: callbench_kit::processor::usage() });
    Ok(())
}

fn say(what: &Message) {
    let mut line = serde_json::to_vec(what).expect("the counts can always be written as JSON");
    line.push(b'\n');
    let mut out = stdout().lock();
    // The reader of the pipe has ended.
    if out.write_all(&line).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
