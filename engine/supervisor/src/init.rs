//! The first process of the PID namespace, which starts the adapter.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{ForkResult, Pid, execvp, fork};

use crate::watch::{self, Signals};

/// Starts the adapter and waits for its end. When this process ends, the kernel kills everything that is left in the namespace.
///
/// Only the supervisor holds the writing end of the pipe `supervisor_alive`. The pipe is closed as soon as the supervisor has died.
pub fn run(signals: &Signals, command: &[CString], supervisor_alive: &OwnedFd) -> u8 {
    // The kernel kills this process if the supervisor is killed.
    if let Err(error) = prctl::set_pdeathsig(Signal::SIGKILL) {
        return report_error("cannot ask for the parent-death signal", error);
    }
    // The supervisor may have died before that. It has no process id inside the namespace, so the pipe is checked.
    if watch::is_closed(supervisor_alive) {
        return 0;
    }
    // SAFETY: this process has one thread, so the child may do anything.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => become_adapter(signals, command, None),
        Ok(ForkResult::Parent { child }) => {
            watch::wait_for_exit(signals, child, None).unwrap_or_else(|error| report_error("cannot wait for the adapter", error))
        }
        Err(error) => report_error("cannot start a process", error),
    }
}

/// Turns this process into the adapter. `with_parent` is the signal that the adapter gets when its parent dies.
pub fn become_adapter(signals: &Signals, command: &[CString], with_parent: Option<Signal>) -> ! {
    let ready = signals.restore().and_then(|()| with_parent.map_or(Ok(()), prctl::set_pdeathsig));
    let error = match ready {
        Ok(()) => match execvp(&command[0], command) {
            Err(error) => error,
        },
        Err(error) => error,
    };
    report_error(&format!("cannot start {}", command[0].to_string_lossy()), error);
    std::process::exit(if error == nix::errno::Errno::ENOENT { 127 } else { 126 })
}

/// Pins this process and everything that it starts to the given processors.
pub fn pin(cpus: &[usize]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)
}

fn report_error(what: &str, error: nix::errno::Errno) -> u8 {
    eprintln!("callbench-supervisor: {what}: {}", error.desc());
    125
}
