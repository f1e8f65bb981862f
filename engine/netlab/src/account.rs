//! The account of a pair's cable: a thread takes frames as they come, marks split them into phases.
//!
//! A mark first takes every frame that has come: what the sides have done before they said so is on its side of the mark. It can wait for
//! what comes by itself (acknowledgements, the end of connections): until everything sent is acknowledged, and nothing came for a while.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::IpAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use callbench_ledger::{Account, Ledger, Link, Phase, pcap};
use serde::Deserialize;

use crate::failure::{Failure, Kind, Result};
use crate::tap::{self, Tap};

/// How long the thread sleeps at most before it looks whether it is still wanted.
const BREATH: Duration = Duration::from_millis(50);
const LONGEST: u32 = 1 << 18;

/// What a mark waits for.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Settling {
    /// No frame for so long.
    #[serde(default)]
    pub quiet_ms: u64,
    /// Every connection is closed.
    #[serde(default)]
    pub closed: bool,
    /// At most so long, in all.
    #[serde(default)]
    pub within_ms: u64,
}

/// A capture that is kept.
struct Kept {
    writer: pcap::Writer<BufWriter<File>>,
    path: String,
}

struct Books {
    tap: Tap,
    ledger: Ledger,
    kept: Option<Kept>,
    /// Why the capture ends before its time, or an account cannot be trusted.
    trouble: Option<String>,
    last: Instant,
}

impl Books {
    fn take(&mut self) {
        let Books { tap, ledger, kept, trouble, last } = self;
        let took = tap.drain(|at_ns, frame, wire_bytes| {
            ledger.frame(at_ns, Link::Ethernet, frame, wire_bytes);
            if let Some(file) = kept
                && let Err(error) = file.writer.frame(at_ns, frame, wire_bytes)
            {
                *trouble = Some(format!("{} holds only the beginning: {error}", file.path));
                *kept = None;
            }
        });
        match took {
            Ok(0) => {}
            Ok(_) => *last = Instant::now(),
            Err(failure) => *trouble = Some(failure.message),
        }
    }
}

/// An account under way.
pub struct Accounting {
    books: Arc<Mutex<Books>>,
    socket: OwnedFd,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Accounting {
    /// Begins at an interface of the namespace that the calling thread is in.
    pub fn begin(interface: &str, client: IpAddr, phase: &str, keep: Option<&Path>) -> Result<Self> {
        let tap = Tap::open(interface)?;
        let kept = keep.map(kept).transpose()?;
        let socket = tap.as_fd().try_clone_to_owned().map_err(|error| Failure::io("cannot listen twice", &error))?;
        let listening = socket.try_clone().map_err(|error| Failure::io("cannot listen twice", &error))?;
        let books = Books { tap, ledger: Ledger::new(Some(client), phase), kept, trouble: None, last: Instant::now() };
        let (books, over) = (Arc::new(Mutex::new(books)), Arc::new(AtomicBool::new(false)));
        let (theirs, ended) = (Arc::clone(&books), Arc::clone(&over));
        let thread = thread::Builder::new()
            .name("account".to_owned())
            .spawn(move || {
                while !ended.load(Ordering::Acquire) && tap::wait(listening.as_fd(), BREATH).is_ok() {
                    lock(&theirs).take();
                }
            })
            .map_err(|error| Failure::io("cannot start a thread", &error))?;
        Ok(Accounting { books, socket, over, thread: Some(thread) })
    }

    /// Ends the phase under way, after waiting as asked. Returns it, and whether what was waited for came.
    #[must_use]
    pub fn mark(&self, next: &str, settling: Settling) -> (Phase, bool) {
        let until = Instant::now() + Duration::from_millis(settling.within_ms);
        let quiet = Duration::from_millis(settling.quiet_ms);
        loop {
            let mut books = lock(&self.books);
            books.take();
            let since = books.last.elapsed();
            let settled = books.ledger.settled() && (!settling.closed || books.ledger.open() == 0);
            if (settled && since >= quiet) || Instant::now() >= until {
                return (books.ledger.mark(next).clone(), settled && since >= quiet);
            }
            drop(books);
            let pause = if settled { quiet.saturating_sub(since) } else { BREATH };
            // An error here ends no account: the loop then only looks more often.
            let _ = tap::wait(self.socket.as_fd(), pause.min(BREATH));
        }
    }

    /// Ends it. Returns the account, frames lost, and what went wrong.
    pub fn end(mut self) -> Result<(Account, u64, Option<String>)> {
        self.join();
        let mut books = lock(&self.books);
        books.take();
        if let Some(mut kept) = books.kept.take()
            && let Err(error) = kept.writer.flush()
        {
            books.trouble = Some(format!("{} holds only the beginning: {error}", kept.path));
        }
        let lost = books.tap.lost()?;
        Ok((books.ledger.close(), lost, books.trouble.take()))
    }

    fn join(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has left the books as they were.
            let _ = thread.join();
        }
    }
}

impl Drop for Accounting {
    fn drop(&mut self) {
        self.join();
    }
}

fn lock(books: &Mutex<Books>) -> MutexGuard<'_, Books> {
    books.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kept(path: &Path) -> Result<Kept> {
    let open = || -> std::io::Result<_> {
        let mut file = BufWriter::new(File::create(path)?);
        file.flush()?;
        pcap::Writer::new(file, LONGEST)
    };
    let path = path.display().to_string();
    let writer = open().map_err(|error| Failure::new(Kind::File, format!("the capture {path} cannot be written: {error}")))?;
    Ok(Kept { writer, path })
}
