//! Enters the adapter's host: a network namespace of the network lab.

use std::ffi::OsStr;
use std::fs::File;

use nix::sched::{CloneFlags, setns};

use crate::arguments::Arguments;

/// Enters the namespaces that the command line names. The user namespace comes first, because it gives the right to enter the other one.
pub fn enter(arguments: &Arguments) -> Result<(), String> {
    for (path, kind) in [(&arguments.user, CloneFlags::CLONE_NEWUSER), (&arguments.netns, CloneFlags::CLONE_NEWNET)] {
        if let Some(path) = path {
            enter_one(path, kind)?;
        }
    }
    Ok(())
}

fn enter_one(path: &OsStr, kind: CloneFlags) -> Result<(), String> {
    let file = File::open(path).map_err(|error| {
        format!("cannot open the namespace {}: {error}; whoever held it may have ended, and its hosts with it", path.display())
    })?;
    setns(file, kind).map_err(|error| format!("cannot enter the namespace {}: {}", path.display(), error.desc()))
}
