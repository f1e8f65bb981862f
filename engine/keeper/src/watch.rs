//! Waiting for a child, for SIGTERM, and for the time after which patience ends.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};

/// How long an adapter has between being told to end and being killed.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same where the core has died: an adapter that waits for an answer, from a host that has ended with the core, would use up all of the above.
const ORPHANS_PATIENCE: Duration = Duration::from_millis(200);

/// The signals the keeper waits for, blocked so that none is lost, and the mask to give back to the adapter.
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

    /// Gives the process the mask it was born with, before it becomes the adapter.
    pub fn restore(&self) -> nix::Result<()> {
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.before), None)
    }

    /// Waits for one of the signals, at most until `deadline`. True where it was a request to end.
    fn wait(&self, deadline: Option<Instant>) -> nix::Result<bool> {
        let timeout = deadline.map_or(PollTimeout::NONE, |deadline| {
            let left = deadline.saturating_duration_since(Instant::now()).as_millis() + 1;
            PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
        });
        match poll(&mut [PollFd::new(self.queue.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        let mut asked = false;
        while let Some(signal) = self.queue.read_signal()? {
            asked |= signal.ssi_signo != Signal::SIGCHLD as u32;
        }
        Ok(asked)
    }
}

/// Waits until `child` has ended, and reaps whatever else ends meanwhile. Passes a request to end on, and kills the child when patience ends.
/// Patience is short where the request is the news that `core`, this process's parent, has died.
/// Returns the child's exit code, 128 + n where signal n ended it.
pub fn until_gone(signals: &Signals, child: Pid, core: Option<Pid>) -> nix::Result<u8> {
    let mut deadline = None;
    loop {
        while let Some((pid, code)) = reap()? {
            if pid == child {
                return Ok(code);
            }
        }
        let asked = signals.wait(deadline)?;
        if asked {
            let orphaned = core.is_some_and(|core| getppid() != core);
            let patience = if orphaned { ORPHANS_PATIENCE } else { PATIENCE };
            if deadline.is_none() {
                // The child may have ended in this moment: that it cannot be told is no error.
                let _ = kill(child, Signal::SIGTERM);
            }
            // The core may die while an adapter that it told to end takes its time.
            let due = Instant::now() + patience;
            deadline = Some(deadline.map_or(due, |before: Instant| before.min(due)));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let _ = kill(child, Signal::SIGKILL);
        }
    }
}

/// One ended child, if there is one.
fn reap() -> nix::Result<Option<(Pid, u8)>> {
    match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(pid, code)) => Ok(Some((pid, code as u8))),
        Ok(WaitStatus::Signaled(pid, signal, _)) => Ok(Some((pid, 128 + signal as u8))),
        Ok(_) | Err(Errno::ECHILD) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether nobody can write any more to the pipe that this reads from.
pub fn hung_up(reader: &impl AsFd) -> bool {
    let mut polled = [PollFd::new(reader.as_fd(), PollFlags::empty())];
    poll(&mut polled, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}
