//! Holds the workers until all are ready, so that they start together.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::clock;

#[derive(Default)]
pub(super) struct StartBarrier {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    arrived: usize,
    opened: Opened,
}

#[derive(Clone, Copy, Default)]
enum Opened {
    #[default]
    NotYet,
    /// The drive starts at this time.
    For(u64),
    /// The drive is cancelled.
    Cancelled,
}

impl StartBarrier {
    /// A worker waits for the common start. None if the drive is cancelled.
    pub(super) fn wait(&self) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.arrived += 1;
        self.changed.notify_all();
        loop {
            match state.opened {
                Opened::For(start) => return Some(start),
                Opened::Cancelled => return None,
                Opened::NotYet => {}
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until this number of workers wait.
    pub(super) fn await_workers(&self, workers: usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(state, |state| state.arrived < workers).unwrap_or_else(PoisonError::into_inner));
    }

    /// Releases the workers for a start at `at`, or as soon as all of them can be awake. Returns the start.
    pub(super) fn open(&self, at: u64, workers: usize) -> u64 {
        let start = at.max(clock::now() + 100_000 + 10_000 * workers as u64);
        self.set(Opened::For(start));
        start
    }

    /// Releases the workers without a drive.
    pub(super) fn cancel(&self) {
        self.set(Opened::Cancelled);
    }

    fn set(&self, opened: Opened) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).opened = opened;
        self.changed.notify_all();
    }
}
