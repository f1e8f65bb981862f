//! Whole messages over a pair of ends, and the loops of both sides: what `shm`, `mqueue`, `pipe` and `unix` share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use callbench_contract::{Failure, Kind};

use super::{Connection, Handler};
use callbench_contract::endpoint::LIMIT;

/// The interval for checking whether the other side has died, in waits that cannot notice it.
const SLICE: Duration = Duration::from_millis(50);

/// Whether the server is ending. It is checked between two messages, because a busy client leaves no pause.
pub type Ending = Arc<AtomicBool>;

/// The remaining time of a call. The clock is first read after the first interval, so a fast call never reads it.
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

    /// A part has arrived: a side that sends a byte from time to time must not block its caller forever.
    pub fn partly(&mut self) -> Result<(), Failure> {
        self.wasted(Duration::ZERO)
    }
}

/// One end of a connection that carries whole messages in both directions.
pub trait Line: Send {
    /// Sends a message. For a message beyond `LIMIT`, only its length is sent, and the other side refuses it.
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure>;

    /// Waits for a message and keeps it until the next call.
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
