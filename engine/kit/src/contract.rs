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
mod hello;
mod lines;
mod own;
mod party;
pub mod requests;
mod serving;
mod session;
mod stdout;
mod tracing;

pub use clients::misfitting;
pub use driving::{Paced, no_field, paced};
pub use ending::{GRACE, Stopping};
pub use event::Event;
pub use hello::CONTRACT;
pub use party::Party;

use event::Line;
use lines::Lines;
use own::Own;
use session::Session;
pub use tracing::trace_of;

/// Speaks for `adapter` until `stop`, the end of stdin or SIGTERM. The one entry of every adapter's `main`.
pub fn run(adapter: Arc<dyn Adapter>) -> ExitCode {
    run_party(|stopping, _| Ok(Own::new(adapter, stopping)))
}

/// Speaks for a party, which is made once standard output is the contract's alone and SIGTERM is watched. It is given what says that
/// the process is to end, and where to say that the party itself has ended.
pub fn run_party<P: Party>(made: impl FnOnce(Arc<Stopping>, Sender<Event>) -> Result<P, Failure>) -> ExitCode {
    match speak(made) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err((failure, code))) => {
            eprintln!("callbench: {}", failure.message);
            ExitCode::from(code)
        }
        // Whoever started this has gone: there is nobody left to answer.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("callbench: the adapter cannot speak to the core: {error}");
            ExitCode::FAILURE
        }
    }
}

fn speak<P: Party>(made: impl FnOnce(Arc<Stopping>, Sender<Event>) -> Result<P, Failure>) -> io::Result<Result<(), (Failure, u8)>> {
    // Before anything else: from here on, what a library prints goes to stderr.
    let out = stdout::keep()?;
    let stopping = Arc::new(Stopping::default());
    let (events, received) = ending::watch(&stopping)?;
    let incoming = Lines::of(io::stdin(), (events.clone(), received), Arc::clone(&stopping));
    let party = match made(stopping, events) {
        Ok(party) => party,
        Err(failure) => return Ok(Err((failure, 1))),
    };
    let mut session = Session::new(party, Box::new(out));
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
    let mut party = session.into_party();
    Ok(party.stop().map_err(|failure| (failure, party.exit_code())))
}
