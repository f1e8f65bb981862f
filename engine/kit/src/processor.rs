//! Processor time of the whole process.

use serde::{Deserialize, Serialize};

/// CPU of the contract: nanoseconds spent in user and in system mode since the process began, as decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
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

/// What the process has used so far, all its threads together, and the processes that it answers by.
#[must_use]
#[cfg(windows)]
pub fn usage() -> Usage {
    others::usage()
}

#[cfg(windows)]
pub use others::Included;

#[cfg(windows)]
mod others {
    use std::os::windows::io::{AsRawHandle, BorrowedHandle, OwnedHandle, RawHandle};
    use std::sync::{Mutex, PoisonError};

    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

    use super::Usage;
    use crate::clock::nanoseconds;

    /// User and system time in nanoseconds.
    type Times = [u64; 2];

    /// The processes included, and the times of those that were.
    static INCLUDED: Mutex<(Vec<(usize, OwnedHandle)>, Times)> = Mutex::new((Vec::new(), [0; 2]));

    /// Counts the processor time of another process as this one's, for one that plays both sides by a process of its own. What that process
    /// had used when this is dropped stays counted.
    pub struct Included(usize);

    impl Included {
        /// The other process.
        pub fn new(process: BorrowedHandle<'_>) -> std::io::Result<Self> {
            let handle = process.try_clone_to_owned()?;
            let number = handle.as_raw_handle() as usize;
            INCLUDED.lock().unwrap_or_else(PoisonError::into_inner).0.push((number, handle));
            Ok(Included(number))
        }
    }

    impl Drop for Included {
        fn drop(&mut self) {
            let mut included = INCLUDED.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = included.0.iter().position(|(number, _)| *number == self.0) {
                let (_, handle) = included.0.swap_remove(place);
                included.1 = sum(included.1, times(handle.as_raw_handle()));
            }
        }
    }

    pub(super) fn usage() -> Usage {
        let included = INCLUDED.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: it gives a handle that stands for this process and needs no closing.
        let own = times(unsafe { GetCurrentProcess() });
        let others = included.0.iter().map(|(_, handle)| times(handle.as_raw_handle()));
        let [user, system] = others.fold(sum(own, included.1), sum);
        Usage { user_ns: user.to_string(), system_ns: system.to_string() }
    }

    fn sum(one: Times, other: Times) -> Times {
        [one[0] + other[0], one[1] + other[1]]
    }

    fn times(process: RawHandle) -> Times {
        let mut times = [FILETIME::default(); 4];
        let [created, ended, system, user] = &mut times;
        // SAFETY: four pointers to times that are alive during the call; the handle is open.
        unsafe { GetProcessTimes(process, created, ended, system, user) };
        [nanoseconds(times[3]), nanoseconds(times[2])]
    }
}
