//! The place for the adapter's temporary files, which is gone when the adapter is.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::mkdtemp;

/// What the adapter and its children take for the place of temporary files.
const VARIABLE: &str = "TMPDIR";

/// A folder that has to be removed, where no file system of its own could be had; dropping it does so.
pub struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes the place, and has the environment name it. `caged`: this process may make namespaces.
///
/// Where the kernel refuses a file system of its own, it is a folder beside other temporary files, which stays behind only where this
/// process is killed.
pub fn make(folder: &OsStr, caged: bool) -> nix::Result<Option<Folder>> {
    if caged && mounted(folder).is_ok() {
        name(folder);
        return Ok(None);
    }
    let made = mkdtemp(&std::env::temp_dir().join("callbench-XXXXXX"))?;
    name(made.as_os_str());
    Ok(Some(Folder(made)))
}

/// In a mount namespace of this process's own: others do not see it, and the kernel ends it with the last process inside.
fn mounted(folder: &OsStr) -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>)?;
    mount(Some("callbench"), folder, Some("tmpfs"), MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=700"))
}

fn name(folder: &OsStr) {
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var(VARIABLE, folder) };
}
