//! The first process of the namespace, and the step from it to the adapter.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{ForkResult, Pid, execvp, fork};

use crate::watch::{self, Signals};

/// Starts the adapter and waits for its end. When this process ends, the kernel kills everything that is left in the namespace.
///
/// `keeper` reads from a pipe that the keeper alone can write to: it is at its end where the keeper has died.
pub fn run(signals: &Signals, command: &[CString], keeper: &OwnedFd) -> u8 {
    // The keeper killed by SIGKILL cannot say so any more: the kernel says it.
    if let Err(error) = prctl::set_pdeathsig(Signal::SIGKILL) {
        return complain("cannot ask for the parent-death signal", error);
    }
    // From in here the keeper has no id that could be looked at.
    if watch::hung_up(keeper) {
        return 0;
    }
    // SAFETY: this process has one thread, so the child may do anything.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => become_adapter(signals, command, None),
        Ok(ForkResult::Parent { child }) => {
            watch::until_gone(signals, child, None).unwrap_or_else(|error| complain("cannot wait for the adapter", error))
        }
        Err(error) => complain("cannot start a process", error),
    }
}

/// Turns this process into the adapter. `with_parent` is the signal it gets when its parent dies.
pub fn become_adapter(signals: &Signals, command: &[CString], with_parent: Option<Signal>) -> ! {
    let ready = signals.restore().and_then(|()| with_parent.map_or(Ok(()), prctl::set_pdeathsig));
    let error = match ready {
        Ok(()) => match execvp(&command[0], command) {
            Err(error) => error,
        },
        Err(error) => error,
    };
    complain(&format!("cannot start {}", command[0].to_string_lossy()), error);
    std::process::exit(if error == nix::errno::Errno::ENOENT { 127 } else { 126 })
}

/// Keeps this process and all it starts on the given processors.
pub fn pin(cpus: &[usize]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)
}

fn complain(what: &str, error: nix::errno::Errno) -> u8 {
    eprintln!("callbench-keeper: {what}: {}", error.desc());
    125
}
