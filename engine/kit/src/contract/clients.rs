//! The client's side of a session: connections and single calls.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use callbench_service::arguments::{self, Misfit};
use callbench_service::{Call, canonical};
use serde_json::{Map, Value};

use super::answers::Returned;
use super::checks::{connectable, stack_named};
use super::requests::{Connect, bad};
use crate::drive::{self, Interval, Outcome, Plan};
use crate::failure::{Failure, Kind};
use crate::panics;
use crate::stack::{self, Adapter, Client, ClientPool};

/// The clients that are connected.
pub(super) enum Clients {
    /// A thread each.
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

    /// Makes one call by the first of them; there must be one.
    pub(super) fn call(&mut self, call: &Call) -> Result<Returned, Failure> {
        match panics::contained(|| match self {
            Clients::Each(clients) => clients[0].call(call).map(|answer| canonical::digest_if_large(canonical::answer(&answer))),
            Clients::ClientPool(pool) => pool.call(call),
        }) {
            Ok(value) => Ok(Returned::Value(value)),
            Err(failure) if failure.kind == Kind::Fault => Ok(Returned::Fault { message: failure.message }),
            Err(failure) => Err(failure),
        }
    }

    /// Drives the first `wanted` of them.
    pub(super) fn drive(
        &mut self,
        wanted: usize,
        plan: &Plan,
        stopping: &AtomicBool,
        report: &mut dyn FnMut(Interval) -> bool,
    ) -> Result<Outcome, Failure> {
        match self {
            Clients::Each(clients) => drive::drive(&mut clients[..wanted], plan, stopping, report),
            Clients::ClientPool(pool) => drive::drive(&mut pool.workers(wanted, &plan.call)?, plan, stopping, report),
        }
    }
}

/// Makes all the clients; where one cannot be had, the others are closed again.
pub(super) fn connect(adapter: &Arc<dyn Adapter>, request: &Connect) -> Result<Clients, Failure> {
    let stack = stack_named(adapter.as_ref(), &request.stack)?;
    connectable(request, stack.options())?;
    let timeout = Duration::from_millis(request.timeout_ms);
    let to = stack::Connect { endpoint: request.endpoint.clone(), timeout, options: request.options.clone() };
    if let Some(gathered) = panics::contained(|| stack.gather(&to, request.clients).transpose())? {
        return Ok(Clients::ClientPool(gathered));
    }
    let each: Result<_, _> = (0..request.clients).map(|_| panics::contained(|| stack.connect(&to))).collect();
    Ok(Clients::Each(each?))
}

/// The call that the core describes.
pub(super) fn call_of(name: &str, given: &Map<String, Value>) -> Result<Call, Failure> {
    arguments::call(name, given).map_err(misfitting)
}

/// Why arguments make no call, as a failure.
#[must_use]
pub fn misfitting(misfit: Misfit) -> Failure {
    match misfit {
        Misfit::Wrong(message) => bad(message),
        Misfit::CannotCarry(message) => Failure::new(Kind::CannotCarry, message),
    }
}
