//! Waits for ready connections, with a timeout in nanoseconds.

use std::os::fd::{AsFd, AsRawFd};

use callbench_kit::clock::{self, Clock, Monotonic};
use callbench_kit::{Failure, Kind};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};

/// The maximum number of events per call.
const MOST: usize = 512;
const WATCHED: EpollFlags = EpollFlags::EPOLLIN.union(EpollFlags::EPOLLOUT).union(EpollFlags::EPOLLRDHUP).union(EpollFlags::EPOLLET);
/// A connection is read so often, each time into the whole buffer, before others have their turn. A fast server that never stops would otherwise keep
/// the loop from the other clients, from time-outs and from the end of the drive.
pub const READS_A_TURN: usize = 16;

pub struct Events {
    epoll: Epoll,
    ready: Vec<libc::epoll_event>,
}

/// An event of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub token: u64,
    pub flags: EpollFlags,
}

impl Event {
    /// Whether the other side has finished sending.
    pub fn ended(self) -> bool {
        self.flags.intersects(EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR)
    }

    pub fn readable(self) -> bool {
        self.ended() || self.flags.contains(EpollFlags::EPOLLIN)
    }
}

/// A clock with which a loop can wait for events.
pub trait EventClock: Clock {
    /// Waits for events until a time; does not wait if that has passed. Returns the number of events.
    fn wait(&self, events: &mut Events, until: u64) -> usize;
}

impl EventClock for Monotonic {
    #[inline]
    fn wait(&self, events: &mut Events, until: u64) -> usize {
        events.wait_until(until)
    }
}

impl Events {
    pub fn new() -> Result<Self, Failure> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)
            .map_err(|error| Failure::new(Kind::OutOfResources, format!("cannot create an epoll instance: {error}")))?;
        Ok(Events { epoll, ready: vec![libc::epoll_event { events: 0, u64: 0 }; MOST] })
    }

    /// Reports every change of `what` once, until it is closed.
    pub fn watch(&self, what: &impl AsFd, token: u64) -> Result<(), Failure> {
        self.epoll
            .add(what, EpollEvent::new(WATCHED, token))
            .map_err(|error| Failure::new(Kind::OutOfResources, format!("the kernel cannot watch another connection: {error}")))
    }

    /// Reports `what` again if it is ready now: its reader has stopped before it was empty.
    pub fn watch_again(&self, what: &impl AsFd, token: u64) -> Result<(), Failure> {
        self.epoll
            .modify(what, &mut EpollEvent::new(WATCHED, token))
            .map_err(|error| Failure::new(Kind::OutOfResources, format!("the kernel cannot watch a connection further: {error}")))
    }

    /// Waits for events until a time of the monotonic clock; does not wait if that has passed. Returns the number of events.
    pub fn wait_until(&mut self, moment: u64) -> usize {
        let left = moment.saturating_sub(clock::now());
        let time = libc::timespec { tv_sec: (left / 1_000_000_000) as libc::time_t, tv_nsec: (left % 1_000_000_000) as libc::c_long };
        // SAFETY: the descriptor is open, the buffer holds MAX_EVENTS events, the time is alive during the call, and no signals are blocked.
        let count = unsafe {
            libc::epoll_pwait2(self.epoll.0.as_raw_fd(), self.ready.as_mut_ptr(), MOST as libc::c_int, &raw const time, std::ptr::null())
        };
        count.max(0) as usize // Negative if the call was interrupted.
    }

    /// Creates an artificial event.
    #[cfg(test)]
    pub fn inject(&mut self) {
        self.ready[0] = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
    }

    /// The event with this index of the last wait.
    pub fn at(&self, place: usize) -> Event {
        let event = self.ready[place];
        Event { token: event.u64, flags: EpollFlags::from_bits_truncate(event.events as libc::c_int) }
    }
}
