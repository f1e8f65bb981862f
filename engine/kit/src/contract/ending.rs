//! SIGTERM means stop, also while a call hangs.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal};

use super::event::Event;

/// The core kills what has not ended after 5 s; whoever hangs ends by itself before that.
pub const GRACE: Duration = Duration::from_secs(4);
/// How long a drive may go on whose core has closed our stdin.
const LAST_DRIVE: Duration = Duration::from_secs(2);

/// How the end of the process comes about, also where its main thread waits for something that never comes.
#[derive(Default)]
pub struct Stopping {
    raised: AtomicBool,
    then: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Stopping {
    /// Raised where drives are to end at once.
    #[must_use]
    pub fn raised(&self) -> &AtomicBool {
        &self.raised
    }

    /// What is done besides when it is raised; to be said once.
    pub fn then(&self, then: impl Fn() + Send + Sync + 'static) {
        let _ = self.then.set(Box::new(then));
    }

    /// After the end of stdin: what was asked before is still answered, if it does not take long.
    pub(super) fn after_last_drive(&self) {
        self.soon(LAST_DRIVE);
    }

    /// Ends drives after `first`, and the process where that did not help. Runs on a thread that has nothing else to do.
    fn soon(&self, first: Duration) {
        thread::sleep(first);
        self.raised.store(true, Relaxed);
        if let Some(then) = self.then.get() {
            then();
        }
        thread::sleep(GRACE.saturating_sub(first));
        eprintln!("callbench: a call or a server does not end, so the adapter leaves without it");
        std::process::exit(1);
    }
}

/// Blocks SIGTERM for this and all later threads (children get a mask of their own from std) and turns it into an event. To be called
/// before any other thread is started.
#[cfg(unix)]
pub(super) fn watch(stopping: &Arc<Stopping>) -> io::Result<(Sender<Event>, Receiver<Event>)> {
    let (events, received) = mpsc::channel();
    let mut terminate = SigSet::empty();
    terminate.add(Signal::SIGTERM);
    terminate.thread_block()?;
    let (stopping, told) = (Arc::clone(stopping), events.clone());
    thread::Builder::new().name("sigterm".to_owned()).spawn(move || {
        if terminate.wait().is_ok() {
            // Before the session hears of it: how a runner then ends is judged by it.
            stopping.raised.store(true, Relaxed);
            // Where nobody receives, the session is ending already.
            let _ = told.send(Event::End);
            stopping.soon(Duration::ZERO);
        }
    })?;
    Ok((events, received))
}

/// Windows has no SIGTERM: whoever starts this there ends its stdin instead.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "the other one can fail")]
pub(super) fn watch(_stopping: &Arc<Stopping>) -> io::Result<(Sender<Event>, Receiver<Event>)> {
    Ok(mpsc::channel())
}
