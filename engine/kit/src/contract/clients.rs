//! The client's side of a session: connections and single calls.

use std::sync::Arc;
use std::time::Duration;

use callbench_service::arguments::{self, Misfit};
use callbench_service::{Call, canonical};
use serde_json::{Map, Value};

use super::answers::Returned;
use super::requests::{Connect, bad};
use super::session::{refuse_unknown, stack_named};
use crate::failure::{Failure, Kind};
use crate::panics;
use crate::stack::{self, Adapter, Client};

/// The most clients of one adapter.
const MOST: usize = 65_536;

/// Makes all the clients; where one cannot be had, the others are closed again.
pub(super) fn connect(adapter: &Arc<dyn Adapter>, request: Connect) -> Result<Vec<Box<dyn Client>>, Failure> {
    let stack = stack_named(adapter.as_ref(), &request.stack)?;
    if !(1..=MOST).contains(&request.clients) || request.timeout_ms == 0 {
        return Err(bad(format!("clients must be from 1 to {MOST} and timeout_ms at least 1")));
    }
    refuse_unknown(&request.options, stack.options(), &[])?;
    let to = stack::Connect { endpoint: request.endpoint, timeout: Duration::from_millis(request.timeout_ms), options: request.options };
    (0..request.clients).map(|_| panics::contained(|| stack.connect(&to))).collect()
}

/// Makes one call.
pub(super) fn call(client: &mut dyn Client, call: &Call) -> Result<Returned, Failure> {
    match panics::contained(|| client.call(call)) {
        Ok(answer) => Ok(Returned::Value(canonical::digest_if_large(canonical::answer(&answer)))),
        Err(failure) if failure.kind == Kind::Fault => Ok(Returned::Fault { message: failure.message }),
        Err(failure) => Err(failure),
    }
}

/// The call that the core describes.
pub(super) fn call_of(name: &str, given: &Map<String, Value>) -> Result<Call, Failure> {
    arguments::call(name, given).map_err(|misfit| match misfit {
        Misfit::Wrong(message) => bad(message),
        Misfit::CannotCarry(message) => Failure::new(Kind::CannotCarry, message),
    })
}
