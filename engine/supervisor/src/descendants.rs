//! Kills the processes that an adapter left behind if there is no PID namespace. This process is then their subreaper, so orphans become its
//! children.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, getpid};

/// Kills and reaps children until there are none. The children of a killed process become children of this one, so the loop ends.
pub fn kill_all() {
    loop {
        let children = children_of(getpid());
        if children.is_empty() {
            return;
        }
        for child in children {
            let _ = kill(child, Signal::SIGKILL);
            let _ = waitpid(child, None);
        }
    }
}

/// The children of a process. The parent's id is the second field after the command in `/proc/PID/stat`.
fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(parent.to_string().as_str())
        })
        .map(Pid::from_raw)
        .collect()
}
