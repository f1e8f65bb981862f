//! The adapter's side of `contract/CONTRACT.md`: requests on stdin, answers on stdout.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::stack::Adapter;

mod answers;
mod clients;
mod driving;
mod ending;
mod hello;
mod lines;
mod requests;
mod serving;
mod session;
mod stdout;
mod tracing;

use lines::{Line, Lines};
use session::Session;

/// Speaks for `adapter` until `stop`, the end of stdin or SIGTERM. The one entry of every adapter's `main`.
pub fn run(adapter: Arc<dyn Adapter>) -> ExitCode {
    match speak(adapter) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever started this has gone: there is nobody left to answer.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("callbench: the adapter cannot speak to the core: {error}");
            ExitCode::FAILURE
        }
    }
}

fn speak(adapter: Arc<dyn Adapter>) -> io::Result<()> {
    // Before anything else: from here on, what a library prints goes to stderr.
    let out = stdout::keep()?;
    let stopping = Arc::new(AtomicBool::new(false));
    let incoming = Lines::of(io::stdin(), ending::watch(&stopping)?, Arc::clone(&stopping));
    let mut session = Session::new(adapter, Box::new(out), stopping);
    session.greet()?;
    while let Some(line) = incoming.next() {
        let goes_on = match line {
            Line::Whole(line) => session.answer(&line)?,
            Line::TooLong => session.refuse_long_line()?,
        };
        if !goes_on {
            break;
        }
    }
    session.end();
    Ok(())
}
