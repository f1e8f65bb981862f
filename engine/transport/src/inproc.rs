//! `inproc`: a function call in the same process.
//!
//! Client and server are one thread, so a call cannot be interrupted. A call that lasted longer than the client's timeout is reported as timed out
//! when it returns.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use callbench_contract::{Failure, Kind};
#[cfg(unix)]
use nix::time::{ClockId, clock_gettime};

use super::{Channel, Connection, Handler, Route, only};

struct Place {
    handler: Arc<dyn Handler>,
    open: AtomicBool,
}

/// What is served in this process, by number.
static PLACES: Mutex<BTreeMap<u64, Arc<Place>>> = Mutex::new(BTreeMap::new());
/// The number given last.
static NUMBER: AtomicU64 = AtomicU64::new(0);

pub struct Inproc;

struct Served {
    number: u64,
    place: Arc<Place>,
}

impl Server for Served {
    fn endpoint(&self) -> String {
        format!("inproc:{}", self.number)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.place.open.store(false, Ordering::Release);
        PLACES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

struct Caller {
    place: Arc<Place>,
    timeout: Duration,
    answer: Vec<u8>,
}

impl Channel for Inproc {
    fn name(&self) -> &'static str {
        "inproc"
    }

    fn in_process(&self) -> bool {
        true
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        let place = Arc::new(Place { handler: only(routes, "inproc")?.handler, open: AtomicBool::new(true) });
        let number = NUMBER.fetch_add(1, Ordering::Relaxed) + 1;
        PLACES.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::clone(&place));
        Ok(Box::new(Served { number, place }))
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let number = to.endpoint.strip_prefix("inproc:").and_then(|number| number.parse::<u64>().ok());
        let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        let place = number.and_then(|number| places.get(&number)).ok_or_else(|| {
            let sentence = format!("nothing is served in this process at {}: serve and connect in one adapter process", to.endpoint);
            Failure::new(Kind::Refused, sentence)
        })?;
        Ok(Box::new(Caller { place: Arc::clone(place), timeout: to.timeout, answer: Vec::new() }))
    }
}

/// The coarse clock: a tick of the kernel is fine enough for a time-out, and reading it costs a fifth of the fine one's, which
/// would be most of such a call.
#[cfg(unix)]
pub(super) fn ticks() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC_COARSE).map_or(Duration::ZERO, Duration::from)
}

/// The coarse clock of Windows.
#[cfg(windows)]
pub(super) fn ticks() -> Duration {
    // SAFETY: it reads a number and touches no memory.
    Duration::from_millis(unsafe { windows_sys::Win32::System::SystemInformation::GetTickCount64() })
}

pub(super) fn within(timeout: Duration, started: Duration) -> Result<(), Failure> {
    let lasted = ticks().saturating_sub(started);
    if lasted < timeout {
        return Ok(());
    }
    Err(Failure::new(Kind::Timeout, format!("the call lasted {lasted:?}, longer than the {timeout:?} allowed")))
}

impl Connection for Caller {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        if !self.place.open.load(Ordering::Acquire) {
            return Err(Failure::new(Kind::Closed, "the server in this process has ended"));
        }
        let started = ticks();
        self.answer.clear();
        self.place.handler.answer(request, &mut self.answer);
        within(self.timeout, started)?;
        Ok(&self.answer)
    }

    fn connections(&self) -> usize {
        0
    }
}
