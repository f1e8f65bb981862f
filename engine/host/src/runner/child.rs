//! The process itself: it dies with the host, and no signal goes to another that has got its number.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

pub struct Child {
    id: Pid,
    /// None once it has been waited for: from then on its number may be another's.
    process: Mutex<Option<std::process::Child>>,
}

impl Child {
    pub fn new(process: std::process::Child) -> Self {
        Child { id: Pid::from_raw(process.id() as i32), process: Mutex::new(Some(process)) }
    }

    pub fn signal(&self, signal: Signal) {
        if self.process.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            // It may have ended and still be waited for, which is as good.
            let _ = kill(self.id, signal);
        }
    }

    /// Waits for its end.
    pub fn wait(&self) -> ExitStatus {
        // Without the lock: signals must go through meanwhile.
        while waitid(Id::Pid(self.id), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(nix::errno::Errno::EINTR) {}
        let ended = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Nobody else waits for it, so that its status is there.
        ended.and_then(|mut process| process.wait().ok()).unwrap_or_else(|| ExitStatus::from_raw(0))
    }
}

/// In the child, before it becomes the runner: it is killed when the thread that started it ends, however that comes about.
pub fn dies_with(host: u32) -> io::Result<()> {
    // SAFETY: sets a number of the calling process and touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: asks for a number.
    if unsafe { libc::getppid() } as u32 == host { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}
