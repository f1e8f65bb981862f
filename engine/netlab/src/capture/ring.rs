//! A ring of blocks shared with the kernel (packet(7), `TPACKET_V3`). The kernel writes frames while this process reads, without a system call per
//! frame.

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

use super::Frame;
use crate::failure::{Failure, Result};
use crate::packet;

/// 64 blocks of 1 MiB are enough for 200,000 packets per second, even if a busy machine delays the reader.
const BLOCK: usize = 1 << 20;
const BLOCKS: usize = 64;
/// The minimum size of a frame's slot. Frames can be as long as a block.
const SLOT: usize = 1 << 11;
/// A block that is not full is passed on after this time in milliseconds.
const RETIRE_MS: u32 = 4;

pub struct Ring {
    socket: OwnedFd,
    map: NonNull<u8>,
    next: usize,
}

// SAFETY: the mapping is this ring's alone, and moves with it.
unsafe impl Send for Ring {}

impl Ring {
    /// A ring on an interface of this thread's namespace.
    pub fn open(interface: &str) -> Result<Self> {
        let socket = packet::socket()?;
        packet::set(&socket, libc::PACKET_VERSION, &(libc::tpacket_versions::TPACKET_V3 as libc::c_int))?;
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: SLOT as u32,
            tp_frame_nr: (BLOCK / SLOT * BLOCKS) as u32,
            tp_retire_blk_tov: RETIRE_MS,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        packet::set(&socket, libc::PACKET_RX_RING, &request)?;
        let length = NonZeroUsize::MIN.saturating_add(BLOCK * BLOCKS - 1);
        // SAFETY: a new mapping of the socket's ring, of the size just asked for, at an address of the kernel's choice.
        let map = unsafe { mmap(None, length, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_SHARED, &socket, 0) }
            .map_err(|error| Failure::kernel("cannot map the ring of a capture", error))?
            .cast();
        let ring = Ring { socket, map, next: 0 };
        packet::bind(&ring.socket, interface)?;
        Ok(ring)
    }

    /// A duplicate of the socket, for `statistics`.
    pub fn socket(&self) -> Result<OwnedFd> {
        self.socket.try_clone().map_err(|error| Failure::io("cannot hold the capture's socket", &error))
    }

    /// Waits until a block is ready, or the time is over.
    pub fn wait(&self, milliseconds: u16) {
        // After an error, the caller checks again earlier.
        let _ = poll(&mut [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)], PollTimeout::from(milliseconds));
    }

    /// The next block that the kernel has filled. It is returned to the kernel on drop.
    pub fn next_block(&mut self) -> Option<Block<'_>> {
        // SAFETY: blocks lie one behind the other in the mapping, which lives as long as the ring.
        let block = unsafe { self.map.add(self.next * BLOCK) };
        let header: NonNull<libc::tpacket_block_desc> = block.cast();
        // SAFETY: every block begins with its description, in which the kernel changes the status while we look: an atomic read.
        let status = unsafe { AtomicU32::from_ptr(&raw mut (*header.as_ptr()).hdr.bh1.block_status) };
        if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        self.next = (self.next + 1) % BLOCKS;
        Some(Block { start: block, status, ring: PhantomData })
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nobody reads it any more.
        let _ = unsafe { munmap(self.map.cast(), BLOCK * BLOCKS) };
    }
}

/// A block that can be read.
pub struct Block<'a> {
    start: NonNull<u8>,
    status: &'a AtomicU32,
    ring: PhantomData<&'a mut Ring>,
}

impl Block<'_> {
    /// Its frames in their order.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        // SAFETY: the block is ours until dropped, and the kernel has written its description and that many frames.
        let description = unsafe { self.start.cast::<libc::tpacket_block_desc>().as_ref().hdr.bh1 };
        let mut at = description.offset_to_first_pkt as usize;
        (0..description.num_pkts).map(move |_| {
            // SAFETY: offsets are the kernel's own and stay within the block.
            let (header, address) = unsafe {
                let header = self.start.add(at).cast::<libc::tpacket3_hdr>();
                let behind = header.cast::<u8>().add(size_of::<libc::tpacket3_hdr>().next_multiple_of(libc::TPACKET_ALIGNMENT));
                (header.as_ref(), behind.cast::<libc::sockaddr_ll>().as_ref())
            };
            // SAFETY: as above: the frame lies tp_mac behind its header, tp_snaplen long.
            let bytes = unsafe {
                let start = self.start.add(at + usize::from(header.tp_mac));
                std::slice::from_raw_parts(start.as_ptr(), header.tp_snaplen as usize)
            };
            at += header.tp_next_offset as usize;
            Frame {
                at_ns: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
                outgoing: address.sll_pkttype == libc::PACKET_OUTGOING,
                length: header.tp_len as usize,
                bytes,
            }
        })
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        fence(Ordering::Release);
        self.status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
    }
}
