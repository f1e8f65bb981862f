//! A server in a process of its own, which the adapter's process starts: both are then guests of one Wine, without which they would not
//! find each other's windows and pipes. It says its endpoint in one line, answers each line `counted` with the calls counted since last
//! asked, as JSON, and ends with its stdin.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use callbench_kit::stack::{Options, Server};
use callbench_kit::{Failure, Kind};
use callbench_native::channel::Handler;
use callbench_native::{message, stack};
use callbench_service::Service;

use crate::channel::{namedpipe, winmsg};

const COUNTED: &str = "counted";

/// The process, seen by the adapter. Dropping it ends it.
pub struct Process {
    child: Child,
    endpoint: String,
    line: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Process {
    /// Starts this program again as a server of `message` over `channel`.
    pub fn start(channel: &str, message: &str, options: &Options) -> Result<Box<dyn Server>, Failure> {
        let options = serde_json::to_string(options).map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", channel, message, &options])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new(Kind::Internal, "the server's process has no pipes"));
        };
        let mut from = BufReader::new(from);
        let endpoint = said(&mut from);
        let process = Process { child, endpoint: endpoint.clone().unwrap_or_default(), line: Mutex::new((to, from)) };
        endpoint.map(|_| Box::new(process) as Box<dyn Server>)
    }
}

/// The process's next line.
fn said(from: &mut impl BufRead) -> Result<String, Failure> {
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        return Err(Failure::new(Kind::Closed, "the server's process has ended: what it said is in the adapter's log"));
    }
    Ok(line.trim_end().to_owned())
}

impl Server for Process {
    fn endpoint(&self) -> String {
        self.endpoint.clone()
    }

    fn counted_elsewhere(&self) -> Result<Vec<(String, u64)>, Failure> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let (to, from) = &mut *line;
        writeln!(to, "{COUNTED}")?;
        to.flush()?;
        let counts: BTreeMap<String, u64> = serde_json::from_str(&said(from)?).map_err(Failure::protocol)?;
        Ok(counts.into_iter().collect())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has nothing to save; where it has ended already, there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The process, seen from inside: serves until stdin ends.
pub fn run(channel: &str, message: &str, options: &str) -> ExitCode {
    match serve(channel, message, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("callbench-windows: serving {message}+{channel}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn serve(channel: &str, message: &str, options: &str) -> Result<(), Failure> {
    let options: Options = serde_json::from_str(options).map_err(Failure::protocol)?;
    let service = Arc::new(Service::with_options(&options).map_err(|sentence| Failure::new(Kind::BadRequest, sentence))?);
    let wrong = |what: &str| Failure::new(Kind::BadRequest, format!("there is no {what}"));
    let found = message::all().into_iter().find(|it| it.name() == message).ok_or_else(|| wrong(message))?;
    let handler: Arc<dyn Handler> = stack::handler(found, Arc::clone(&service));
    let endpoint = match channel {
        namedpipe::NAME => namedpipe::host(handler)?,
        winmsg::NAME => winmsg::host(handler)?,
        _ => return Err(wrong(channel)),
    };
    let mut out = io::stdout();
    writeln!(out, "{endpoint}")?;
    out.flush()?;
    for line in io::stdin().lines() {
        if line? == COUNTED {
            let counts: BTreeMap<&str, u64> = service.counted().into_iter().collect();
            writeln!(out, "{}", serde_json::to_string(&counts).map_err(Failure::protocol)?)?;
            out.flush()?;
        }
    }
    Ok(())
}
