//! Keeps the real stdout for the contract and points file descriptor 1 at stderr, since libraries print.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

/// The real stdout. Children do not inherit it.
pub(super) fn keep() -> io::Result<File> {
    let kept = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both descriptors are open, and nothing has taken 1 for its own: std's stdout only writes to it.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(kept))
}
