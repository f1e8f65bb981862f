//! `callbench-supervisor [--cpus 0,1] [--user PATH] [--netns PATH] [--parent PID] [--scratch FOLDER] [--remove FOLDER] -- PROGRAM [ARGUMENT ...]`
//! runs an adapter and ends everything that the adapter started.
//!
//! There are three processes. The supervisor is notified when the core dies. The init process is the first process of a PID namespace: when it ends,
//! the kernel kills everything in the namespace. The third process is the adapter. If the kernel refuses the namespace, the supervisor becomes a
//! subreaper and kills all descendants instead. Standard input, output and error are passed through unchanged.
//!
//! `--netns` runs the adapter on a host of the network lab: in that network namespace and in the user namespace that owns it.
//!
//! `--scratch` names a folder on which a file system in memory is mounted. Only the adapter and its children see it. Their temporary files (`TMPDIR`)
//! disappear with them, even after SIGKILL. `--parent` names the core. If the core died before this process could ask for a signal, this process ends
//! immediately. `--remove` names a folder of the core, which is removed at the end, because a killed core cannot remove it.
//!
//! | event | what the supervisor does |
//! |---|---|
//! | the adapter ends | kills what it started, ends with its exit code |
//! | the supervisor gets SIGTERM | passes it on, waits 5 s, kills everything |
//! | the core dies, even by SIGKILL | passes SIGTERM on, waits 0.2 s, kills everything: nobody reads the adapter's answers any more |
//! | the supervisor is killed | the init process dies too (parent-death signal), and the kernel kills the rest |

mod arguments;
mod descendants;
mod host;
mod init;
mod scratch;
mod watch;

use std::process::ExitCode;

use nix::fcntl::OFlag;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{ForkResult, Pid, fork, getegid, geteuid, getppid, pipe2};

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(sentence) => {
            eprintln!("callbench-supervisor: {sentence}");
            return ExitCode::from(2);
        }
    };
    // Before anything else: a change of the user namespace may clear the parent-death signal.
    if let Err(sentence) = host::enter(&arguments) {
        eprintln!("callbench-supervisor: {sentence}");
        return ExitCode::from(125);
    }
    match run(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("callbench-supervisor: {error}");
            ExitCode::from(125)
        }
    }
}

/// Runs the adapter until it ends. Returns its exit code, or 128 + n if signal n ended it.
fn run(arguments: &arguments::Arguments) -> nix::Result<u8> {
    let signals = watch::Signals::block()?;
    let parent = if arguments.parent == 0 { getppid() } else { Pid::from_raw(arguments.parent) };
    if !arguments.cpus.is_empty() {
        init::pin(&arguments.cpus)?;
    }
    let in_namespace = enter_namespace();
    if !in_namespace {
        prctl::set_child_subreaper(true)?;
    }
    let own = arguments.scratch.as_deref().map(|folder| scratch::make(folder, in_namespace)).transpose()?;
    // After entering the namespaces, because that may clear it.
    prctl::set_pdeathsig(Signal::SIGTERM)?;
    if getppid() != parent {
        clean(arguments);
        return Ok(0); // The core died before the signal was set.
    }
    let (alive, ours) = pipe2(OFlag::O_CLOEXEC)?;
    // SAFETY: this process has one thread, so the child may do anything.
    match unsafe { fork() }? {
        ForkResult::Child if in_namespace => {
            drop(ours);
            std::process::exit(i32::from(init::run(&signals, &arguments.command, &alive)))
        }
        ForkResult::Child => init::become_adapter(&signals, &arguments.command, Some(Signal::SIGKILL)),
        ForkResult::Parent { child } => {
            drop(alive);
            let code = watch::wait_for_exit(&signals, child, Some(parent))?;
            if !in_namespace {
                descendants::kill_all();
            }
            clean(arguments);
            drop((ours, own));
            Ok(code)
        }
    }
}

/// Removes the folder that `--remove` names.
fn clean(arguments: &arguments::Arguments) {
    if let Some(folder) = &arguments.remove {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Makes the next child the first process of a PID namespace: directly as root, else through a user namespace. False if the kernel refuses both.
fn enter_namespace() -> bool {
    if unshare(CloneFlags::CLONE_NEWPID).is_ok() {
        return true;
    }
    let (user, group) = (geteuid(), getegid());
    if unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).is_err() {
        return false;
    }
    // Without these maps the adapter runs as the user nobody. Some kernels allow the namespace but not the maps; the adapter works there too.
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
    true
}
