//! The client side of a session: connections and single calls.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use callbench_service::arguments::{self, ArgumentError};
use callbench_service::{Call, canonical};
use serde_json::{Map, Value};

use super::answers::Returned;
use super::checks::{connectable, stack_named};
use super::requests::{Connect, bad};
use crate::drive::{self, Interval, Outcome, Plan};
use crate::failure::{Failure, Kind};
use crate::panics;
use crate::stack::{self, Adapter, Client, ClientPool};

/// The connected clients.
pub(super) enum Clients {
    /// One thread each.
    Each(Vec<Box<dyn Client>>),
    ClientPool(Box<dyn ClientPool>),
}

impl Clients {
    pub(super) fn none() -> Self {
        Clients::Each(Vec::new())
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Clients::Each(clients) => clients.len(),
            Clients::ClientPool(pool) => pool.clients(),
        }
    }

    pub(super) fn connections(&self) -> usize {
        match self {
            Clients::Each(clients) => clients.iter().map(|client| client.connections()).sum(),
            Clients::ClientPool(pool) => pool.connections(),
        }
    }

    /// Makes one call with the first client. There must be one.
    pub(super) fn call(&mut self, call: &Call) -> Result<Returned, Failure> {
        match panics::catch_panic(|| match self {
            Clients::Each(clients) => clients[0].call(call).map(|answer| canonical::digest_if_large(canonical::answer(&answer))),
            Clients::ClientPool(pool) => pool.call(call),
        }) {
            Ok(value) => Ok(Returned::Value(value)),
            Err(failure) if failure.kind == Kind::Fault => Ok(Returned::Fault { message: failure.message }),
            Err(failure) => Err(failure),
        }
    }

    /// Drives the first `wanted` clients.
    pub(super) fn drive(
        &mut self,
        wanted: usize,
        plan: &Plan,
        stop: &AtomicBool,
        report: &mut dyn FnMut(Interval) -> bool,
    ) -> Result<Outcome, Failure> {
        match self {
            Clients::Each(clients) => drive::drive(&mut clients[..wanted], plan, stop, report),
            Clients::ClientPool(pool) => drive::drive(&mut pool.workers(wanted, &plan.call)?, plan, stop, report),
        }
    }
}

/// Creates all clients. If one fails, the others are closed.
pub(super) fn connect(adapter: &Arc<dyn Adapter>, request: &Connect) -> Result<Clients, Failure> {
    let stack = stack_named(adapter.as_ref(), &request.stack)?;
    connectable(request, stack.options())?;
    let timeout = Duration::from_millis(request.timeout_ms);
    let to = stack::Connect { endpoint: request.endpoint.clone(), timeout, options: request.options.clone() };
    if let Some(gathered) = panics::catch_panic(|| stack.connect_pool(&to, request.clients).transpose())? {
        return Ok(Clients::ClientPool(gathered));
    }
    let each: Result<_, _> = (0..request.clients).map(|_| panics::catch_panic(|| stack.connect(&to))).collect();
    Ok(Clients::Each(each?))
}

/// Parses the call of a request.
pub(super) fn call_of(name: &str, given: &Map<String, Value>) -> Result<Call, Failure> {
    arguments::call(name, given).map_err(argument_failure)
}

/// The failure for invalid arguments.
#[must_use]
pub fn argument_failure(misfit: ArgumentError) -> Failure {
    match misfit {
        ArgumentError::Wrong(message) => bad(message),
        ArgumentError::CannotCarry(message) => Failure::new(Kind::CannotCarry, message),
    }
}
