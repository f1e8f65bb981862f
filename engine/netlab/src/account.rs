//! The account of a pair's cable: a thread counts frames as they arrive, and marks divide them into phases.
//!
//! A mark first counts every frame that has arrived, so everything the sides did before belongs to the phase before the mark. It can wait for
//! acknowledgements and the end of connections: until everything that was sent is acknowledged, and no frame arrived for some time.

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

/// The longest sleep of the thread before it checks whether it must end.
const MAX_SLEEP: Duration = Duration::from_millis(50);
const LONGEST: u32 = 1 << 18;

/// What a mark waits for.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Settling {
    /// No frame for this time.
    #[serde(default)]
    pub quiet_ms: u64,
    /// Every connection is closed.
    #[serde(default)]
    pub closed: bool,
    /// The limit of the whole wait.
    #[serde(default)]
    pub within_ms: u64,
}

/// A capture file.
struct CaptureFile {
    writer: pcap::Writer<BufWriter<File>>,
    path: String,
}

struct Recorder {
    tap: Tap,
    ledger: Ledger,
    kept: Option<CaptureFile>,
    /// Why the capture file is incomplete, or the account cannot be trusted.
    trouble: Option<String>,
    last: Instant,
}

impl Recorder {
    fn take(&mut self) {
        let Recorder { tap, ledger, kept, trouble, last } = self;
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

/// A running account.
pub struct Accounting {
    recorder: Arc<Mutex<Recorder>>,
    socket: OwnedFd,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Accounting {
    /// Begins at an interface of the calling thread's namespace.
    pub fn begin(interface: &str, client: IpAddr, phase: &str, keep: Option<&Path>) -> Result<Self> {
        let tap = Tap::open(interface)?;
        let kept = keep.map(kept).transpose()?;
        let socket = tap.as_fd().try_clone_to_owned().map_err(|error| Failure::io("cannot listen twice", &error))?;
        let listening = socket.try_clone().map_err(|error| Failure::io("cannot listen twice", &error))?;
        let recorder = Recorder { tap, ledger: Ledger::new(Some(client), phase), kept, trouble: None, last: Instant::now() };
        let (recorder, over) = (Arc::new(Mutex::new(recorder)), Arc::new(AtomicBool::new(false)));
        let (recorder_of_thread, ended) = (Arc::clone(&recorder), Arc::clone(&over));
        let thread = thread::Builder::new()
            .name("account".to_owned())
            .spawn(move || {
                while !ended.load(Ordering::Acquire) && tap::wait(listening.as_fd(), MAX_SLEEP).is_ok() {
                    lock(&recorder_of_thread).take();
                }
            })
            .map_err(|error| Failure::io("cannot start a thread", &error))?;
        Ok(Accounting { recorder, socket, over, thread: Some(thread) })
    }

    /// Ends the current phase after the requested wait. Returns the phase, and whether the wait was successful.
    #[must_use]
    pub fn mark(&self, next: &str, settling: Settling) -> (Phase, bool) {
        let until = Instant::now() + Duration::from_millis(settling.within_ms);
        let quiet = Duration::from_millis(settling.quiet_ms);
        loop {
            let mut recorder = lock(&self.recorder);
            recorder.take();
            let since = recorder.last.elapsed();
            let settled = recorder.ledger.settled() && (!settling.closed || recorder.ledger.open() == 0);
            if (settled && since >= quiet) || Instant::now() >= until {
                return (recorder.ledger.mark(next).clone(), settled && since >= quiet);
            }
            drop(recorder);
            let pause = if settled { quiet.saturating_sub(since) } else { MAX_SLEEP };
            // An error does not end the account. The loop then only checks more often.
            let _ = tap::wait(self.socket.as_fd(), pause.min(MAX_SLEEP));
        }
    }

    /// Ends the account. Returns it, the number of lost frames, and what went wrong.
    pub fn end(mut self) -> Result<(Account, u64, Option<String>)> {
        self.join();
        let mut recorder = lock(&self.recorder);
        recorder.take();
        if let Some(mut kept) = recorder.kept.take()
            && let Err(error) = kept.writer.flush()
        {
            recorder.trouble = Some(format!("{} holds only the beginning: {error}", kept.path));
        }
        let lost = recorder.tap.lost()?;
        Ok((recorder.ledger.close(), lost, recorder.trouble.take()))
    }

    fn join(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // If the thread panicked, its counts are still valid.
            let _ = thread.join();
        }
    }
}

impl Drop for Accounting {
    fn drop(&mut self) {
        self.join();
    }
}

fn lock(recorder: &Mutex<Recorder>) -> MutexGuard<'_, Recorder> {
    recorder.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kept(path: &Path) -> Result<CaptureFile> {
    let open = || -> std::io::Result<_> {
        let mut file = BufWriter::new(File::create(path)?);
        file.flush()?;
        pcap::Writer::new(file, LONGEST)
    };
    let path = path.display().to_string();
    let writer = open().map_err(|error| Failure::new(Kind::File, format!("the capture {path} cannot be written: {error}")))?;
    Ok(CaptureFile { writer, path })
}
