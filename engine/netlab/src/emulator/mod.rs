//! The link emulator: moves real frames between two interfaces, with the delays, rates and losses of a profile.

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

/// The counts of one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LinkCounts {
    /// Frames of the line that arrived, and their bytes.
    pub frames: u64,
    pub bytes: u64,
    /// Frames of the line that left, without copies, and their bytes.
    pub left: u64,
    pub left_bytes: u64,
    /// Lost, as the profile requires.
    pub lost: u64,
    /// Dropped because the queue was full.
    pub overflowed: u64,
    /// Sent a second time.
    pub copies: u64,
    /// Held back, so that later frames overtook them.
    pub held_back: u64,
    /// Never received by the emulator, or refused by the kernel when sent: the emulator was too slow, so the link is worse than requested.
    pub missed: u64,
}

/// A running emulator. It ends on drop.
pub struct Emulator {
    lanes: [Running; 2],
    /// The receiving sockets of the lanes, and how many frames the kernel has dropped before them. It does not say so of a tunnel.
    sockets: [(Arc<OwnedFd>, u64); 2],
}

struct Running {
    link_counts: Arc<Mutex<LinkCounts>>,
    ending: Arc<AtomicBool>,
    bell: Arc<EventFd>,
    thread: Option<JoinHandle<()>>,
}

impl Emulator {
    /// Starts to move frames between two interfaces of this thread's namespace: `left` is the client's, `right` the server's.
    pub fn start(left: &str, right: &str, link: &Link, mtu: u32) -> Result<Self> {
        // The MTU does not include Ethernet's header and one tag.
        let longest = link.grain(mtu).is_none().then_some(mtu as usize + 18);
        Self::between([Arc::new(open(left)?), Arc::new(open(right)?)], link, longest)
    }

    /// Starts to move frames between two sockets, the client's and the server's.
    pub fn between(ends: [Arc<OwnedFd>; 2], link: &Link, longest: Option<usize>) -> Result<Self> {
        let [left, right] = ends;
        let to_server = Running::start((Arc::clone(&left), Arc::clone(&right)), Lane::new(link.to_server, link.seed), longest)?;
        let sockets = [(Arc::clone(&left), 0), (Arc::clone(&right), 0)];
        // A different seed for each direction. With the same seed, the same frames would be lost in both directions.
        let to_client = Running::start((right, left), Lane::new(link.to_client, link.seed.wrapping_add(1)), longest)?;
        Ok(Emulator { lanes: [to_server, to_client], sockets })
    }

    /// The counts of the frames to the server and to the client.
    pub fn counts(&mut self) -> Result<[LinkCounts; 2]> {
        let mut counts = [&self.lanes[0], &self.lanes[1]].map(|it| *it.link_counts.lock().unwrap_or_else(PoisonError::into_inner));
        for (link_counts, (ear, unheard)) in counts.iter_mut().zip(&mut self.sockets) {
            *unheard += packet::statistics(ear).map_or(0, |(_, dropped)| dropped);
            link_counts.missed += *unheard;
        }
        Ok(counts)
    }
}

impl Running {
    fn start(ends: (Arc<OwnedFd>, Arc<OwnedFd>), lane: Lane, longest: Option<usize>) -> Result<Self> {
        let link_counts = Arc::new(Mutex::new(LinkCounts::default()));
        let ending = Arc::new(AtomicBool::new(false));
        let bell = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)
            .map_err(|error| Failure::kernel("cannot make an event", error))?;
        let bell = Arc::new(bell);
        let mut wire = wire::Wire::new(ends, Arc::clone(&bell), lane, Arc::clone(&link_counts), longest);
        let thread_ending = Arc::clone(&ending);
        let thread = thread::Builder::new()
            .name("emulator".to_owned())
            .spawn(move || wire.run(&thread_ending))
            .map_err(|error| Failure::io("cannot start a thread", &error))?;
        Ok(Running { link_counts, ending, bell, thread: Some(thread) })
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

/// A packet socket that receives arriving frames of an interface but not sent ones, with a large buffer.
pub fn open(interface: &str) -> Result<OwnedFd> {
    let socket = packet::socket()?;
    packet::set(&socket, libc::PACKET_IGNORE_OUTGOING, &1_i32)?;
    packet::set(&socket, libc::PACKET_VNET_HDR, &1_i32)?;
    prepare(&socket)?;
    packet::bind(&socket, interface)?;
    Ok(socket)
}

/// Gives a socket large buffers, and has it say when each frame arrived.
pub fn prepare(socket: &OwnedFd) -> Result<()> {
    const ROOM: libc::c_int = 64 << 20;
    // Only the root of the whole machine may exceed the limit. Others get the limit.
    for (forced, plain) in [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF)] {
        if packet::set_at(socket, libc::SOL_SOCKET, forced, &ROOM).is_err() {
            packet::set_at(socket, libc::SOL_SOCKET, plain, &ROOM).map_err(|error| Failure::kernel("cannot set up a socket", error))?;
        }
    }
    packet::set_at(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1_i32)
        .map_err(|error| Failure::kernel("cannot ask for the time of arrival", error))
}
