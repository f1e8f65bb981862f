//! One direction on the real clock: moves frames from one packet socket to the other, many with each system call, at the times of its lane.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

use super::LinkCounts;
use super::carried::{Carried, HEADER};
use super::lane::{Fate, Lane};
use super::pause::{Pause, Step};
use super::queue::{Frame, InFlight};

/// The maximum number of frames per system call.
const BATCH: usize = 32;
/// The longest frame with segmentation offload, and its header.
const LONGEST: usize = HEADER + 14 + 4 + (1 << 16);

pub struct Wire {
    from: Arc<OwnedFd>,
    to: Arc<OwnedFd>,
    bell: Arc<EventFd>,
    lane: Lane,
    pause: Pause,
    told: Arc<Mutex<LinkCounts>>,
    link_counts: LinkCounts,
    in_flight: InFlight,
    inbox: Vec<Box<[u8]>>,
    outbox: Vec<Frame>,
    room: usize,
}

impl Wire {
    /// Moves frames of at most `longest` bytes from one socket to the other.
    pub fn new(
        ends: (Arc<OwnedFd>, Arc<OwnedFd>),
        bell: Arc<EventFd>,
        lane: Lane,
        told: Arc<Mutex<LinkCounts>>,
        longest: Option<usize>,
    ) -> Self {
        let room = longest.map_or(LONGEST, |bytes| HEADER + bytes);
        let mut in_flight = InFlight::default();
        let inbox = (0..BATCH).map(|_| in_flight.buffer(room)).collect();
        let (from, to) = ends;
        Wire {
            from,
            to,
            bell,
            lane,
            pause: Pause::default(),
            told,
            link_counts: LinkCounts::default(),
            in_flight,
            inbox,
            outbox: Vec::with_capacity(BATCH),
            room,
        }
    }

    /// Moves frames until `ending` is set.
    pub fn run(&mut self, ending: &AtomicBool) {
        raise_priority();
        while !ending.load(Ordering::Acquire) {
            self.deliver(monotonic_ns());
            if self.receive() {
                continue;
            }
            let Some(due_ns) = self.in_flight.next_ns() else {
                self.wait(None);
                continue;
            };
            match self.pause.step(due_ns.saturating_sub(monotonic_ns())) {
                Step::Send => self.deliver(due_ns),
                Step::Sleep(ns) => self.wait(Some(ns)),
            }
        }
    }

    fn wait(&mut self, at_most_ns: Option<u64>) {
        let timeout = at_most_ns.map(|ns| TimeSpec::from_duration(Duration::from_nanos(ns)));
        let [from, bell] = [self.from.as_fd(), self.bell.as_fd()].map(|it| PollFd::new(it, PollFlags::POLLIN));
        let mut both = [bell, from];
        // If frames keep their order, a new frame leaves after all frames in flight. So its arrival need not wake this thread: the kernel notes the
        // time.
        let sources = if at_most_ns.is_some() && self.lane.keeps_order() { &mut both[..1] } else { &mut both[..] };
        let began_ns = monotonic_ns();
        // A wait that ends early because of a signal or a frame does not show how late sleeps end.
        if let (Ok(0), Some(asked_ns)) = (ppoll(sources, timeout, None), at_most_ns) {
            self.pause.slept(asked_ns, monotonic_ns() - began_ns);
        }
    }

    /// Receives frames. Returns whether there were any.
    fn receive(&mut self) -> bool {
        let mut slots: [libc::iovec; BATCH] =
            std::array::from_fn(|place| libc::iovec { iov_base: self.inbox[place].as_mut_ptr().cast(), iov_len: self.room });
        let mut controls = [[0_u64; 4]; BATCH];
        let mut messages: [libc::mmsghdr; BATCH] = std::array::from_fn(|place| {
            let mut message = empty();
            message.msg_hdr.msg_iov = &raw mut slots[place];
            message.msg_hdr.msg_iovlen = 1;
            message.msg_hdr.msg_control = controls[place].as_mut_ptr().cast();
            message.msg_hdr.msg_controllen = size_of::<[u64; 4]>();
            message
        });
        // SAFETY: every message points at buffers of the stated lengths, which outlive the call.
        let done =
            unsafe { libc::recvmmsg(self.from.as_raw_fd(), messages.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT, std::ptr::null_mut()) };
        let Ok(received) = usize::try_from(done) else { return false };
        let now_ns = monotonic_ns();
        let ahead_ns = clock_ns(ClockId::CLOCK_REALTIME).wrapping_sub(now_ns);
        for (place, message) in messages.iter().enumerate().take(received) {
            let length = message.msg_len as usize;
            if length <= HEADER || message.msg_hdr.msg_flags & libc::MSG_TRUNC != 0 {
                self.link_counts.missed += 1;
                continue;
            }
            // The time of arrival by the kernel's clock, so that a late wake-up of this thread does not affect the link.
            let arrived_ns = arrival(&message.msg_hdr).map_or(now_ns, |at_ns| at_ns.wrapping_sub(ahead_ns));
            let arrived_ns = if arrived_ns <= now_ns && now_ns - arrived_ns < 1_000_000_000 { arrived_ns } else { now_ns };
            self.arrive(place, length, arrived_ns);
        }
        self.tell();
        received > 0
    }

    fn arrive(&mut self, place: usize, length: usize, arrived_ns: u64) {
        let carried = Carried::of(&self.inbox[place][..length]);
        self.link_counts.frames += carried.frames;
        self.link_counts.bytes += carried.bytes;
        match self.lane.arrive(arrived_ns, carried) {
            Fate::Lost => self.link_counts.lost += carried.frames,
            Fate::Overflowed => self.link_counts.overflowed += carried.frames,
            Fate::Leaves { at_ns, twice, held_back } => {
                self.link_counts.left += carried.frames;
                self.link_counts.left_bytes += carried.bytes;
                self.link_counts.held_back += u64::from(held_back);
                let empty = self.in_flight.buffer(self.room);
                let bytes = std::mem::replace(&mut self.inbox[place], empty);
                if twice {
                    let mut copy = self.in_flight.buffer(self.room);
                    copy[..length].copy_from_slice(&bytes[..length]);
                    self.link_counts.copies += 1;
                    self.travel(at_ns, Frame { bytes: copy, length });
                }
                self.travel(at_ns, Frame { bytes, length });
            }
        }
    }

    fn travel(&mut self, at_ns: u64, frame: Frame) {
        if !self.in_flight.add(at_ns, frame) {
            self.link_counts.overflowed += 1;
        }
    }

    /// Sends the frames that are due.
    fn deliver(&mut self, until_ns: u64) {
        while let Some(due_ns) = self.in_flight.next_ns().filter(|at_ns| *at_ns <= until_ns) {
            self.pause.sent(due_ns, monotonic_ns());
            self.in_flight.due(until_ns, BATCH, &mut self.outbox);
            let mut sent = 0;
            while sent < self.outbox.len() {
                match self.send(sent) {
                    Ok(some) => sent += some,
                    Err(Errno::EINTR) => {}
                    Err(Errno::EAGAIN | Errno::ENOBUFS) if self.writable() => {}
                    Err(_) => {
                        self.link_counts.missed += 1;
                        sent += 1;
                    }
                }
            }
            for frame in self.outbox.drain(..) {
                self.in_flight.give_back(frame.bytes);
            }
        }
    }

    /// Sends frames of the outbox from this index on. Returns how many were sent.
    fn send(&mut self, first: usize) -> nix::Result<usize> {
        let mut slots = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; BATCH];
        let mut messages: [libc::mmsghdr; BATCH] = std::array::from_fn(|_| empty());
        let frames = &mut self.outbox[first..];
        for ((frame, slot), message) in frames.iter_mut().zip(&mut slots).zip(&mut messages) {
            *slot = libc::iovec { iov_base: frame.bytes.as_mut_ptr().cast(), iov_len: frame.length };
            message.msg_hdr.msg_iov = slot;
            message.msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: as many messages as frames, each pointing at a buffer that outlives the call.
        let done = unsafe { libc::sendmmsg(self.to.as_raw_fd(), messages.as_mut_ptr(), frames.len() as u32, libc::MSG_DONTWAIT) };
        Errno::result(done).map(|sent| sent as usize)
    }

    /// Whether the socket becomes writable within a moment.
    fn writable(&self) -> bool {
        let mut out = [PollFd::new(self.to.as_fd(), PollFlags::POLLOUT)];
        let moment = TimeSpec::from_duration(Duration::from_millis(10));
        matches!(ppoll(&mut out, Some(moment), None), Ok(ready) if ready > 0)
    }

    /// Publishes the counts.
    fn tell(&mut self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = self.link_counts;
    }
}

fn empty() -> libc::mmsghdr {
    // SAFETY: all zero bytes are a message without buffers.
    unsafe { std::mem::zeroed() }
}

/// When the kernel received a frame, by its real-time clock.
fn arrival(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: the kernel has filled the control buffer and its length.
    let first = unsafe { libc::CMSG_FIRSTHDR(message) };
    // SAFETY: null, or within the control buffer.
    let header = unsafe { first.as_ref() }?;
    if header.cmsg_level != libc::SOL_SOCKET || header.cmsg_type != libc::SCM_TIMESTAMPNS {
        return None;
    }
    // SAFETY: of this type, the data is a timespec.
    let at = unsafe { libc::CMSG_DATA(first).cast::<libc::timespec>().read_unaligned() };
    Some(at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64)
}

/// Sets the priority of the thread so that it wakes up in time, as far as allowed. A cable does not wait for a free processor. So this thread gets
/// real-time priority if possible. The kernel reserves a share of the processor for ordinary threads.
fn raise_priority() {
    const EAGER: libc::c_int = -10;
    let _ = nix::sys::prctl::set_timerslack(1);
    // SAFETY: all zero bytes are valid parameters.
    let mut lowest: libc::sched_param = unsafe { std::mem::zeroed() };
    lowest.sched_priority = 1;
    // SAFETY: changes this thread's own scheduling; the parameters outlive the call.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &raw const lowest) } != 0 {
        // SAFETY: changes this thread's own priority.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, libc::gettid() as libc::id_t, EAGER) };
    }
}

fn monotonic_ns() -> u64 {
    clock_ns(ClockId::CLOCK_MONOTONIC)
}

fn clock_ns(clock: ClockId) -> u64 {
    // These clocks cannot fail on Linux.
    clock_gettime(clock).map_or(0, |at| at.tv_sec() as u64 * 1_000_000_000 + at.tv_nsec() as u64)
}
