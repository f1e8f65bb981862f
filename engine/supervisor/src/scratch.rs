//! The folder for the adapter's temporary files. It disappears with the adapter.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::mkdtemp;

/// The environment variable that names the folder for temporary files.
const VARIABLE: &str = "TMPDIR";

/// A folder that is removed on drop. It is used if no file system in memory can be mounted.
pub struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes the folder and sets the environment variable. `in_namespace`: this process may create namespaces.
///
/// If the kernel refuses the mount, a folder beside other temporary files is used. That folder stays behind only if this process is killed.
pub fn make(folder: &OsStr, in_namespace: bool) -> nix::Result<Option<Folder>> {
    if in_namespace && mount_tmpfs(folder).is_ok() {
        name(folder);
        return Ok(None);
    }
    let made = mkdtemp(&std::env::temp_dir().join("callbench-XXXXXX"))?;
    name(made.as_os_str());
    Ok(Some(Folder(made)))
}

/// Mounts the file system in a mount namespace of this process. Other processes do not see it, and it ends with the last process inside.
fn mount_tmpfs(folder: &OsStr) -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>)?;
    mount(Some("callbench"), folder, Some("tmpfs"), MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=700"))
}

fn name(folder: &OsStr) {
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var(VARIABLE, folder) };
}
