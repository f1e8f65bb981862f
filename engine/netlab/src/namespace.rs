//! Network namespaces without a name. An open descriptor of this process and the processes inside keep each alive.

use std::fs::{self, File};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getegid, geteuid};

use crate::failure::{Failure, Kind, Result};

/// Gives this process the right to create network namespaces. If it is not privileged, it enters its own user namespace.
///
/// It must be called while the process has one thread. Returns whether a user namespace was created.
pub fn gain_privileges() -> Result<bool> {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => return Ok(false),
        Err(Errno::EPERM) => {}
        Err(error) => return Err(refused(error)),
    }
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).map_err(refused)?;
    // Without these maps, an adapter inside would run as the user nobody.
    fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")))
        .map_err(|error| {
            Failure::new(
                Kind::NoNamespaces,
                format!(
                    "this kernel makes a user namespace and does not let its users be written ({error}), so two hosts need root: \
                     kernel.apparmor_restrict_unprivileged_userns=0 would allow it"
                ),
            )
        })?;
    Ok(true)
}

fn refused(error: Errno) -> Failure {
    let why = match error {
        Errno::EPERM if geteuid().is_root() => {
            "root here has no CAP_SYS_ADMIN and may make no user namespace, as in a container without privileges: start the container \
             with --cap-add SYS_ADMIN --cap-add NET_ADMIN --cap-add NET_RAW, or with a profile that allows user namespaces"
        }
        Errno::EPERM | Errno::EACCES => {
            "you are not root and this kernel lets users make no namespaces: sysctl kernel.unprivileged_userns_clone=1, \
             or run Callbench as root"
        }
        Errno::ENOSPC | Errno::EUSERS => {
            "as many namespaces exist as this kernel allows: raise the sysctls user.max_net_namespaces and user.max_user_namespaces"
        }
        Errno::EINVAL | Errno::ENOSYS => "this kernel is built without network namespaces (CONFIG_NET_NS, CONFIG_USER_NS)",
        _ => "the kernel refuses a network namespace",
    };
    Failure::new(Kind::NoNamespaces, format!("two hosts cannot be made: {why} ({})", error.desc()))
}

/// One network namespace.
#[derive(Debug)]
pub struct Namespace {
    file: File,
}

impl Namespace {
    /// Creates one with only lo and without IPv6, which would send packets by itself.
    ///
    /// The calling thread is in it afterwards.
    pub fn make() -> Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET).map_err(refused)?;
        // A container may have a read-only /proc/sys. Then the cable has no IPv6 address, which has the same effect.
        for which in ["all", "default"] {
            let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6"), "1");
        }
        Ok(Namespace { file: current()? })
    }

    /// Moves the calling thread into it.
    pub fn enter(&self) -> Result<()> {
        setns(self.file.as_fd(), CloneFlags::CLONE_NEWNET).map_err(|error| Failure::kernel("cannot enter a network namespace", error))
    }

    /// A path with which other processes of the same user can open it while this process lives.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn current() -> Result<File> {
    File::open("/proc/thread-self/ns/net").map_err(|error| Failure::io("cannot hold a network namespace", &error))
}

/// The path of the user namespace of this process. Others must enter it first.
pub fn user_path() -> String {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| format!("/proc/{}/ns/user", std::process::id())).clone()
}
