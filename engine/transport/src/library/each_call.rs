//! The option `keep_loaded = false`: the library is loaded for each call and unloaded after it, as with the vendor's `KeepDLLLoaded`.
//!
//! A copy is loaded, because otherwise the library of other clients would stay in memory, and loading would only increase a counter. The library
//! receives `once`, so that it leaves no thread-local memory that would keep it loaded. A compressed body does: zlib's state belongs to the thread,
//! and the library is unloaded when the thread ends.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use callbench_contract::Failure;

use super::super::Connection;
use super::super::inproc::{ticks, within};
use super::{ask, opened, place};

/// What `serve` was given, for libraries that come and go.
static OPTIONS: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The counts of unloaded copies.
static COUNTED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Takes the options of a new server, whose counts begin at 0.
pub fn serve(options: &[u8]) {
    options.clone_into(&mut OPTIONS.lock().unwrap_or_else(PoisonError::into_inner));
    counted();
}

/// The calls counted since the last request.
pub fn counted() -> BTreeMap<String, u64> {
    std::mem::take(&mut *COUNTED.lock().unwrap_or_else(PoisonError::into_inner))
}

pub struct EachCall {
    copy: Duplicate,
    options: Vec<u8>,
    message: CString,
    timeout: Duration,
    answer: Vec<u8>,
}

impl EachCall {
    pub fn new(message: CString, timeout: Duration) -> Result<Self, Failure> {
        let options = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(EachCall { copy: Duplicate::of(&std::fs::read(place()?)?)?, options, message, timeout, answer: Vec::new() })
    }
}

impl Connection for EachCall {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        let started = ticks();
        let (library, call) = opened(self.copy.path())?;
        let mut said = Vec::new();
        ask(call, &c"once".to_owned(), &[], &mut said)?;
        ask(call, &c"options".to_owned(), &self.options, &mut said)?;
        let answered = ask(call, &self.message, request, &mut self.answer);
        ask(call, &c"counted".to_owned(), &[], &mut said)?;
        library.close().map_err(|error| Failure::protocol(format!("the library cannot be unloaded: {error}")))?;
        let counts: BTreeMap<String, u64> = serde_json::from_slice(&said).map_err(Failure::protocol)?;
        let mut every = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, count) in counts {
            *every.entry(name).or_default() += count;
        }
        drop(every);
        answered?;
        within(self.timeout, started)?;
        Ok(&self.answer)
    }

    fn connections(&self) -> usize {
        0
    }
}

/// A copy of the library that goes with its client: in memory, where the system has files there.
#[cfg(unix)]
struct Duplicate {
    _file: std::fs::File,
    path: std::path::PathBuf,
}

#[cfg(unix)]
impl Duplicate {
    fn of(octets: &[u8]) -> Result<Self, Failure> {
        use std::io::Write;
        use std::os::fd::AsRawFd;
        let file = nix::sys::memfd::memfd_create(super::FILE, nix::sys::memfd::MFdFlags::MFD_CLOEXEC).map_err(std::io::Error::from)?;
        let mut file = std::fs::File::from(file);
        file.write_all(octets)?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd()).into();
        Ok(Duplicate { _file: file, path })
    }

    fn path(&self) -> &std::path::Path {
        &self.path
    }
}

#[cfg(windows)]
struct Duplicate(std::path::PathBuf);

#[cfg(windows)]
impl Duplicate {
    fn of(octets: &[u8]) -> Result<Self, Failure> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("callbench-{}-{}.dll", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, octets)?;
        Ok(Duplicate(path))
    }

    fn path(&self) -> &std::path::Path {
        &self.0
    }
}

#[cfg(windows)]
impl Drop for Duplicate {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
