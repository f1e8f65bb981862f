//! Network namespaces without a name: each is held by an open descriptor of this process and by whoever runs inside, so it ends with them.

use std::fs::{self, File};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getegid, geteuid};

use crate::failure::{Failure, Kind, Result};

/// Makes this process able to make network namespaces: as it is where it is privileged, else in a user namespace of its own.
///
/// To be called while the process has one thread. Returns whether a user namespace had to be made.
pub fn become_able() -> Result<bool> {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => return Ok(false),
        Err(Errno::EPERM) => {}
        Err(error) => return Err(refused(error)),
    }
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).map_err(refused)?;
    // Without the maps an adapter inside would run as nobody.
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
    /// Makes one with nothing in it but lo, and silent: IPv6 would talk unasked.
    ///
    /// The calling thread is in it afterwards.
    pub fn make() -> Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET).map_err(refused)?;
        // A container may have /proc/sys read-only: the cable then keeps IPv6 from talking by having no address of it.
        for which in ["all", "default"] {
            let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6"), "1");
        }
        Ok(Namespace { file: current()? })
    }

    /// Moves the calling thread into it.
    pub fn enter(&self) -> Result<()> {
        setns(self.file.as_fd(), CloneFlags::CLONE_NEWNET).map_err(|error| Failure::kernel("cannot enter a network namespace", error))
    }

    /// Where others of the same user find it while this process lives.
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

/// Where the user namespace of this process is found, for those who must enter it first.
pub fn user_path() -> String {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| format!("/proc/{}/ns/user", std::process::id())).clone()
}
