//! The process itself. It ends with the host, and signals are never sent to another process with the same id.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

pub struct Child {
    id: Pid,
    /// None after its end was awaited: from then on, another process may have its id.
    process: Mutex<Option<std::process::Child>>,
}

impl Child {
    pub fn new(process: std::process::Child) -> Self {
        Child { id: Pid::from_raw(process.id() as i32), process: Mutex::new(Some(process)) }
    }

    pub fn signal(&self, signal: Signal) {
        if self.process.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            // It may have ended, which is fine.
            let _ = kill(self.id, signal);
        }
    }

    /// Waits for its end.
    pub fn wait(&self) -> ExitStatus {
        // Without the lock, so that signals can be sent meanwhile.
        while waitid(Id::Pid(self.id), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(nix::errno::Errno::EINTR) {}
        let ended = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        // No other code waits for it, so the status is available.
        ended.and_then(|mut process| process.wait().ok()).unwrap_or_else(|| ExitStatus::from_raw(0))
    }
}

/// Runs in the child before it becomes the runner. It is killed when the thread that started it ends for any reason.
pub fn end_with(host: u32) -> io::Result<()> {
    // SAFETY: sets a number of the calling process and touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: asks for a number.
    if unsafe { libc::getppid() } as u32 == host { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}
