//! Waits for the end of a child, for signals, and for timeouts.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};

/// The time between SIGTERM and SIGKILL.
const TERM_TIMEOUT: Duration = Duration::from_secs(5);
/// The same after the death of the core. It is short, because an adapter that waits for an answer from a vanished host would use all of its time.
const ORPHAN_TERM_TIMEOUT: Duration = Duration::from_millis(200);

/// The signals that the supervisor waits for, and the signal mask of before. They are blocked, so that none is lost.
pub struct Signals {
    queue: SignalFd,
    before: SigSet,
}

impl Signals {
    pub fn block() -> nix::Result<Self> {
        let mut waited = SigSet::empty();
        for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGCHLD] {
            waited.add(signal);
        }
        let mut before = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&waited), Some(&mut before))?;
        let queue = SignalFd::with_flags(&waited, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Signals { queue, before })
    }

    /// Restores the original signal mask before this process becomes the adapter.
    pub fn restore(&self) -> nix::Result<()> {
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.before), None)
    }

    /// Waits for one of the signals, at most until `deadline`. True if it was a request to end.
    fn wait(&self, deadline: Option<Instant>) -> nix::Result<bool> {
        let timeout = deadline.map_or(PollTimeout::NONE, |deadline| {
            let left = deadline.saturating_duration_since(Instant::now()).as_millis() + 1;
            PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
        });
        match poll(&mut [PollFd::new(self.queue.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        let mut end_requested = false;
        while let Some(signal) = self.queue.read_signal()? {
            end_requested |= signal.ssi_signo != Signal::SIGCHLD as u32;
        }
        Ok(end_requested)
    }
}

/// Waits until `child` has ended, and reaps other processes that end meanwhile. Passes a request to end on, and kills the child after a timeout. The
/// timeout is short if the request means that `core`, the parent of this process, has died. Returns the child's exit code, or 128 + n if signal n
/// ended it.
pub fn wait_for_exit(signals: &Signals, child: Pid, core: Option<Pid>) -> nix::Result<u8> {
    let mut deadline = None;
    loop {
        while let Some((pid, code)) = reap_one()? {
            if pid == child {
                return Ok(code);
            }
        }
        let end_requested = signals.wait(deadline)?;
        if end_requested {
            let orphaned = core.is_some_and(|core| getppid() != core);
            let timeout = if orphaned { ORPHAN_TERM_TIMEOUT } else { TERM_TIMEOUT };
            if deadline.is_none() {
                // An error means that the child has just ended.
                let _ = kill(child, Signal::SIGTERM);
            }
            // The core may die while an adapter is ending. The timeout then becomes shorter.
            let due = Instant::now() + timeout;
            deadline = Some(deadline.map_or(due, |before: Instant| before.min(due)));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let _ = kill(child, Signal::SIGKILL);
        }
    }
}

/// Reaps one ended child, if there is one.
fn reap_one() -> nix::Result<Option<(Pid, u8)>> {
    match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(pid, code)) => Ok(Some((pid, code as u8))),
        Ok(WaitStatus::Signaled(pid, signal, _)) => Ok(Some((pid, 128 + signal as u8))),
        Ok(_) | Err(Errno::ECHILD) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the writing end of this pipe is closed.
pub fn is_closed(reader: &impl AsFd) -> bool {
    let mut polled = [PollFd::new(reader.as_fd(), PollFlags::empty())];
    poll(&mut polled, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}
