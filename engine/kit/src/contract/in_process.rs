//! Handles requests with the stacks of a Rust adapter, in this process.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::answers::{Counted, Done, Hello, Returned, Traced};
use super::checks::{clients_wanted, nobody_connected, refuse_unknown, stack_named};
use super::clients::{self, Clients};
use super::requests::{Codec, Connect, Drive, Serve, ServeAll, nanoseconds};
use super::serving::Serving;
use super::{checks, driving, hello, tracing};
use crate::codec::{self, Timed};
use crate::drive::Interval;
use crate::failure::{Failure, Kind};
use crate::heap;
use crate::stack::{Adapter, Stack};

use super::ending::StopSignal;
use super::handler::Handler;

pub(super) struct InProcess {
    adapter: Arc<dyn Adapter>,
    stop: Arc<StopSignal>,
    // Declared before the server, so that clients are dropped before it.
    clients: Clients,
    serving: Option<Serving>,
}

impl InProcess {
    pub(super) fn new(adapter: Arc<dyn Adapter>, stop: Arc<StopSignal>) -> Self {
        InProcess { adapter, stop, clients: Clients::none(), serving: None }
    }
}

impl Handler for InProcess {
    fn hello(&self) -> Hello {
        hello::hello(self.adapter.as_ref())
    }

    fn serve(&mut self, request: &Serve) -> Result<String, Failure> {
        Ok(self.serving.insert(Serving::one(self.adapter.as_ref(), request)?).endpoint())
    }

    fn serve_all(&mut self, request: &ServeAll) -> Result<BTreeMap<String, String>, Failure> {
        Ok(self.serving.insert(Serving::all(self.adapter.as_ref(), request)?).endpoints())
    }

    fn switch(&mut self, channel: &str, on: bool) -> Result<BTreeMap<String, String>, Failure> {
        let serving = self.serving.as_mut().ok_or_else(checks::nothing_served)?;
        serving.switch(channel, on)?;
        Ok(serving.endpoints())
    }

    fn stop_serving(&mut self) -> Result<(), Failure> {
        self.serving = None;
        Ok(())
    }

    fn counted(&mut self) -> Result<Counted, Failure> {
        self.serving.as_ref().ok_or_else(checks::nothing_served)?.counted()
    }

    fn connect(&mut self, request: &Connect) -> Result<usize, Failure> {
        self.clients = Clients::none();
        self.clients = clients::connect(&self.adapter, request)?;
        Ok(self.clients.connections())
    }

    fn disconnect(&mut self) -> Result<(), Failure> {
        self.clients = Clients::none();
        Ok(())
    }

    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<Returned, Failure> {
        let call = clients::call_of(name, arguments)?;
        if self.clients.count() == 0 {
            return Err(nobody_connected());
        }
        self.clients.call(&call)
    }

    fn drive(&mut self, request: &Drive, report: &mut dyn FnMut(Interval) -> bool) -> Result<Done, Failure> {
        if request.altered && !self.adapter.supports_traces() {
            return Err(Failure::new(Kind::Unsupported, "the clients here have checks of their own, which no answer can be altered for"));
        }
        let plan = driving::plan(request)?;
        let wanted = clients_wanted(request, self.clients.count())?;
        self.clients.drive(wanted, &plan, self.stop.flag(), report).map(driving::done)
    }

    fn codec(&mut self, request: &Codec) -> Result<Timed, Failure> {
        let stack = self.stack(&request.stack)?;
        let message = || format!("stack {} has no codec that can be parted from its channel", request.stack);
        let parted = stack.codec().ok_or_else(|| Failure::new(Kind::Unsupported, message()))?;
        refuse_unknown(&request.options, stack.options(), &[])?;
        let other = stack.codec_with(&request.options)?;
        let call = clients::call_of(&request.call, &request.arguments)?;
        codec::time(other.as_deref().unwrap_or(parted), &call, nanoseconds("seconds", request.seconds)?)
    }

    fn trace(&mut self, trace: Value) -> Result<Traced, Failure> {
        if !self.adapter.supports_traces() {
            return Err(Failure::new(Kind::Unsupported, "the clients here have a loop of their own, which replays no traces"));
        }
        tracing::traced(trace, self.stop.flag())
    }

    fn heap(&mut self) -> Result<u64, Failure> {
        heap::used_bytes().ok_or_else(|| Failure::new(Kind::Unsupported, "this C library does not report what its heap holds"))
    }

    fn stop(&mut self) -> Result<(), Failure> {
        self.clients = Clients::none();
        self.serving = None;
        Ok(())
    }
}

impl InProcess {
    fn stack(&self, name: &str) -> Result<&dyn Stack, Failure> {
        stack_named(self.adapter.as_ref(), name)
    }
}
