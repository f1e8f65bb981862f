//! The adapter's side of `contract/CONTRACT.md`: requests on stdin, answers on stdout.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use crate::failure::Failure;
use crate::stack::Adapter;

pub mod answers;
pub mod checks;
mod clients;
mod driving;
mod ending;
mod event;
mod handler;
mod hello;
mod in_process;
mod lines;
pub mod requests;
mod serving;
mod session;
mod stdout;
mod tracing;

pub use clients::argument_failure;
pub use driving::{Pacing, no_field, paced};
pub use ending::{GRACE, StopSignal};
pub use event::Event;
pub use handler::Handler;
pub use hello::CONTRACT;

use event::Line;
use in_process::InProcess;
use lines::Lines;
use session::Session;
pub use tracing::trace_of;

/// Speaks the contract for `adapter` until `stop`, the end of stdin or SIGTERM. The `main` of every adapter calls it.
pub fn run(adapter: Arc<dyn Adapter>) -> ExitCode {
    run_handler(|stop, _| Ok(InProcess::new(adapter, stop)))
}

/// Speaks the contract for a handler. The handler is created after standard output is reserved for the contract and SIGTERM is watched. It receives
/// the stop signal of the process, and a sender with which it reports its own end.
pub fn run_handler<P: Handler>(made: impl FnOnce(Arc<StopSignal>, Sender<Event>) -> Result<P, Failure>) -> ExitCode {
    match speak(made) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err((failure, code))) => {
            eprintln!("callbench: {}", failure.message);
            ExitCode::from(code)
        }
        // The process that started this one has ended.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("callbench: the adapter cannot speak to the core: {error}");
            ExitCode::FAILURE
        }
    }
}

fn speak<P: Handler>(made: impl FnOnce(Arc<StopSignal>, Sender<Event>) -> Result<P, Failure>) -> io::Result<Result<(), (Failure, u8)>> {
    // Before anything else: from now on, prints of libraries go to stderr.
    let out = stdout::keep()?;
    let stop = Arc::new(StopSignal::default());
    let (events, received) = ending::watch(&stop)?;
    let incoming = Lines::of(io::stdin(), (events.clone(), received), Arc::clone(&stop))?;
    let handler = match made(stop, events) {
        Ok(handler) => handler,
        Err(failure) => return Ok(Err((failure, 1))),
    };
    let mut session = Session::new(handler, Box::new(out));
    session.greet()?;
    while let Some(line) = incoming.next() {
        let continue_session = match line {
            Line::Whole(line) => session.answer(&line)?,
            Line::TooLong => session.refuse_long_line()?,
        };
        if !continue_session {
            break;
        }
    }
    let mut handler = session.into_handler();
    Ok(handler.stop().map_err(|failure| (failure, handler.exit_code())))
}
