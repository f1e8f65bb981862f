//! A server in a process of its own, from inside. It says its endpoint in one line, answers each line `counted` with the calls counted
//! since last asked and its processor time, as JSON, and ends with its stdin.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use callbench_kit::processor;
use callbench_kit::stack::Options;
use callbench_kit::{Failure, Kind};
use callbench_native::stack;
use callbench_service::Service;
use callbench_transport::{AnswerKind, Handler};

use crate::channel::{namedpipe, winmsg};
use crate::com;
use crate::mishap::{self, Mishap};
use crate::process::{COUNTED, Counted};

/// Serves until stdin ends.
pub fn run(what: &[&str], options: &str) -> ExitCode {
    match serve(what, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("callbench-windows: serving {}: {failure}", what.join(" "));
            ExitCode::FAILURE
        }
    }
}

fn serve(what: &[&str], options: &str) -> Result<(), Failure> {
    let options: Options = serde_json::from_str(options).map_err(Failure::protocol)?;
    let service = Arc::new(Service::with_options(&options).map_err(|sentence| Failure::new(Kind::BadRequest, sentence))?);
    let endpoint = host(what, Arc::clone(&service), Mishap::of(&options)?)?;
    let mut out = io::stdout();
    writeln!(out, "{endpoint}")?;
    out.flush()?;
    for line in io::stdin().lines() {
        if line? == COUNTED {
            let calls = service.counted().into_iter().map(|(call, count)| (call.to_owned(), count)).collect();
            let counted = Counted { calls, processor: processor::usage() };
            writeln!(out, "{}", serde_json::to_string(&counted).map_err(Failure::protocol)?)?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Starts to serve, and gives the endpoint.
fn host(what: &[&str], service: Arc<Service>, unlucky: Mishap) -> Result<String, Failure> {
    let wrong = || Failure::new(Kind::BadRequest, format!("there is nothing to serve called {}", what.join(" ")));
    let [channel, name] = what else {
        return if what == [com::NAME] { com::host(service, Arc::new(unlucky)) } else { Err(wrong()) };
    };
    let found = callbench_codec::all().into_iter().find(|it| it.name() == *name).ok_or_else(wrong)?;
    let handler = Arc::new(Unlucky { mishap: unlucky, handler: stack::handler(found, service) });
    mishap::end_at_once();
    match *channel {
        namedpipe::NAME => namedpipe::host(handler),
        winmsg::NAME => winmsg::host(handler),
        _ => Err(wrong()),
    }
}

/// A handler that may meet with a mishap.
struct Unlucky {
    mishap: Mishap,
    handler: Arc<dyn Handler>,
}

impl Handler for Unlucky {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        self.mishap.next();
        self.handler.answer(request, out)
    }
}
