//! SIGTERM ends the process, even if a call hangs.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal};

use super::event::Event;

/// The time until this process ends itself. The core kills it after 5 s.
pub const GRACE: Duration = Duration::from_secs(4);
/// The time that a drive may last after stdin was closed.
const LAST_DRIVE: Duration = Duration::from_secs(2);

/// Ends the process, even if its main thread waits forever.
#[derive(Default)]
pub struct StopSignal {
    flag: AtomicBool,
    on_stop: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl StopSignal {
    /// True if drives must end immediately.
    #[must_use]
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// Sets an additional action for the stop. Can be called once.
    pub fn on_stop(&self, action: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_stop.set(Box::new(action));
    }

    /// After the end of stdin: earlier requests are still answered if that does not take long.
    pub(super) fn after_last_drive(&self) {
        self.end_drives_after(LAST_DRIVE);
    }

    /// Ends drives after `first`, and the process if that did not help. Runs on its own thread.
    fn end_drives_after(&self, first: Duration) {
        thread::sleep(first);
        self.flag.store(true, Relaxed);
        if let Some(on_stop) = self.on_stop.get() {
            on_stop();
        }
        thread::sleep(GRACE.saturating_sub(first));
        eprintln!("callbench: a call or a server does not end, so the adapter exits without waiting for it");
        std::process::exit(1);
    }
}

/// Blocks SIGTERM for this thread and all later ones, and converts it to an event. It must be called before any other thread is started. std gives
/// child processes their own signal mask.
#[cfg(unix)]
pub(super) fn watch(stop: &Arc<StopSignal>) -> io::Result<(Sender<Event>, Receiver<Event>)> {
    let (events, received) = mpsc::channel();
    let mut terminate = SigSet::empty();
    terminate.add(Signal::SIGTERM);
    terminate.thread_block()?;
    let (stop, end_event) = (Arc::clone(stop), events.clone());
    thread::Builder::new().name("sigterm".to_owned()).spawn(move || {
        if terminate.wait().is_ok() {
            // The flag must be set before the session receives the event: it decides how the end of a runner is reported.
            stop.flag.store(true, Relaxed);
            // If nobody receives, the session is already ending.
            let _ = end_event.send(Event::End);
            stop.end_drives_after(Duration::ZERO);
        }
    })?;
    Ok((events, received))
}

/// Windows has no SIGTERM. There, the starting process closes stdin instead.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "the other one can fail")]
pub(super) fn watch(_stopping: &Arc<StopSignal>) -> io::Result<(Sender<Event>, Receiver<Event>)> {
    Ok(mpsc::channel())
}
