//! The runner as a process: started, asked, and ended with the host.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use callbench_kit::contract::Event;
use callbench_kit::{Failure, Kind};
use callbench_service::Service;
use nix::sys::signal::Signal;
use serde_json::{Map, Value, json};

use crate::asked;

mod child;
mod log;

use child::Child;
use log::Log;

/// How long the runner may take to end after `stop`, and then after SIGTERM, before it is killed: together less than the 5 s after which
/// the core kills them both.
const STOPS: Duration = Duration::from_secs(2);
const TERMINATES: Duration = Duration::from_millis(1500);
/// How long what a runner wrote last is waited for, once it has ended.
const LAST_LINES: Duration = Duration::from_secs(1);
/// So much of a line that is no line of the protocol is shown, in characters.
const SHOWN: usize = 80;

/// What comes from the runner.
enum Heard {
    Said(Map<String, Value>),
    /// Something that is no line of the protocol, in a clause.
    Garbage(String),
    /// Its standard output has ended.
    Closed,
    Ended(ExitStatus),
}

/// A running runner.
pub struct Runner {
    /// How sentences name it.
    who: String,
    child: Arc<Child>,
    heard: Receiver<Heard>,
    writes: Sender<Vec<u8>>,
    log: Arc<Log>,
    last_id: u64,
    /// Why nothing more can be asked of it.
    broken: Option<Failure>,
    /// As it ended by itself: its exit code, or 128 and the signal that killed it.
    code: Option<u8>,
    ended: bool,
}

impl Runner {
    /// Starts `program` for the adapter `name`; `gone` is told when it has ended. To be called on the main thread, with which it dies.
    pub fn start(name: &str, program: &[String], gone: Sender<Event>) -> Result<Self, Failure> {
        let who = format!("the runner of {name}");
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let host = std::process::id();
        // SAFETY: between fork and exec only system calls are made.
        unsafe { command.pre_exec(move || child::dies_with(host)) };
        let mut started =
            command.spawn().map_err(|error| Failure::new(Kind::Internal, format!("{who} cannot be started: {}: {error}", program[0])))?;
        let pipes = (started.stdin.take(), started.stdout.take(), started.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(Failure::new(Kind::Internal, format!("{who} has no pipes")));
        };
        let log = Arc::new(Log::default());
        let (writes, written) = mpsc::channel();
        let (tells, heard) = mpsc::channel();
        thread::spawn(move || write_all(stdin, &written));
        let reads = {
            let (tells, writes) = (tells.clone(), writes.clone());
            thread::spawn(move || listen(stdout, &tells, &writes))
        };
        let logs = {
            let log = Arc::clone(&log);
            thread::spawn(move || log.keep(stderr))
        };
        let child = Arc::new(Child::new(started));
        let waited = Arc::clone(&child);
        thread::spawn(move || {
            let status = waited.wait();
            finished(&[reads, logs]);
            // Where nobody listens, the host is ending already.
            let _ = tells.send(Heard::Ended(status));
            let _ = gone.send(Event::Gone);
        });
        Ok(Runner { who, child, heard, writes, log, last_id: 0, broken: None, code: None, ended: false })
    }

    /// What sends it SIGTERM, from any thread.
    pub fn terminator(&self) -> impl Fn() + Send + Sync + 'static {
        let child = Arc::clone(&self.child);
        move || child.signal(Signal::SIGTERM)
    }

    /// Its first line.
    pub fn first(&mut self) -> Result<Map<String, Value>, Failure> {
        self.next(None)
    }

    /// Makes a request and gives its answer, an `is` of which is `awaited`; `interval` hears what comes before it.
    pub fn ask(&mut self, request: Value, awaited: &str, interval: &mut dyn FnMut(&Map<String, Value>)) -> Result<Value, Failure> {
        let id = self.send(request)?;
        loop {
            let said = self.next(None)?;
            if said.get("id").and_then(Value::as_u64) != Some(id) {
                return Err(self.left(&format!("answered request {}, but was asked request {id}", said.get("id").unwrap_or(&Value::Null))));
            }
            match said.get("is").and_then(Value::as_str) {
                Some(is) if is == awaited => return Ok(Value::Object(said)),
                Some("error") => return Err(refusal(&said)),
                Some("interval") if awaited == "done" => interval(&said),
                other => return Err(self.left(&format!("said {}; it must say {awaited}", other.unwrap_or("nothing")))),
            }
        }
    }

    /// Makes a request that has no intervals.
    pub fn asks(&mut self, request: Value, awaited: &str) -> Result<Value, Failure> {
        self.ask(request, awaited, &mut |_| ())
    }

    /// What to answer where it left its protocol with what `clause` says: it is killed, and nothing more is asked of it.
    pub fn left(&mut self, clause: &str) -> Failure {
        self.child.signal(Signal::SIGKILL);
        let failure = Failure::new(Kind::Internal, format!("{} {clause}{}", self.who, self.log.last_words()));
        self.broken = Some(failure.clone());
        failure
    }

    /// What the host ends with where the runner broke: as that ended, but never as if all were well.
    pub fn exit_code(&self) -> u8 {
        self.code.filter(|code| *code > 0).unwrap_or(1)
    }

    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Ends it in good order, or by force where it does not go. The error is that it broke before, or did not go. `terminated` says that
    /// it was sent SIGTERM before.
    pub fn stop(&mut self, terminated: bool) -> Result<(), Failure> {
        if let Some(failure) = &self.broken {
            return Err(failure.clone());
        }
        if self.ended {
            return Ok(());
        }
        self.ended = true;
        while let Ok(heard) = self.heard.try_recv() {
            match heard {
                Heard::Ended(status) if terminated => return self.ended_with(status, terminated),
                Heard::Ended(status) => return Err(self.died(status)),
                _ => {}
            }
        }
        let _ = self.send(json!({"do": "stop"}));
        let mut deadline = Instant::now() + STOPS;
        let mut asked = false;
        loop {
            match self.heard.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Heard::Ended(status)) => return self.ended_with(status, terminated),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if !asked => {
                    asked = true;
                    self.child.signal(Signal::SIGTERM);
                    deadline = Instant::now() + TERMINATES;
                }
                Err(_) => {
                    let after = (STOPS + TERMINATES).as_secs_f64();
                    return Err(self.left(&format!("still ran {after} s after it was told to stop, and was killed")));
                }
            }
        }
    }

    fn died(&mut self, status: ExitStatus) -> Failure {
        self.code = status.code().or(status.signal().map(|signal| 128 + signal)).and_then(|code| u8::try_from(code).ok());
        self.left(&format!("died ({})", shown(status)))
    }

    fn ended_with(&mut self, status: ExitStatus, terminated: bool) -> Result<(), Failure> {
        // What SIGTERM ends has ended too.
        if status.success() || (terminated && status.signal() == Some(Signal::SIGTERM as i32)) {
            return Ok(());
        }
        Err(self.left(&format!("was told to stop and ended otherwise ({})", shown(status))))
    }

    /// Sends a request under the next id, which it gives.
    fn send(&mut self, mut request: Value) -> Result<u64, Failure> {
        if let Some(failure) = &self.broken {
            return Err(failure.clone());
        }
        self.last_id += 1;
        request["id"] = json!(self.last_id);
        // Where the writer has ended, so has the runner, which `next` tells better.
        let _ = self.writes.send(line(&request));
        Ok(self.last_id)
    }

    /// The next line, whenever it comes, or within so long.
    fn next(&mut self, within: Option<Duration>) -> Result<Map<String, Value>, Failure> {
        let heard = match within {
            None => self.heard.recv().ok(),
            Some(within) => self.heard.recv_timeout(within).ok(),
        };
        match heard {
            Some(Heard::Said(said)) => Ok(said),
            Some(Heard::Garbage(clause)) => Err(self.left(&clause)),
            Some(Heard::Ended(status)) => Err(self.died(status)),
            // It may be on its way out: then its end says more.
            Some(Heard::Closed) => match self.next(Some(LAST_LINES)) {
                Ok(_) => Err(self.left("spoke after the end of its standard output")),
                Err(failure) => Err(failure),
            },
            None => Err(self.left("closed its standard output and went on running")),
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.child.signal(Signal::SIGKILL);
    }
}

/// A `error` of the runner, as the core is told it.
fn refusal(said: &Map<String, Value>) -> Failure {
    let text = |name| said.get(name).and_then(Value::as_str);
    let kind = text("kind").and_then(Kind::named).unwrap_or(Kind::Internal);
    Failure::new(kind, text("message").filter(|it| !it.is_empty()).unwrap_or("the runner gave no reason"))
}

/// How a process ended.
fn shown(status: ExitStatus) -> String {
    match (status.code(), status.signal().and_then(|number| Signal::try_from(number).ok())) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by {}", signal.as_str()),
        (None, None) => status.to_string(),
    }
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Writes lines as they come. A thread of its own, so that whoever has a line to write never waits for a runner that does not read.
fn write_all(mut to: ChildStdin, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if to.write_all(&line).is_err() {
            return;
        }
    }
}

/// Reads lines to the end, and answers what the runner's server asks, at any time.
fn listen(from: impl Read, tells: &Sender<Heard>, writes: &Sender<Vec<u8>>) {
    let service = Service::default();
    let mut from = BufReader::new(from);
    loop {
        let heard = match next_line(&mut from) {
            Ok(Some(line)) => read(&line),
            Ok(None) | Err(_) => Heard::Closed,
        };
        if let Heard::Said(said) = &heard
            && said.get("is").and_then(Value::as_str) == Some("ask")
        {
            let sent = match asked::answered(&service, said) {
                Ok(answer) => writes.send(line(&answer)).is_ok(),
                Err(wrong) => tells.send(Heard::Garbage(format!("asked what is not understood: {wrong}"))).is_ok(),
            };
            if sent {
                continue;
            }
            return;
        }
        let last = matches!(heard, Heard::Closed);
        if tells.send(heard).is_err() || last {
            return;
        }
    }
}

fn next_line(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    Ok((from.read_until(b'\n', &mut line)? > 0).then_some(line))
}

fn read(line: &[u8]) -> Heard {
    if let Ok(Value::Object(said)) = serde_json::from_slice(line) {
        return Heard::Said(said);
    }
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    let more = if text.chars().count() > SHOWN { " ..." } else { "" };
    let text: String = text.chars().take(SHOWN).collect();
    Heard::Garbage(format!("wrote '{text}'{more} to its standard output, which is no line of the runner protocol"))
}

/// Waits a moment for threads that end with the runner; what it started may hold its pipes open.
fn finished(threads: &[JoinHandle<()>]) {
    let deadline = Instant::now() + LAST_LINES;
    while threads.iter().any(|thread| !thread.is_finished()) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
}
