//! What travels on the cable, frame by frame: a ring shared with the kernel, and a thread that hands each frame to whoever wants it.
//!
//! A wish for frames is a [`Sink`]: the file of a capture is one, the wire ledger's accountant another.

pub mod file;
mod ring;

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Kind, Result};
use crate::packet;
use ring::Ring;

/// One frame as it passed the interface.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Nanoseconds since 1970, by the kernel's clock when it passed.
    pub at_ns: u64,
    /// Whether this host sent it; else it arrived.
    pub outgoing: bool,
    /// Its length on the cable in octets, without preamble and checksum.
    pub length: usize,
    /// What was captured of it: all.
    pub bytes: &'a [u8],
}

/// Who wants frames.
pub trait Sink: Send + 'static {
    /// One frame, in the order in which they passed. Called by the tap's own thread.
    fn frame(&mut self, frame: &Frame<'_>);
}

/// How many frames there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Handed to the sink.
    pub packets: u64,
    /// Lost because the ring was full.
    pub dropped: u64,
}

/// An interface under observation. The kernel counts every frame, so a loss is known.
pub struct Tap<S: Sink> {
    shared: Arc<Shared<S>>,
    /// The ring's socket, for the kernel's counters.
    socket: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

struct Shared<S> {
    state: Mutex<State<S>>,
    moved: Condvar,
    ending: AtomicBool,
}

struct State<S> {
    /// There until `stop` takes it.
    sink: Option<S>,
    /// Frames handed to the sink.
    packets: u64,
    /// Frames the kernel has seen, those that it dropped among them.
    seen: u64,
    dropped: u64,
}

/// How long the thread waits for a frame before it looks whether it should end.
const LOOK_MS: u16 = 20;
/// How long a frame may take from the kernel's count to the sink.
const PATIENCE: Duration = Duration::from_secs(20);

impl<S: Sink> Tap<S> {
    /// Begins to observe an interface of this thread's namespace.
    pub fn start(interface: &str, sink: S) -> Result<Self> {
        let ring = Ring::open(interface)?;
        let socket = ring.socket()?;
        let state = Mutex::new(State { sink: Some(sink), packets: 0, seen: 0, dropped: 0 });
        let shared = Arc::new(Shared { state, moved: Condvar::new(), ending: AtomicBool::new(false) });
        let mine = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("tap".to_owned())
            .spawn(move || mine.hand_over_all(ring))
            .map_err(|error| Failure::io("cannot start a thread", &error))?;
        Ok(Tap { shared, socket, thread: Some(thread) })
    }

    /// Waits until every frame that has passed is with the sink, then lets `look` see it.
    pub fn with<R>(&self, look: impl FnOnce(&mut S, Counts) -> R) -> Result<R> {
        let mut state = self.caught_up()?;
        let counts = Counts { packets: state.packets, dropped: state.dropped };
        let sink = state.sink.as_mut().ok_or_else(|| Failure::new(Kind::Kernel, "the tap has ended"))?;
        Ok(look(sink, counts))
    }

    /// Ends it when every frame that has passed is with the sink. Gives the sink back, and how many frames there were.
    pub fn stop(self) -> Result<(S, Counts)> {
        let mut state = self.caught_up()?;
        let counts = Counts { packets: state.packets, dropped: state.dropped };
        let sink = state.sink.take().ok_or_else(|| Failure::new(Kind::Kernel, "the tap has ended"))?;
        Ok((sink, counts))
    }

    fn caught_up(&self) -> Result<MutexGuard<'_, State<S>>> {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.shared.state();
        let (seen, dropped) = packet::statistics(&self.socket)?;
        state.seen += seen;
        state.dropped += dropped;
        let due = state.seen - state.dropped;
        while state.packets < due {
            if Instant::now() > deadline {
                let missing = due - state.packets;
                return Err(Failure::new(Kind::Kernel, format!("{missing} frames that the kernel has seen did not come out of the ring")));
            }
            state = self.shared.moved.wait_timeout(state, Duration::from_millis(100)).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(state)
    }
}

impl<S: Sink> Drop for Tap<S> {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl<S: Sink> Shared<S> {
    /// The life of the tap's thread.
    fn hand_over_all(&self, mut ring: Ring) {
        while !self.ending.load(Ordering::Acquire) {
            while let Some(block) = ring.next_block() {
                let mut state = self.state();
                let state = &mut *state;
                for frame in block.frames() {
                    state.packets += 1;
                    if let Some(sink) = state.sink.as_mut() {
                        sink.frame(&frame);
                    }
                }
                self.moved.notify_all();
            }
            ring.wait(LOOK_MS);
        }
    }

    fn state(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
