//! Speaks the contract for a runner.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::time::Instant;

use callbench_kit::clock;
use callbench_kit::contract::answers::{CallCounts, Counted, Done, Hello, Returned, Traced};
use callbench_kit::contract::requests::{Connect, Drive, Serve, bad};
use callbench_kit::contract::{Event, Handler, StopSignal, checks, paced};
use callbench_kit::drive::Interval;
use callbench_kit::stack::Options;
use callbench_kit::{Failure, Kind};
use callbench_service::{Service, pairs};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::driving::{self, DriveAccount, Progress};
use crate::prepared::{self, Wanted};
use crate::ready::Ready;
use crate::runner::Runner;

/// A runner and its state.
pub struct Hosted {
    name: String,
    runner: Runner,
    ready: Ready,
    stopping: Arc<StopSignal>,
    clients: usize,
    /// The payloads that the runner has prepared, their operation, and whether all payloads of the rotation are included.
    prepared: Option<(Wanted, &'static str, bool)>,
}

impl Hosted {
    /// Starts the runner and reads its first line.
    pub fn start(name: String, program: &[String], stopping: Arc<StopSignal>, events: Sender<Event>) -> Result<Self, Failure> {
        let mut runner = Runner::start(&name, program, events)?;
        stopping.on_stop(runner.terminator());
        let answer = runner.first()?;
        match Ready::of(answer) {
            Ok(ready) => Ok(Hosted { name, runner, ready, stopping, clients: 0, prepared: None }),
            Err(clause) => Err(runner.protocol_error(&clause)),
        }
    }

    /// The runner's own name of a stack.
    fn stack<'a>(&self, name: &'a str) -> Result<&'a str, Failure> {
        let short = checks::short_name(&self.name, name).filter(|short| self.ready.has(short));
        short.ok_or_else(|| checks::no_such_stack(name))
    }

    /// Lets the runner prepare the payloads of a call: one, or all in rotation. Returns the operation.
    fn prepare(&mut self, wanted: Wanted, rotates: bool) -> Result<&'static str, Failure> {
        if let Some((held, operation, all)) = &self.prepared
            && *held == wanted
            && (*all || !rotates)
        {
            return Ok(operation);
        }
        let (request, operation) = wanted.request(rotates)?;
        self.prepared = None;
        self.runner.request(request, "prepared")?;
        self.prepared = Some((wanted, operation, rotates));
        Ok(operation)
    }

    /// A member of an answer, or the runner's fault.
    fn member<T: DeserializeOwned>(&mut self, answer: &mut Value, name: &str) -> Result<T, Failure> {
        serde_json::from_value(answer[name].take()).map_err(|error| {
            self.runner.protocol_error(&format!("said a {} whose {name} is not understood: {error}", describe(&answer["is"])))
        })
    }
}

impl Handler for Hosted {
    fn hello(&self) -> Hello {
        self.ready.hello(&self.name)
    }

    fn serve(&mut self, request: &Serve) -> Result<String, Failure> {
        let stack = self.stack(&request.stack)?;
        if let Some(why) = self.ready.unavailable(stack) {
            return Err(checks::cannot_run_here(&request.stack, why));
        }
        // The runner has the service itself. Here, only the delays are checked.
        checks::service_of(request, &self.ready.options(stack))?;
        let (delays, options): (Options, Options) =
            request.options.clone().into_iter().partition(|(name, _)| Service::OPTIONS.contains(&name.as_str()));
        let delays: Options = Service::OPTIONS
            .into_iter()
            .map(|name| (name.to_owned(), delays.get(name).filter(|it| !it.is_null()).cloned().unwrap_or_else(|| json!(0))))
            .collect();
        let mut answer = self.runner.request(
            json!({"do": "serve", "stack": stack, "host": request.host, "port": request.port, "delays": delays, "options": options}),
            "serving",
        )?;
        self.member(&mut answer, "endpoint")
    }

    fn stop_serving(&mut self) -> Result<(), Failure> {
        self.runner.request(json!({"do": "stop-serving"}), "stopped-serving").map(|_| ())
    }

    fn counted(&mut self) -> Result<Counted, Failure> {
        let mut answer = self.runner.request(json!({"do": "counted"}), "counts")?;
        let operations: CallCounts = self.member(&mut answer, "calls")?;
        let mut calls = CallCounts::new();
        for (operation, count) in operations {
            // On the wire, Send has one operation per type. A call of the user's own may begin with Send too.
            let call = if operation.starts_with("Send") && pairs::calls(&operation).is_none() { "Send".to_owned() } else { operation };
            *calls.entry(call).or_default() += count;
        }
        Ok(Counted { calls, endpoints: None, processor: self.member(&mut answer, "processor")? })
    }

    fn connect(&mut self, request: &Connect) -> Result<usize, Failure> {
        let stack = self.stack(&request.stack)?;
        (self.clients, self.prepared) = (0, None);
        checks::connectable(request, &self.ready.options(stack))?;
        let mut answer = self.runner.request(
            json!({"do": "connect", "stack": stack, "endpoint": request.endpoint, "clients": request.clients,
                "timeout_ms": request.timeout_ms, "options": request.options}),
            "connected",
        )?;
        self.clients = request.clients;
        self.member(&mut answer, "connections")
    }

    fn disconnect(&mut self) -> Result<(), Failure> {
        (self.clients, self.prepared) = (0, None);
        self.runner.request(json!({"do": "disconnect"}), "disconnected").map(|_| ())
    }

    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<Returned, Failure> {
        let wanted = Wanted { call: name.to_owned(), arguments: arguments.clone(), altered: false };
        if self.clients == 0 {
            return wanted.request(false).and(Err(checks::nobody_connected()));
        }
        let operation = self.prepare(wanted, false)?;
        let mut answer = self.runner.request(json!({"do": "call"}), "returned")?;
        if answer.get("fault").is_some_and(|fault| !fault.is_null()) {
            let message = self.member(&mut answer["fault"].take(), "message")?;
            return Ok(Returned::Fault { message });
        }
        prepared::canonical(operation, &answer["value"].take()).map(Returned::Value)
    }

    fn drive(&mut self, request: &Drive, report: &mut dyn FnMut(Interval) -> bool) -> Result<Done, Failure> {
        let paced = paced(request)?;
        let wanted = Wanted { call: request.call.clone(), arguments: request.arguments.clone(), altered: request.altered };
        // An error of the call is reported before an error of the clients.
        let clients = checks::clients_wanted(request, self.clients).or_else(|failure| wanted.request(false).and(Err(failure)))?;
        self.prepare(wanted, true)?;
        let (began, asked_ns) = (Instant::now(), clock::now());
        let answer = self.runner.ask(driving::request(request, &paced, clients), "done", &mut |interval| {
            if let Ok(it) = serde_json::from_value::<Progress>(Value::Object(interval.clone())) {
                report(Interval { at_ns: it.at_ns, calls: it.calls, errors: it.errors, ..Interval::default() });
            }
        })?;
        let (took, stopped) = (began.elapsed(), self.stopping.flag().load(Relaxed));
        let drive_account = DriveAccount { drive: request, paced: &paced, asked_ns, took, stopped };
        drive_account.done(answer).map_err(|clause| self.runner.protocol_error(&clause))
    }

    fn trace(&mut self, trace: Value) -> Result<Traced, Failure> {
        if !self.ready.can("trace") {
            return Err(Failure::new(Kind::Unsupported, "this runner replays no traces"));
        }
        let plan = serde_json::from_value(trace["plan"].clone()).map_err(|error| bad(format!("the trace is not understood: {error}")))?;
        let answer = self.runner.request(json!({"do": "trace", "trace": trace}), "traced")?;
        driving::traced(&plan, answer).map_err(|clause| self.runner.protocol_error(&clause))
    }

    fn heap(&mut self) -> Result<u64, Failure> {
        if !self.ready.can("heap") {
            return Err(Failure::new(Kind::Unsupported, "this runtime does not report the size of its heap"));
        }
        let mut answer = self.runner.request(json!({"do": "heap"}), "heap")?;
        self.member(&mut answer, "used_bytes")
    }

    fn stop(&mut self) -> Result<(), Failure> {
        self.runner.stop(self.stopping.flag().load(Relaxed))
    }

    fn broken(&self) -> bool {
        self.runner.is_broken()
    }

    fn exit_code(&self) -> u8 {
        self.runner.exit_code()
    }
}

/// A short text of an answer, for error messages.
fn describe(word: &Value) -> &str {
    word.as_str().unwrap_or("line")
}
