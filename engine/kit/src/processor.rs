//! Processor time of the whole process.

use serde::Serialize;

/// CPU of the contract: nanoseconds spent in user and in system mode since the process began, as decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    pub user_ns: String,
    pub system_ns: String,
}

/// What the process has used so far, all its threads together.
#[must_use]
#[cfg(unix)]
pub fn usage() -> Usage {
    // SAFETY: a rusage of zeros is a valid one, and the pointer to it is alive during the call.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut used);
        used
    };
    let nanoseconds = |time: libc::timeval| (time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000).to_string();
    Usage { user_ns: nanoseconds(used.ru_utime), system_ns: nanoseconds(used.ru_stime) }
}

/// What the process has used so far, all its threads together.
#[must_use]
#[cfg(windows)]
pub fn usage() -> Usage {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

    use crate::clock::nanoseconds;
    let mut times = [FILETIME::default(); 4];
    let [created, ended, system, user] = &mut times;
    // SAFETY: four pointers to times that are alive during the call; the handle is the process's own and needs no closing.
    unsafe { GetProcessTimes(GetCurrentProcess(), created, ended, system, user) };
    Usage { user_ns: nanoseconds(times[3]).to_string(), system_ns: nanoseconds(times[2]).to_string() }
}
