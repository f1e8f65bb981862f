//! Holds the workers back until all are there, so that they start together.

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
    /// For a start at this moment.
    For(u64),
    /// To go home.
    InVain,
}

impl StartBarrier {
    /// A worker waits for the common start; None where the drive is off.
    pub(super) fn wait(&self) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.arrived += 1;
        self.changed.notify_all();
        loop {
            match state.opened {
                Opened::For(start) => return Some(start),
                Opened::InVain => return None,
                Opened::NotYet => {}
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until so many workers wait.
    pub(super) fn await_workers(&self, workers: usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(state, |state| state.arrived < workers).unwrap_or_else(PoisonError::into_inner));
    }

    /// Opens for a start at `at`, or as soon as so many workers can be awake; gives the start.
    pub(super) fn open(&self, at: u64, workers: usize) -> u64 {
        let start = at.max(clock::now() + 100_000 + 10_000 * workers as u64);
        self.set(Opened::For(start));
        start
    }

    /// Opens to go home.
    pub(super) fn abandon(&self) {
        self.set(Opened::InVain);
    }

    fn set(&self, opened: Opened) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).opened = opened;
        self.changed.notify_all();
    }
}
