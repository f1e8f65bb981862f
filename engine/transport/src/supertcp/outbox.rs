//! What one side of a connection sends, and its pending acknowledgements.
//!
//! An acknowledgement is sent with the next package. If none follows soon, the timer thread sends it separately. There is one such thread for the
//! whole process. It checks every outbox four times a second, so a call never sets a timer. It also sends pings on quiet connections.

use std::io::{self, IoSlice, Write};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::Duration;

use callbench_contract::Failure;

use super::super::line::{Patience, closed};
use super::super::stream::Socket;
use super::package::{Header, Kind};

const TICK: Duration = Duration::from_millis(250);
/// Ticks without a package until a ping: 15 s.
const QUIET: u32 = 60;

pub struct Outbox {
    stream: Socket,
    /// The kernel's timeout for a write; zero: none.
    slice: Duration,
    pings: bool,
    owed: Vec<u32>,
    /// Whether what is owed was owed at the last tick already.
    aged: bool,
    quiet: u32,
}

pub type Shared = Arc<Mutex<Outbox>>;

/// All outboxes, and whether the timer thread runs.
static OUTBOXES: Mutex<(Vec<Weak<Mutex<Outbox>>>, bool)> = Mutex::new((Vec::new(), false));

impl Outbox {
    /// Creates an outbox and registers it with the timer thread. The side that `pings` keeps a quiet connection alive.
    pub fn open(stream: Socket, slice: Duration, pings: bool) -> Result<Shared, Failure> {
        let outbox = Arc::new(Mutex::new(Outbox { stream, slice, pings, owed: Vec::new(), aged: false, quiet: 0 }));
        let mut outboxes = OUTBOXES.lock().unwrap_or_else(PoisonError::into_inner);
        outboxes.0.push(Arc::downgrade(&outbox));
        if !outboxes.1 {
            thread::Builder::new().name("outbox-timer".to_owned()).spawn(run_timer)?;
            outboxes.1 = true;
        }
        Ok(outbox)
    }

    /// Ends the connection in both directions.
    pub fn shut(&self) {
        let _ = nix::sys::socket::shutdown(self.stream.0.as_raw_fd(), nix::sys::socket::Shutdown::Both);
    }

    pub fn owe(&mut self, id: u32) {
        self.owed.push(id);
    }

    /// Sends a package, and with it every acknowledgement owed.
    pub fn send(&mut self, kind: Kind, wants: bool, id: u32, body: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        let header = Header { length: body.len(), kind, acknowledged: self.owed.pop(), wants, id }.encode();
        (self.aged, self.quiet) = (false, 0);
        if self.owed.is_empty() {
            return self.write(&mut [IoSlice::new(&header), IoSlice::new(body)], patience);
        }
        let rest: Vec<u8> = self.owed.drain(..).flat_map(u32::to_le_bytes).collect();
        let alone = Header { length: rest.len(), kind: Kind::Acknowledgement, acknowledged: None, wants: false, id: 0 }.encode();
        self.write(&mut [IoSlice::new(&alone), IoSlice::new(&rest), IoSlice::new(&header), IoSlice::new(body)], patience)
    }

    fn write(&mut self, mut parts: &mut [IoSlice<'_>], patience: &mut Patience) -> Result<(), Failure> {
        while !parts.is_empty() {
            match self.stream.write_vectored(parts) {
                Ok(0) => return Err(closed()),
                Ok(count) => IoSlice::advance_slices(&mut parts, count),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => patience.wasted(self.slice)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(closed()),
            }
        }
        Ok(())
    }

    fn tick(&mut self) {
        self.quiet += 1;
        // A connection that fails here fails its next call too, which is the one to say so.
        if self.aged && !self.owed.is_empty() {
            let _ = self.send(Kind::Acknowledgement, false, 0, &[], &mut Patience::of(TICK));
        } else if self.pings && self.quiet >= QUIET {
            let _ = self.send(Kind::Ping, false, 0, &[], &mut Patience::of(TICK));
        }
        self.aged = !self.owed.is_empty();
    }
}

pub fn lock(outbox: &Shared) -> MutexGuard<'_, Outbox> {
    outbox.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The timer thread. It ends when no outbox is left.
fn run_timer() {
    loop {
        thread::sleep(TICK);
        let mut outboxes = OUTBOXES.lock().unwrap_or_else(PoisonError::into_inner);
        outboxes.0.retain(|outbox| outbox.strong_count() > 0);
        if outboxes.0.is_empty() {
            outboxes.1 = false;
            return;
        }
        let all: Vec<_> = outboxes.0.iter().filter_map(Weak::upgrade).collect();
        drop(outboxes);
        for outbox in all {
            // A locked outbox is sending a package, which includes the acknowledgements.
            match outbox.try_lock() {
                Ok(mut outbox) => outbox.tick(),
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().tick(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
    }
}
