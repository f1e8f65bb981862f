//! The processor time of the whole process.

pub use callbench_contract::endpoint::Usage;

/// The processor time of all threads so far.
#[must_use]
#[cfg(unix)]
pub fn usage() -> Usage {
    // SAFETY: a rusage of zeros is valid, and the pointer to it is alive during the call.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut used);
        used
    };
    let nanoseconds = |time: libc::timeval| (time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000).to_string();
    Usage { user_ns: nanoseconds(used.ru_utime), system_ns: nanoseconds(used.ru_stime) }
}

/// The processor time of all threads so far, and of the included processes.
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

    /// The included processes, and the times of those that were dropped.
    static INCLUDED: Mutex<(Vec<(usize, OwnedHandle)>, Times)> = Mutex::new((Vec::new(), [0; 2]));

    /// Adds the processor time of another process to that of this one. It is for adapters whose server is a separate process. The time used until
    /// this is dropped stays counted.
    pub struct Included(usize);

    impl Included {
        /// Includes the process.
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
        // SAFETY: it returns a pseudo handle of this process that needs no closing.
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
