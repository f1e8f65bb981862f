//! The link emulator: moves real frames between two interfaces, late, slowly, or not at all, as a profile says.

pub mod carried;
pub mod lane;
mod pause;
pub mod profile;
mod queue;
mod wire;

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use nix::sys::eventfd::{EfdFlags, EventFd};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::packet;
use lane::Lane;
use profile::Link;

/// What became of the frames of one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Frames of the line that came in, and their octets.
    pub frames: u64,
    pub octets: u64,
    /// Frames of the line that left, copies apart, and their octets.
    pub left: u64,
    pub left_octets: u64,
    /// Lost as the profile asks.
    pub lost: u64,
    /// Turned away by a full queue.
    pub overflowed: u64,
    /// Sent a second time.
    pub copies: u64,
    /// Held back so that others overtook them.
    pub held_back: u64,
    /// Never seen by the emulator, or refused by the kernel on the way out: it was too slow, and the link is worse than asked.
    pub missed: u64,
}

/// A running emulator; it ends when dropped.
pub struct Emulator {
    lanes: [Running; 2],
    /// The sockets that the lanes hear, and what the kernel has dropped before them.
    ears: [(Arc<OwnedFd>, u64); 2],
}

struct Running {
    tally: Arc<Mutex<Tally>>,
    ending: Arc<AtomicBool>,
    bell: Arc<EventFd>,
    thread: Option<JoinHandle<()>>,
}

impl Emulator {
    /// Begins to move frames between two interfaces of this thread's namespace: `left` is the client's, `right` the server's.
    pub fn start(left: &str, right: &str, link: &Link, mtu: u32) -> Result<Self> {
        // Ethernet's header and one tag before what the MTU counts.
        let longest = link.grain(mtu).is_none().then_some(mtu as usize + 18);
        let (left, right) = (Arc::new(open(left)?), Arc::new(open(right)?));
        let to_server = Running::start((Arc::clone(&left), Arc::clone(&right)), Lane::new(link.to_server, link.seed), longest)?;
        let ears = [(Arc::clone(&left), 0), (Arc::clone(&right), 0)];
        // Another seed: with the same one, what is lost there would be lost back too.
        let to_client = Running::start((right, left), Lane::new(link.to_client, link.seed.wrapping_add(1)), longest)?;
        Ok(Emulator { lanes: [to_server, to_client], ears })
    }

    /// What became of the frames: to the server, to the client.
    pub fn tallies(&mut self) -> Result<[Tally; 2]> {
        let mut tallies = [&self.lanes[0], &self.lanes[1]].map(|it| *it.tally.lock().unwrap_or_else(PoisonError::into_inner));
        for (tally, (ear, unheard)) in tallies.iter_mut().zip(&mut self.ears) {
            *unheard += packet::statistics(ear)?.1;
            tally.missed += *unheard;
        }
        Ok(tallies)
    }
}

impl Running {
    fn start(ends: (Arc<OwnedFd>, Arc<OwnedFd>), lane: Lane, longest: Option<usize>) -> Result<Self> {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let ending = Arc::new(AtomicBool::new(false));
        let bell = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)
            .map_err(|error| Failure::kernel("cannot make an event", error))?;
        let bell = Arc::new(bell);
        let mut wire = wire::Wire::new(ends, Arc::clone(&bell), lane, Arc::clone(&tally), longest);
        let told = Arc::clone(&ending);
        let thread = thread::Builder::new()
            .name("emulator".to_owned())
            .spawn(move || wire.run(&told))
            .map_err(|error| Failure::io("cannot start a thread", &error))?;
        Ok(Running { tally, ending, bell, thread: Some(thread) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        let _ = self.bell.write(1);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A packet socket on an interface that hears what arrives there and not what we send, with room for bursts.
fn open(interface: &str) -> Result<OwnedFd> {
    const ROOM: libc::c_int = 64 << 20;
    let socket = packet::socket()?;
    packet::set(&socket, libc::PACKET_IGNORE_OUTGOING, &1_i32)?;
    packet::set(&socket, libc::PACKET_VNET_HDR, &1_i32)?;
    // Only the root of the whole machine may exceed the limit; others get what the limit allows.
    for (forced, plain) in [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF)] {
        if packet::set_at(&socket, libc::SOL_SOCKET, forced, &ROOM).is_err() {
            packet::set_at(&socket, libc::SOL_SOCKET, plain, &ROOM).map_err(|error| Failure::kernel("cannot set up a socket", error))?;
        }
    }
    packet::set_at(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1_i32)
        .map_err(|error| Failure::kernel("cannot ask for the time of arrival", error))?;
    packet::bind(&socket, interface)?;
    Ok(socket)
}
