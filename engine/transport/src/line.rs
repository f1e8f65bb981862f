//! Whole messages over a pair of ends, and the loops of both sides: what `shm`, `mqueue`, `pipe` and `unix` share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use callbench_kit::{Failure, Kind};

use super::{Connection, Handler};
use callbench_kit::stack::LIMIT;

/// How long a wait lasts that cannot notice the other side's death by itself; then it looks.
const SLICE: Duration = Duration::from_millis(50);

/// Whether the server is ending; asked between two messages, since a busy client leaves no pause to notice otherwise.
pub type Ending = Arc<AtomicBool>;

/// What is left of a caller's patience. The clock is first read when a wait has lasted its slice: a call that is answered at once
/// never pays for it.
pub struct Patience {
    allowed: Option<Duration>,
    until: Option<Instant>,
}

impl Patience {
    #[must_use]
    pub fn of(allowed: Duration) -> Self {
        Patience { allowed: Some(allowed), until: None }
    }

    /// A server's: it waits for the next request for ever.
    #[must_use]
    pub fn endless() -> Self {
        Patience { allowed: None, until: None }
    }

    /// How long to wait before looking again.
    #[must_use]
    pub fn slice(&self) -> Duration {
        self.left().map_or(SLICE, |left| left.min(SLICE))
    }

    /// How long to wait where the other side's death ends the wait too: all that is left. A timer of a slice would cost more, being the
    /// processor's next.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now())).or(self.allowed)
    }

    /// A wait of `slice` was in vain.
    pub fn wasted(&mut self, slice: Duration) -> Result<(), Failure> {
        let Some(allowed) = self.allowed else { return Ok(()) };
        let now = Instant::now();
        let until = *self.until.get_or_insert_with(|| now + allowed.saturating_sub(slice));
        if now < until { Ok(()) } else { Err(timed_out()) }
    }

    /// Something came, but not all of it: a side that sends a byte now and then must not hold its caller for ever.
    pub fn partly(&mut self) -> Result<(), Failure> {
        self.wasted(Duration::ZERO)
    }
}

/// One end, carrying whole messages both ways.
pub trait Line: Send {
    /// Sends a message. One beyond `LIMIT` is announced by its length alone, for the other side to refuse.
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure>;

    /// Waits for a message and keeps it until the next.
    fn receive(&mut self, patience: &mut Patience) -> Result<(), Failure>;

    /// The message received last.
    fn received(&self) -> &[u8];
}

/// The server's loop: answers until the other side ends, misbehaves, or the server does.
pub fn answer_all(line: &mut impl Line, handler: &dyn Handler, ending: &Ending) {
    let mut answer = Vec::new();
    while !ending.load(Ordering::Relaxed) && line.receive(&mut Patience::endless()).is_ok() {
        answer.clear();
        handler.answer(line.received(), &mut answer);
        if line.send(&answer, &mut Patience::endless()).is_err() {
            return;
        }
    }
}

/// The client's end. A call that failed leaves a line on which a late answer may still come, so the next call makes a new one.
pub struct Caller<L, D> {
    dial: D,
    line: Option<L>,
    timeout: Duration,
}

impl<L: Line, D: Fn() -> Result<L, Failure> + Send> Caller<L, D> {
    pub fn new(timeout: Duration, dial: D) -> Result<Self, Failure> {
        let line = Some(dial()?);
        Ok(Caller { dial, line, timeout })
    }
}

impl<L: Line, D: Fn() -> Result<L, Failure> + Send> Connection for Caller<L, D> {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        if request.len() > LIMIT {
            return Err(too_large(request.len(), LIMIT));
        }
        if self.line.is_none() {
            self.line = Some((self.dial)()?);
        }
        let made = self.line.as_mut().map(|line| {
            let mut patience = Patience::of(self.timeout);
            line.send(request, &mut patience)?;
            line.receive(&mut patience)
        });
        if let Some(Err(failure)) = made {
            self.line = None;
            return Err(failure);
        }
        self.line.as_ref().map(Line::received).ok_or_else(closed)
    }

    fn connections(&self) -> usize {
        usize::from(self.line.is_some())
    }
}

#[must_use]
pub fn too_large(size: usize, limit: usize) -> Failure {
    Failure::new(Kind::TooLarge, format!("a message of {size} bytes is beyond the {limit} that this channel carries"))
}

#[must_use]
pub fn closed() -> Failure {
    Failure::new(Kind::Closed, "the other side ended the connection")
}

#[must_use]
pub fn timed_out() -> Failure {
    Failure::new(Kind::Timeout, "no answer came within the time allowed")
}

pub fn refused(endpoint: &str, why: &impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Refused, format!("nothing answers at {endpoint} ({why}): start the server first, and connect on its machine"))
}
