//! A server in a process of its own, as the adapter's process sees it: both are then guests of one Wine, without which they would not
//! find each other's windows, pipes and objects.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::windows::io::AsHandle;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use callbench_kit::processor::{Included, Usage};
use callbench_kit::stack::{Options, RemoteCounts, Server};
use callbench_kit::{Failure, Kind};
use serde::{Deserialize, Serialize};

use crate::mishap::Mishap;

/// The line that asks for what was counted.
pub const COUNTED: &str = "counted";
/// How long a process that ended its output is waited for, so that it can be told how it ended.
const ENDING: Duration = Duration::from_secs(2);

/// The answer to `counted`.
#[derive(Deserialize, Serialize)]
pub struct Counted {
    pub calls: BTreeMap<String, u64>,
    pub processor: Usage,
}

/// The process, seen by the adapter. Dropping it ends it.
pub struct Process {
    child: Mutex<Child>,
    endpoint: String,
    line: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    /// The server works for this adapter: its processor time is the adapter's.
    _included: Included,
}

impl Process {
    /// Starts this program again as a server of `what`: a channel and a message, or COM.
    pub fn start(what: &[&str], options: &Options) -> Result<Box<dyn Server>, Failure> {
        // Refused here, where the core hears of it.
        Mishap::of(options)?;
        let options = serde_json::to_string(options).map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .args(what)
            .arg(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new(Kind::Internal, "the server's process has no pipes"));
        };
        let included = Included::new(child.as_handle())?;
        let line = Mutex::new((to, BufReader::new(from)));
        let mut process = Process { child: Mutex::new(child), endpoint: String::new(), line, _included: included };
        process.endpoint = process.next_line()?;
        Ok(Box::new(process))
    }

    /// A process that has ended takes no question; how it ended is found where its answer is missed.
    fn request_count(&self) {
        let (to, _) = &mut *self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(to, "{COUNTED}").and_then(|()| to.flush());
    }

    /// The process's next line.
    fn next_line(&self) -> Result<String, Failure> {
        let mut line = String::new();
        let mut pipes = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was killed breaks its pipe, one that ended closes it.
        if matches!(pipes.1.read_line(&mut line), Ok(length) if length > 0) {
            return Ok(line.trim_end().to_owned());
        }
        Err(self.ended())
    }

    /// How it ended, for one that says nothing any more.
    fn ended(&self) -> Failure {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + ENDING;
        loop {
            match child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
                Ok(Some(status)) => return Failure::new(Kind::Closed, format!("the server's process has ended: {}", how(status))),
                _ => return Failure::new(Kind::Closed, "the server's process says nothing any more"),
            }
        }
    }
}

/// An exit code in words. Windows gives the exception's code to a process that nobody saved from one.
fn how(status: ExitStatus) -> String {
    match status.code().map(i32::cast_unsigned) {
        Some(0xc000_0005) => "an access violation (0xc0000005)".to_owned(),
        Some(0xc000_00fd) => "a stack overflow (0xc00000fd)".to_owned(),
        Some(0xc000_0409) => "it gave up by itself (0xc0000409); what it said is in the adapter's log".to_owned(),
        Some(code) if code >= 0x8000_0000 => format!("the exception {code:#010x}"),
        _ => format!("{status}; what it said is in the adapter's log"),
    }
}

impl Server for Process {
    fn endpoint(&self) -> String {
        self.endpoint.clone()
    }

    fn remote_counts(&self) -> Result<RemoteCounts, Failure> {
        self.request_count();
        let counted: Counted = serde_json::from_str(&self.next_line()?).map_err(Failure::protocol)?;
        Ok(RemoteCounts { calls: counted.calls.into_iter().collect(), processor: Some(counted.processor) })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        // It has nothing to save; where it has ended already, there is nothing to do.
        let _ = child.kill();
        let _ = child.wait();
    }
}
