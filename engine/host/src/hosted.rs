//! The contract spoken for a runner.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::time::Instant;

use callbench_kit::contract::answers::{Done, Hello, Returned, Traced};
use callbench_kit::contract::requests::{Connect, Drive, Serve, bad};
use callbench_kit::contract::{Event, Party, Stopping, checks, paced};
use callbench_kit::drive::Interval;
use callbench_kit::processor::Usage;
use callbench_kit::stack::Options;
use callbench_kit::{Failure, Kind};
use callbench_service::Service;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::driving::{self, Drove, Soon};
use crate::prepared::{self, Wanted};
use crate::ready::Ready;
use crate::runner::Runner;

/// A runner, and what it was told.
pub struct Hosted {
    name: String,
    runner: Runner,
    ready: Ready,
    stopping: Arc<Stopping>,
    clients: usize,
    /// What the runner holds ready to be called, under which operation, and whether with all its payloads.
    prepared: Option<(Wanted, &'static str, bool)>,
}

impl Hosted {
    /// Starts the runner and hears what it has.
    pub fn start(name: String, program: &[String], stopping: Arc<Stopping>, events: Sender<Event>) -> Result<Self, Failure> {
        let mut runner = Runner::start(&name, program, events)?;
        stopping.then(runner.terminator());
        let said = runner.first()?;
        match Ready::of(said) {
            Ok(ready) => Ok(Hosted { name, runner, ready, stopping, clients: 0, prepared: None }),
            Err(clause) => Err(runner.left(&clause)),
        }
    }

    /// The runner's own name of a stack that it has.
    fn stack<'a>(&self, name: &'a str) -> Result<&'a str, Failure> {
        let short = checks::short_name(&self.name, name).filter(|short| self.ready.has(short));
        short.ok_or_else(|| checks::no_such_stack(name))
    }

    /// Makes the runner hold the payloads of a call: one, or all in rotation. Gives the operation.
    fn prepare(&mut self, wanted: Wanted, rotates: bool) -> Result<&'static str, Failure> {
        if let Some((held, operation, all)) = &self.prepared
            && *held == wanted
            && (*all || !rotates)
        {
            return Ok(operation);
        }
        let (request, operation) = wanted.request(rotates)?;
        self.prepared = None;
        self.runner.asks(request, "prepared")?;
        self.prepared = Some((wanted, operation, rotates));
        Ok(operation)
    }

    /// A member of an answer, or the runner's fault.
    fn member<T: DeserializeOwned>(&mut self, said: &mut Value, name: &str) -> Result<T, Failure> {
        serde_json::from_value(said[name].take())
            .map_err(|error| self.runner.left(&format!("said a {} whose {name} is not understood: {error}", shown(&said["is"]))))
    }
}

impl Party for Hosted {
    fn hello(&self) -> Hello {
        self.ready.hello(&self.name)
    }

    fn serve(&mut self, request: &Serve) -> Result<String, Failure> {
        let stack = self.stack(&request.stack)?;
        if let Some(why) = self.ready.unavailable(stack) {
            return Err(checks::cannot_run_here(&request.stack, why));
        }
        // The service itself is the runner's; only what is wrong with its delays is seen here.
        checks::service_of(request, &self.ready.options(stack))?;
        let (delays, options): (Options, Options) =
            request.options.clone().into_iter().partition(|(name, _)| Service::OPTIONS.contains(&name.as_str()));
        let delays: Options = Service::OPTIONS
            .into_iter()
            .map(|name| (name.to_owned(), delays.get(name).filter(|it| !it.is_null()).cloned().unwrap_or_else(|| json!(0))))
            .collect();
        let mut said = self.runner.asks(
            json!({"do": "serve", "stack": stack, "host": request.host, "port": request.port, "delays": delays, "options": options}),
            "serving",
        )?;
        self.member(&mut said, "endpoint")
    }

    fn stop_serving(&mut self) -> Result<(), Failure> {
        self.runner.asks(json!({"do": "stop-serving"}), "stopped-serving").map(|_| ())
    }

    fn counted(&mut self) -> Result<(BTreeMap<String, u64>, Usage), Failure> {
        let mut said = self.runner.asks(json!({"do": "counted"}), "counts")?;
        let operations: BTreeMap<String, u64> = self.member(&mut said, "calls")?;
        let mut calls = BTreeMap::new();
        for (operation, count) in operations {
            // On the wire, Send is an operation a type.
            let call = if operation.starts_with("Send") { "Send".to_owned() } else { operation };
            *calls.entry(call).or_default() += count;
        }
        Ok((calls, self.member(&mut said, "processor")?))
    }

    fn connect(&mut self, request: &Connect) -> Result<usize, Failure> {
        let stack = self.stack(&request.stack)?;
        (self.clients, self.prepared) = (0, None);
        checks::connectable(request, &self.ready.options(stack))?;
        let mut said = self.runner.asks(
            json!({"do": "connect", "stack": stack, "endpoint": request.endpoint, "clients": request.clients,
                "timeout_ms": request.timeout_ms, "options": request.options}),
            "connected",
        )?;
        self.clients = request.clients;
        self.member(&mut said, "connections")
    }

    fn disconnect(&mut self) -> Result<(), Failure> {
        (self.clients, self.prepared) = (0, None);
        self.runner.asks(json!({"do": "disconnect"}), "disconnected").map(|_| ())
    }

    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<Returned, Failure> {
        let wanted = Wanted { call: name.to_owned(), arguments: arguments.clone(), altered: false };
        if self.clients == 0 {
            return wanted.request(false).and(Err(checks::nobody_connected()));
        }
        let operation = self.prepare(wanted, false)?;
        let mut said = self.runner.asks(json!({"do": "call"}), "returned")?;
        if said.get("fault").is_some_and(|fault| !fault.is_null()) {
            let message = self.member(&mut said["fault"].take(), "message")?;
            return Ok(Returned::Fault { message });
        }
        prepared::canonical(operation, &said["value"].take()).map(Returned::Value)
    }

    fn drive(&mut self, request: &Drive, report: &mut dyn FnMut(Interval) -> bool) -> Result<Done, Failure> {
        let paced = paced(request)?;
        let wanted = Wanted { call: request.call.clone(), arguments: request.arguments.clone(), altered: request.altered };
        // What is wrong with the call comes before who should make it.
        let clients = checks::clients_wanted(request, self.clients).or_else(|failure| wanted.request(false).and(Err(failure)))?;
        self.prepare(wanted, true)?;
        let began = Instant::now();
        let said = self.runner.ask(driving::request(request, &paced, clients), "done", &mut |interval| {
            if let Ok(it) = serde_json::from_value::<Soon>(Value::Object(interval.clone())) {
                report(Interval { at_ns: it.at_ns, calls: it.calls, errors: it.errors });
            }
        })?;
        let drove = Drove { asked: request, paced: &paced, took: began.elapsed(), stopped: self.stopping.raised().load(Relaxed) };
        drove.done(said).map_err(|clause| self.runner.left(&clause))
    }

    fn trace(&mut self, trace: Value) -> Result<Traced, Failure> {
        if !self.ready.can("trace") {
            return Err(Failure::new(Kind::Unsupported, "this runner replays no traces"));
        }
        let plan = serde_json::from_value(trace["plan"].clone()).map_err(|error| bad(format!("the trace is not understood: {error}")))?;
        let said = self.runner.asks(json!({"do": "trace", "trace": trace}), "traced")?;
        driving::traced(&plan, said).map_err(|clause| self.runner.left(&clause))
    }

    fn heap(&mut self) -> Result<u64, Failure> {
        if !self.ready.can("heap") {
            return Err(Failure::new(Kind::Unsupported, "this runtime does not tell what its heap holds"));
        }
        let mut said = self.runner.asks(json!({"do": "heap"}), "heap")?;
        self.member(&mut said, "used_bytes")
    }

    fn stop(&mut self) -> Result<(), Failure> {
        self.runner.stop(self.stopping.raised().load(Relaxed))
    }

    fn broken(&self) -> bool {
        self.runner.is_broken()
    }

    fn exit_code(&self) -> u8 {
        self.runner.exit_code()
    }
}

/// A word of an answer, for a sentence.
fn shown(word: &Value) -> &str {
    word.as_str().unwrap_or("line")
}
