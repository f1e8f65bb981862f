//! `callbench-keeper [--cpus 0,1] [--user PATH] [--netns PATH] [--parent PID] [--scratch FOLDER] [--remove FOLDER] -- PROGRAM [ARGUMENT ...]` runs an adapter and
//! sees to it that nothing is left.
//!
//! Three processes: the keeper, which hears of the core's death; an init, the first process of a PID namespace, whose end the kernel turns into
//! the end of everything inside; and the adapter. Where the kernel refuses the namespace, the keeper becomes a subreaper instead and kills the
//! descendants it finds. Standard input, output and error pass through untouched.
//!
//! `--netns` runs the adapter on a host of the network lab: in that network namespace, and in the user namespace it belongs to.
//!
//! `--scratch` names a folder on which the adapter has a file system in memory that only it and its children see: temporary files (`TMPDIR`) end
//! with them, SIGKILL included. `--parent` names the core, whose death before this process could be told of it ends it at once.
//! `--remove` names a folder of the core's, which is removed at the end: nobody else could where the core has been killed.
//!
//! | what happens | what the keeper does |
//! |---|---|
//! | the adapter ends | kills what it started, ends with its exit code |
//! | the keeper gets SIGTERM | passes it on, waits 5 s, kills everything |
//! | the core dies, even by SIGKILL | passes SIGTERM on, waits a fifth of a second, kills everything: nobody is left to hear the adapter |
//! | the keeper is killed | the init dies with it (parent-death signal), and the kernel kills the rest |

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
            eprintln!("callbench-keeper: {sentence}");
            return ExitCode::from(2);
        }
    };
    // Before anything else: a change of user namespace may clear the parent-death signal.
    if let Err(sentence) = host::enter(&arguments) {
        eprintln!("callbench-keeper: {sentence}");
        return ExitCode::from(125);
    }
    match keep(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("callbench-keeper: {error}");
            ExitCode::from(125)
        }
    }
}

/// Runs the adapter to its end. Returns its exit code, 128 + n where signal n ended it.
fn keep(arguments: &arguments::Arguments) -> nix::Result<u8> {
    let signals = watch::Signals::block()?;
    let parent = if arguments.parent == 0 { getppid() } else { Pid::from_raw(arguments.parent) };
    if !arguments.cpus.is_empty() {
        init::pin(&arguments.cpus)?;
    }
    let caged = enter_namespace();
    if !caged {
        prctl::set_child_subreaper(true)?;
    }
    let own = arguments.scratch.as_deref().map(|folder| scratch::make(folder, caged)).transpose()?;
    // After the steps into namespaces, which may clear it.
    prctl::set_pdeathsig(Signal::SIGTERM)?;
    if getppid() != parent {
        clean(arguments);
        return Ok(0); // It died before the kernel could tell us.
    }
    let (alive, ours) = pipe2(OFlag::O_CLOEXEC)?;
    // SAFETY: this process has one thread, so the child may do anything.
    match unsafe { fork() }? {
        ForkResult::Child if caged => {
            drop(ours);
            std::process::exit(i32::from(init::run(&signals, &arguments.command, &alive)))
        }
        ForkResult::Child => init::become_adapter(&signals, &arguments.command, Some(Signal::SIGKILL)),
        ForkResult::Parent { child } => {
            drop(alive);
            let code = watch::until_gone(&signals, child, Some(parent))?;
            if !caged {
                descendants::kill_all();
            }
            clean(arguments);
            drop((ours, own));
            Ok(code)
        }
    }
}

/// Removes what was to be removed at the end.
fn clean(arguments: &arguments::Arguments) {
    if let Some(folder) = &arguments.remove {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Makes the next child the first process of a PID namespace: as root, else through a user namespace. False where the kernel refuses both.
fn enter_namespace() -> bool {
    if unshare(CloneFlags::CLONE_NEWPID).is_ok() {
        return true;
    }
    let (user, group) = (geteuid(), getegid());
    if unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).is_err() {
        return false;
    }
    // Without the maps the adapter would run as nobody. A kernel that allows the namespace but not the maps leaves it so, which still works.
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
    true
}
