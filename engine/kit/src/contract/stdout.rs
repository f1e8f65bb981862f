//! Reserves the real stdout for the contract. Standard output of this process is redirected to stderr, because libraries print.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;

/// The real stdout. Child processes do not inherit it.
#[cfg(unix)]
pub(super) fn keep() -> io::Result<File> {
    let kept = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both descriptors are open, and no object owns descriptor 1: std's stdout only writes to it.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(kept))
}

/// The real stdout. Child processes do not inherit it.
#[cfg(windows)]
pub(super) fn keep() -> io::Result<File> {
    use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle};
    let kept = io::stdout().as_handle().try_clone_to_owned()?;
    // SAFETY: both are handles of this process. std looks them up at each write.
    if unsafe { SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE)) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(kept))
}
