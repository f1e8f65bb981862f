//! Checks of requests that are the same for every adapter.

use callbench_service::Service;

use super::requests::{Connect, Drive, Serve, bad};
use crate::failure::{Failure, Kind};
use crate::stack::{Adapter, Options, Stack};

/// The maximum number of clients of one adapter.
const MAX_CLIENTS: usize = 65_536;

/// The part of a stack's name after the slash, if the part before is this adapter's name.
#[must_use]
pub fn short_name<'a>(adapter: &str, name: &'a str) -> Option<&'a str> {
    name.strip_prefix(adapter)?.strip_prefix('/')
}

#[must_use]
pub fn no_such_stack(name: &str) -> Failure {
    let shown: String = name.chars().take(64).collect();
    bad(format!("stack {shown} is not one of mine: hello lists them"))
}

#[must_use]
pub fn cannot_run_here(stack: &str, why: &str) -> Failure {
    Failure::new(Kind::Unsupported, format!("stack {stack} cannot run here: {why}"))
}

/// The stack with this full name.
pub(super) fn stack_named<'a>(adapter: &'a dyn Adapter, name: &str) -> Result<&'a dyn Stack, Failure> {
    let short = short_name(adapter.name(), name);
    let found = short.and_then(|short| adapter.stacks().iter().find(|stack| stack.name() == short));
    found.map(AsRef::as_ref).ok_or_else(|| no_such_stack(name))
}

/// The service with the options of a `serve` request. `own` are the options of the stack itself.
pub fn service_of(request: &Serve, own: &[&str]) -> Result<Service, Failure> {
    let service = Service::with_options(&request.options).map_err(bad)?;
    refuse_unknown(&request.options, own, &Service::OPTIONS)?;
    Ok(service)
}

/// Checks a `connect` request. `own` are the options of the stack.
pub fn connectable(request: &Connect, own: &[&str]) -> Result<(), Failure> {
    if !(1..=MAX_CLIENTS).contains(&request.clients) || request.timeout_ms == 0 {
        return Err(bad(format!("clients must be from 1 to {MAX_CLIENTS} and timeout_ms at least 1")));
    }
    refuse_unknown(&request.options, own, &[])
}

/// How many of the `connected` clients the drive uses.
pub fn clients_wanted(request: &Drive, connected: usize) -> Result<usize, Failure> {
    let wanted = request.clients.unwrap_or(connected);
    if connected == 0 {
        return Err(nobody_connected());
    }
    if !(1..=connected).contains(&wanted) {
        return Err(bad(format!("clients is {wanted}: it must be from 1 to the {connected} that are connected")));
    }
    Ok(wanted)
}

/// Refuses options that are neither the stack's (`own`) nor common to all servers (`shared`).
pub(super) fn refuse_unknown(options: &Options, own: &[&str], shared: &[&str]) -> Result<(), Failure> {
    let known_here = |name: &str| own.contains(&name) || shared.contains(&name);
    let Some(unknown) = options.keys().find(|name| !known_here(name)) else { return Ok(()) };
    let known = [own, shared].concat();
    let known = if known.is_empty() { "none is known here".to_owned() } else { format!("known are {}", known.join(", ")) };
    Err(bad(format!("the option {unknown} is unknown: {known}")))
}

#[must_use]
pub fn nothing_served() -> Failure {
    bad("nothing is served: say serve first".to_owned())
}

#[must_use]
pub fn nobody_connected() -> Failure {
    bad("no client is connected: say connect first".to_owned())
}
