//! Captures the frames of the cable: a ring shared with the kernel, and a thread that passes each frame to a receiver.
//!
//! A receiver is a [`Sink`]. A capture file and the ledger are examples.

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

/// A frame that passed the interface.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Nanoseconds since 1970, from the kernel's clock.
    pub at_ns: u64,
    /// Whether this host sent it; otherwise it arrived.
    pub outgoing: bool,
    /// Its length on the cable in bytes, without preamble and checksum.
    pub length: usize,
    /// The captured bytes: all of them.
    pub bytes: &'a [u8],
}

/// Receives frames.
pub trait Sink: Send + 'static {
    /// Receives one frame, in their order. The tap's own thread calls it.
    fn frame(&mut self, frame: &Frame<'_>);
}

/// Counts of frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Passed to the sink.
    pub packets: u64,
    /// Lost because the ring was full.
    pub dropped: u64,
}

/// An observed interface. The kernel counts every frame, so losses are known.
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
    /// None after `stop`.
    sink: Option<S>,
    /// Frames passed to the sink.
    packets: u64,
    /// Frames that the kernel has seen, including dropped ones.
    seen: u64,
    dropped: u64,
}

/// How long the thread waits for a frame before it checks whether it must end.
const LOOK_MS: u16 = 20;
/// The maximum time between the kernel's count and the sink.
const PATIENCE: Duration = Duration::from_secs(20);

impl<S: Sink> Tap<S> {
    /// Starts to observe an interface of this thread's namespace.
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

    /// Waits until the sink has received every frame so far, then calls `look` with it.
    pub fn with<R>(&self, look: impl FnOnce(&mut S, Counts) -> R) -> Result<R> {
        let mut state = self.caught_up()?;
        let counts = Counts { packets: state.packets, dropped: state.dropped };
        let sink = state.sink.as_mut().ok_or_else(|| Failure::new(Kind::Kernel, "the tap has ended"))?;
        Ok(look(sink, counts))
    }

    /// Stops after the sink has received every frame so far. Returns the sink and the counts.
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
    /// The loop of the tap's thread.
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
