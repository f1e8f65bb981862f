//! The process of the runner: starts it, sends requests, and ends it together with the host.

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

use crate::ask;

mod child;
mod log;

use child::Child;
use log::Log;

/// The time that the runner has to end after `stop`, and then after SIGTERM, before it is killed. Together they are less than 5 s, after which the
/// core kills both.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
const TERM_TIMEOUT: Duration = Duration::from_millis(1500);
/// How long the last output of a runner that has ended is awaited.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(1);
/// How many characters of an invalid line are shown.
const MAX_SHOWN: usize = 80;

/// An event of the runner.
enum RunnerEvent {
    Message(Map<String, Value>),
    /// An invalid line, as part of a sentence.
    Garbage(String),
    /// Its standard output has ended.
    Closed,
    Ended(ExitStatus),
}

/// A running runner.
pub struct Runner {
    /// Its name in error messages.
    who: String,
    child: Arc<Child>,
    incoming: Receiver<RunnerEvent>,
    writes: Sender<Vec<u8>>,
    log: Arc<Log>,
    last_id: u64,
    /// Why it cannot be used any more.
    broken: Option<Failure>,
    /// If it ended by itself: its exit code, or 128 plus the signal that killed it.
    code: Option<u8>,
    ended: bool,
}

impl Runner {
    /// Starts `program` for the adapter `name`; `gone` receives an event when it has ended. It must be called on the main thread. The runner ends
    /// with that thread.
    pub fn start(name: &str, program: &[String], gone: Sender<Event>) -> Result<Self, Failure> {
        let who = format!("the runner of {name}");
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let host = std::process::id();
        // SAFETY: between fork and exec only system calls are made.
        unsafe { command.pre_exec(move || child::end_with(host)) };
        let mut started =
            command.spawn().map_err(|error| Failure::new(Kind::Internal, format!("{who} cannot be started: {}: {error}", program[0])))?;
        let pipes = (started.stdin.take(), started.stdout.take(), started.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(Failure::new(Kind::Internal, format!("{who} has no pipes")));
        };
        let log = Arc::new(Log::default());
        let (writes, written) = mpsc::channel();
        let (events, incoming) = mpsc::channel();
        thread_of(&who, "writes", move || write_all(stdin, &written))?;
        let reads = {
            let (events, writes) = (events.clone(), writes.clone());
            thread_of(&who, "reads", move || listen(stdout, &events, &writes))?
        };
        let logs = {
            let log = Arc::clone(&log);
            thread_of(&who, "logs", move || log.keep(stderr))?
        };
        let child = Arc::new(Child::new(started));
        let waited = Arc::clone(&child);
        thread_of(&who, "waits", move || {
            let status = waited.wait();
            finished(&[reads, logs]);
            // If nobody receives, the host is already ending.
            let _ = events.send(RunnerEvent::Ended(status));
            let _ = gone.send(Event::HandlerEnded);
        })?;
        Ok(Runner { who, child, incoming, writes, log, last_id: 0, broken: None, code: None, ended: false })
    }

    /// A function that sends it SIGTERM, for any thread.
    pub fn terminator(&self) -> impl Fn() + Send + Sync + 'static {
        let child = Arc::clone(&self.child);
        move || child.signal(Signal::SIGTERM)
    }

    /// Its first line.
    pub fn first(&mut self) -> Result<Map<String, Value>, Failure> {
        self.next(None)
    }

    /// Sends a request and returns the answer of the type `awaited`; `interval` receives the lines before it.
    pub fn ask(&mut self, request: Value, awaited: &str, interval: &mut dyn FnMut(&Map<String, Value>)) -> Result<Value, Failure> {
        let id = self.send(request)?;
        loop {
            let message = self.next(None)?;
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                return Err(self.protocol_error(&format!(
                    "answered request {}, but was asked request {id}",
                    message.get("id").unwrap_or(&Value::Null)
                )));
            }
            match message.get("is").and_then(Value::as_str) {
                Some(is) if is == awaited => return Ok(Value::Object(message)),
                Some("error") => return Err(refusal(&message)),
                Some("interval") if awaited == "done" => interval(&message),
                other => return Err(self.protocol_error(&format!("said {}; it must say {awaited}", other.unwrap_or("nothing")))),
            }
        }
    }

    /// Sends a request without intervals.
    pub fn request(&mut self, request: Value, awaited: &str) -> Result<Value, Failure> {
        self.ask(request, awaited, &mut |_| ())
    }

    /// The failure after a violation of the protocol, which `clause` describes. The runner is killed.
    pub fn protocol_error(&mut self, clause: &str) -> Failure {
        self.child.signal(Signal::SIGKILL);
        let failure = Failure::new(Kind::Internal, format!("{} {clause}{}", self.who, self.log.last_lines()));
        self.broken = Some(failure.clone());
        failure
    }

    /// The exit code of the host if the runner broke: that of the runner, but never 0.
    pub fn exit_code(&self) -> u8 {
        self.code.filter(|code| *code > 0).unwrap_or(1)
    }

    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Ends it with `stop`, or by force. The error says that it broke before, or did not end. `terminated`: it has already received SIGTERM.
    pub fn stop(&mut self, terminated: bool) -> Result<(), Failure> {
        if let Some(failure) = &self.broken {
            return Err(failure.clone());
        }
        if self.ended {
            return Ok(());
        }
        self.ended = true;
        while let Ok(incoming) = self.incoming.try_recv() {
            match incoming {
                RunnerEvent::Ended(status) if terminated => return self.ended_with(status, terminated),
                RunnerEvent::Ended(status) => return Err(self.died(status)),
                _ => {}
            }
        }
        let _ = self.send(json!({"do": "stop"}));
        let mut deadline = Instant::now() + STOP_TIMEOUT;
        let mut terminated_now = false;
        loop {
            match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(RunnerEvent::Ended(status)) => return self.ended_with(status, terminated),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if !terminated_now => {
                    terminated_now = true;
                    self.child.signal(Signal::SIGTERM);
                    deadline = Instant::now() + TERM_TIMEOUT;
                }
                Err(_) => {
                    let after = (STOP_TIMEOUT + TERM_TIMEOUT).as_secs_f64();
                    return Err(self.protocol_error(&format!("still ran {after} s after it was told to stop, and was killed")));
                }
            }
        }
    }

    fn died(&mut self, status: ExitStatus) -> Failure {
        self.code = status.code().or(status.signal().map(|signal| 128 + signal)).and_then(|code| u8::try_from(code).ok());
        self.protocol_error(&format!("died ({})", describe(status)))
    }

    fn ended_with(&mut self, status: ExitStatus, terminated: bool) -> Result<(), Failure> {
        // The end after SIGTERM counts as a regular end.
        if status.success() || (terminated && status.signal() == Some(Signal::SIGTERM as i32)) {
            return Ok(());
        }
        Err(self.protocol_error(&format!("was told to stop and ended otherwise ({})", describe(status))))
    }

    /// Sends a request with the next id, and returns this id.
    fn send(&mut self, mut request: Value) -> Result<u64, Failure> {
        if let Some(failure) = &self.broken {
            return Err(failure.clone());
        }
        self.last_id += 1;
        request["id"] = json!(self.last_id);
        // If the writer has ended, so has the runner. `next` reports this better.
        let _ = self.writes.send(line(&request));
        Ok(self.last_id)
    }

    /// The next line. `within` limits the wait.
    fn next(&mut self, within: Option<Duration>) -> Result<Map<String, Value>, Failure> {
        let incoming = match within {
            None => self.incoming.recv().ok(),
            Some(within) => self.incoming.recv_timeout(within).ok(),
        };
        match incoming {
            Some(RunnerEvent::Message(message)) => Ok(message),
            Some(RunnerEvent::Garbage(clause)) => Err(self.protocol_error(&clause)),
            Some(RunnerEvent::Ended(status)) => Err(self.died(status)),
            // It may be ending. Then the reason for its end is a better message.
            Some(RunnerEvent::Closed) => match self.next(Some(LAST_LINES_TIMEOUT)) {
                Ok(_) => Err(self.protocol_error("spoke after the end of its standard output")),
                Err(failure) => Err(failure),
            },
            None => Err(self.protocol_error("closed its standard output and went on running")),
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.child.signal(Signal::SIGKILL);
    }
}

/// The failure for an `error` of the runner.
fn refusal(message: &Map<String, Value>) -> Failure {
    let text = |name| message.get(name).and_then(Value::as_str);
    let kind = text("kind").and_then(Kind::named).unwrap_or(Kind::Internal);
    Failure::new(kind, text("message").filter(|it| !it.is_empty()).unwrap_or("the runner gave no reason"))
}

/// How a process ended.
fn describe(status: ExitStatus) -> String {
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

/// Writes lines on its own thread, so that other threads never wait for a runner that does not read.
fn write_all(mut to: ChildStdin, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if to.write_all(&line).is_err() {
            return;
        }
    }
}

/// Reads lines until the end, and answers questions of the runner's server at any time.
fn listen(from: impl Read, events: &Sender<RunnerEvent>, writes: &Sender<Vec<u8>>) {
    let service = Service::default();
    let mut from = BufReader::new(from);
    loop {
        let incoming = match next_line(&mut from) {
            Ok(Some(line)) => read(&line),
            Ok(None) | Err(_) => RunnerEvent::Closed,
        };
        if let RunnerEvent::Message(message) = &incoming
            && message.get("is").and_then(Value::as_str) == Some("ask")
        {
            let sent = match ask::answer_ask(&service, message) {
                Ok(answer) => writes.send(line(&answer)).is_ok(),
                Err(wrong) => events.send(RunnerEvent::Garbage(format!("asked what is not understood: {wrong}"))).is_ok(),
            };
            if sent {
                continue;
            }
            return;
        }
        let last = matches!(incoming, RunnerEvent::Closed);
        if events.send(incoming).is_err() || last {
            return;
        }
    }
}

fn next_line(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    Ok((from.read_until(b'\n', &mut line)? > 0).then_some(line))
}

fn read(line: &[u8]) -> RunnerEvent {
    if let Ok(Value::Object(message)) = serde_json::from_slice(line) {
        return RunnerEvent::Message(message);
    }
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    let more = if text.chars().count() > MAX_SHOWN { " ..." } else { "" };
    let text: String = text.chars().take(MAX_SHOWN).collect();
    RunnerEvent::Garbage(format!("wrote '{text}'{more} to its standard output, which is no line of the runner protocol"))
}

/// Starts a thread for the runner `who`.
fn thread_of(who: &str, name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Failure> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|error| Failure::new(Kind::OutOfResources, format!("a thread for {who} cannot be started: {error}")))
}

/// Waits a moment for threads that end with the runner. Child processes of the runner may keep its pipes open.
fn finished(threads: &[JoinHandle<()>]) {
    let deadline = Instant::now() + LAST_LINES_TIMEOUT;
    while threads.iter().any(|thread| !thread.is_finished()) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
}
