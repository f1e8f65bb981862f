//! The loop over all connections: what is due is done, then what is ready.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use callbench_kit::clock;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::slot::{Doing, Slot, Step, server_ended};
use crate::socket;
use crate::tally::Tally;
use crate::wish::{Ends, Reads, Wish};

const SCRATCH: usize = 64 * 1024;
const MOST_EVENTS: usize = 512;
const TELLS_NS: u64 = 100_000_000;
const MS: u64 = 1_000_000;
/// A connection that has not come about by then will hardly: the kernel asks again after a second.
const PATIENCE_NS: u64 = 1_000 * MS;
/// How long a place rests after its connection failed.
const REST_NS: u64 = 20 * MS;

/// What is due at a moment. Ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Open,
    GiveUp,
    Send,
    Read,
    End,
}

struct Storm<'w> {
    wish: &'w Wish,
    epoll: Epoll,
    slots: Vec<Slot>,
    timers: BinaryHeap<Reverse<(u64, usize, u32, Due)>>,
    /// When the next connection may be begun.
    open_at: u64,
    tally: Tally,
    scratch: Vec<u8>,
}

/// Does what is wished, and tells ten times a second what has come of it: nanoseconds since the start, and the counts.
pub fn raged(wish: &Wish, mut tell: impl FnMut(u64, &Tally)) -> Result<Tally, String> {
    socket::allow_many();
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(|error| format!("the kernel gives no epoll: {error}"))?;
    let start = clock::now();
    let end = start + (wish.seconds * 1e9) as u64;
    let mut storm = Storm {
        wish,
        epoll,
        slots: (0..wish.connections).map(|_| Slot::new()).collect(),
        timers: BinaryHeap::new(),
        open_at: start,
        tally: Tally::default(),
        scratch: vec![0; SCRATCH],
    };
    (0..wish.connections).for_each(|index| storm.opens(index, start));
    let mut tell_at = start + TELLS_NS;
    let mut ready = [EpollEvent::empty(); MOST_EVENTS];
    loop {
        let now = clock::now();
        if now >= tell_at {
            tell(now - start, &storm.tally);
            tell_at = now + TELLS_NS;
        }
        if now >= end {
            break;
        }
        storm.does_what_is_due(now);
        let moment = storm.timers.peek().map_or(u64::MAX, |Reverse((at, ..))| *at).min(tell_at).min(end);
        let wait_ms = moment.saturating_sub(clock::now()).div_ceil(MS).min(1000) as u16;
        let told = match storm.epoll.wait(&mut ready, EpollTimeout::from(wait_ms)) {
            Ok(told) => told,
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(format!("the kernel tells no more events: {error}")),
        };
        for event in &ready[..told] {
            storm.goes_on(event.data(), event.events());
        }
    }
    for index in 0..storm.slots.len() {
        storm.leaves(index);
    }
    Ok(storm.tally)
}

impl Storm<'_> {
    /// Lets a place have a connection, no sooner than `not_before` and in its turn.
    fn opens(&mut self, index: usize, not_before: u64) {
        self.open_at = self.open_at.max(not_before);
        let at = self.open_at;
        self.open_at += (1e9 / self.wish.pace_per_s) as u64;
        self.due(at, index, Due::Open);
    }

    fn due(&mut self, at: u64, index: usize, what: Due) {
        self.timers.push(Reverse((at, index, self.slots[index].generation, what)));
    }

    fn does_what_is_due(&mut self, now: u64) {
        while let Some(Reverse((at, index, generation, what))) = self.timers.peek().copied() {
            if at > now {
                return;
            }
            self.timers.pop();
            if self.slots[index].generation != generation {
                continue;
            }
            match what {
                Due::Open => self.open(index, now),
                Due::GiveUp if self.slots[index].doing == Doing::Connecting => {
                    self.tally.late += 1;
                    self.gone(index, now);
                }
                Due::GiveUp => {}
                Due::Send => self.send(index, now),
                Due::Read => self.read_slowly(index, now),
                Due::End => {
                    self.tally.ended += 1;
                    self.leaves(index);
                    self.gone(index, now);
                }
            }
        }
    }

    fn open(&mut self, index: usize, now: u64) {
        let stream = match socket::connecting(self.wish.address, self.wish.receive_buffer) {
            Ok(stream) => stream,
            Err(error) => return self.could_not(index, error, now),
        };
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        let slot = &mut self.slots[index];
        slot.take(stream);
        let token = u64::from(slot.generation) << 32 | index as u64;
        if let Some(Err(error)) = slot.stream.as_ref().map(|stream| self.epoll.add(stream, EpollEvent::new(flags, token))) {
            return self.could_not(index, error, now);
        }
        self.due(now + PATIENCE_NS, index, Due::GiveUp);
    }

    /// A connection did not come about: it is counted, and its place rests.
    fn could_not(&mut self, index: usize, error: Errno, now: u64) {
        match error {
            Errno::ECONNREFUSED => self.tally.refused += 1,
            Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM | Errno::EADDRNOTAVAIL | Errno::EAGAIN => {
                self.tally.out_of_resources += 1;
            }
            _ => self.tally.failed += 1,
        }
        self.gone(index, now);
    }

    /// After an event of a connection.
    fn goes_on(&mut self, token: u64, flags: EpollFlags) {
        let (index, generation) = (token as u32 as usize, (token >> 32) as u32);
        if self.slots[index].generation != generation || self.slots[index].stream.is_none() {
            return;
        }
        let now = clock::now();
        if self.slots[index].doing == Doing::Connecting && !self.connected(index, flags, now) {
            return;
        }
        if self.wish.reads == Reads::All && flags.intersects(EpollFlags::EPOLLIN | EpollFlags::EPOLLRDHUP) {
            let Storm { wish, slots, scratch, tally, .. } = self;
            if slots[index].read(wish, scratch, tally) == Step::Ended {
                return self.gone(index, now);
            }
        }
        if flags.intersects(EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR) {
            server_ended(&mut self.tally, flags.contains(EpollFlags::EPOLLERR));
            return self.gone(index, now);
        }
        // Where octets drip, the clock says when the next one goes.
        if self.slots[index].doing == Doing::Sending && self.wish.drip_ms == 0 && flags.contains(EpollFlags::EPOLLOUT) {
            self.send(index, now);
        }
    }

    /// Whether a connection that was being made is there. Begins to send where octets drip.
    fn connected(&mut self, index: usize, flags: EpollFlags, now: u64) -> bool {
        let failed = self.slots[index].stream.as_ref().and_then(|stream| stream.take_error().ok().flatten());
        if let Some(error) = failed {
            self.could_not(index, Errno::from_raw(error.raw_os_error().unwrap_or(0)), now);
            return false;
        }
        if !flags.contains(EpollFlags::EPOLLOUT) {
            return false;
        }
        self.slots[index].doing = Doing::Sending;
        let tally = &mut self.tally;
        tally.opened += 1;
        tally.open_now += 1;
        tally.open_most = tally.open_most.max(tally.open_now);
        if self.wish.reads == Reads::Slowly {
            self.due(now + self.wish.read_ms * MS, index, Due::Read);
        }
        if self.wish.drip_ms > 0 {
            self.due(now, index, Due::Send);
        }
        true
    }

    fn send(&mut self, index: usize, now: u64) {
        let Storm { wish, slots, tally, .. } = self;
        match slots[index].send(wish, tally) {
            // A socket whose buffer is full takes the octet later.
            Step::Waits if wish.drip_ms == 0 => {}
            Step::Waits | Step::Drips => self.due(now + self.wish.drip_ms * MS, index, Due::Send),
            Step::Sent => {
                self.slots[index].doing = Doing::Holding;
                if let Some(hold_ms) = self.wish.hold_ms {
                    self.due(now + hold_ms * MS, index, Due::End);
                }
            }
            Step::Ended => self.gone(index, now),
        }
    }

    fn read_slowly(&mut self, index: usize, now: u64) {
        let Storm { wish, slots, scratch, tally, .. } = self;
        if slots[index].read(wish, scratch, tally) == Step::Ended {
            return self.gone(index, now);
        }
        self.due(now + self.wish.read_ms * MS, index, Due::Read);
    }

    /// We end a connection, if there is one.
    fn leaves(&mut self, index: usize) {
        if let (Some(stream), Ends::Reset) = (&self.slots[index].stream, self.wish.ends) {
            socket::will_reset(stream);
        }
    }

    /// A connection is no more; its place gets another, if it is to.
    fn gone(&mut self, index: usize, now: u64) {
        let slot = &mut self.slots[index];
        let was_there = matches!(slot.doing, Doing::Sending | Doing::Holding);
        (slot.stream, slot.doing) = (None, Doing::Nothing);
        slot.generation = slot.generation.wrapping_add(1);
        self.tally.open_now -= u64::from(was_there);
        if !was_there {
            self.opens(index, now + REST_NS);
        } else if self.wish.again {
            self.opens(index, now);
        }
    }
}
