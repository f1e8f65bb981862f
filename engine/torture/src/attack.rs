//! The event loop over all connections: first it runs the timers that are due, then it handles the sockets that are ready.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use callbench_kit::clock;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::counts::Counts;
use crate::settings::{CloseWith, Reads, Settings};
use crate::slot::{Slot, State, Step, server_ended};
use crate::socket;

const SCRATCH: usize = 64 * 1024;
const MAX_EVENTS: usize = 512;
const REPORT_INTERVAL_NS: u64 = 100_000_000;
const MS: u64 = 1_000_000;
/// A connection that is not established by then is given up. The kernel repeats a lost SYN after one second.
const CONNECT_TIMEOUT_NS: u64 = 1_000 * MS;
/// Delay before the next attempt after a connection failed.
const RETRY_DELAY_NS: u64 = 20 * MS;

/// The kinds of timers. They are ordered by the time at which they are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Open,
    ConnectTimeout,
    Send,
    Read,
    End,
}

struct Attack<'w> {
    settings: &'w Settings,
    epoll: Epoll,
    slots: Vec<Slot>,
    timers: BinaryHeap<Reverse<(u64, usize, u32, Due)>>,
    /// The earliest time for the next connection attempt, in ns.
    open_at: u64,
    counts: Counts,
    scratch: Vec<u8>,
}

/// Attacks the server for the given time. Calls `report` ten times a second with the nanoseconds since the start and the counts.
pub fn run(settings: &Settings, mut report: impl FnMut(u64, &Counts)) -> Result<Counts, String> {
    socket::raise_descriptor_limit();
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(|error| format!("cannot create an epoll instance: {error}"))?;
    let start = clock::now();
    let end = start + (settings.seconds * 1e9) as u64;
    let mut attack = Attack {
        settings,
        epoll,
        slots: (0..settings.connections).map(|_| Slot::new()).collect(),
        timers: BinaryHeap::new(),
        open_at: start,
        counts: Counts::default(),
        scratch: vec![0; SCRATCH],
    };
    (0..settings.connections).for_each(|index| attack.schedule_open(index, start));
    let mut report_at = start + REPORT_INTERVAL_NS;
    let mut ready = [EpollEvent::empty(); MAX_EVENTS];
    loop {
        let now = clock::now();
        if now >= report_at {
            report(now - start, &attack.counts);
            report_at = now + REPORT_INTERVAL_NS;
        }
        if now >= end {
            break;
        }
        attack.run_due_timers(now);
        let moment = attack.timers.peek().map_or(u64::MAX, |Reverse((at, ..))| *at).min(report_at).min(end);
        let wait_ms = moment.saturating_sub(clock::now()).div_ceil(MS).min(1000) as u16;
        let report_counts = match attack.epoll.wait(&mut ready, EpollTimeout::from(wait_ms)) {
            Ok(report_counts) => report_counts,
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(format!("cannot wait for socket events: {error}")),
        };
        for event in &ready[..report_counts] {
            attack.handle_event(event.data(), event.events());
        }
    }
    for index in 0..attack.slots.len() {
        attack.prepare_close(index);
    }
    Ok(attack.counts)
}

impl Attack<'_> {
    /// Schedules a connection attempt: not before `not_before`, and within the limit of attempts per second.
    fn schedule_open(&mut self, index: usize, not_before: u64) {
        self.open_at = self.open_at.max(not_before);
        let at = self.open_at;
        self.open_at += (1e9 / self.settings.connects_per_s) as u64;
        self.due(at, index, Due::Open);
    }

    fn due(&mut self, at: u64, index: usize, what: Due) {
        self.timers.push(Reverse((at, index, self.slots[index].generation, what)));
    }

    fn run_due_timers(&mut self, now: u64) {
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
                Due::ConnectTimeout if self.slots[index].state == State::Connecting => {
                    self.counts.timed_out += 1;
                    self.release(index, now);
                }
                Due::ConnectTimeout => {}
                Due::Send => self.send(index, now),
                Due::Read => self.read_slowly(index, now),
                Due::End => {
                    self.counts.ended += 1;
                    self.prepare_close(index);
                    self.release(index, now);
                }
            }
        }
    }

    fn open(&mut self, index: usize, now: u64) {
        let stream = match socket::start_connect(self.settings.address, self.settings.receive_buffer) {
            Ok(stream) => stream,
            Err(error) => return self.connect_failed(index, error, now),
        };
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        let slot = &mut self.slots[index];
        slot.take(stream);
        let token = u64::from(slot.generation) << 32 | index as u64;
        if let Some(Err(error)) = slot.stream.as_ref().map(|stream| self.epoll.add(stream, EpollEvent::new(flags, token))) {
            return self.connect_failed(index, error, now);
        }
        self.due(now + CONNECT_TIMEOUT_NS, index, Due::ConnectTimeout);
    }

    /// Counts a failed connection attempt and schedules the next one.
    fn connect_failed(&mut self, index: usize, error: Errno, now: u64) {
        match error {
            Errno::ECONNREFUSED => self.counts.refused += 1,
            Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM | Errno::EADDRNOTAVAIL | Errno::EAGAIN => {
                self.counts.out_of_resources += 1;
            }
            _ => self.counts.failed += 1,
        }
        self.release(index, now);
    }

    /// Handles the epoll event of a connection.
    fn handle_event(&mut self, token: u64, flags: EpollFlags) {
        let (index, generation) = (token as u32 as usize, (token >> 32) as u32);
        if self.slots[index].generation != generation || self.slots[index].stream.is_none() {
            return;
        }
        let now = clock::now();
        if self.slots[index].state == State::Connecting && !self.connected(index, flags, now) {
            return;
        }
        if self.settings.reads == Reads::All && flags.intersects(EpollFlags::EPOLLIN | EpollFlags::EPOLLRDHUP) {
            let Attack { settings, slots, scratch, counts, .. } = self;
            if slots[index].read(settings, scratch, counts) == Step::Ended {
                return self.release(index, now);
            }
        }
        if flags.intersects(EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR) {
            server_ended(&mut self.counts, flags.contains(EpollFlags::EPOLLERR));
            return self.release(index, now);
        }
        // If bytes are sent one by one, a timer triggers the next one.
        if self.slots[index].state == State::Sending && self.settings.byte_interval_ms == 0 && flags.contains(EpollFlags::EPOLLOUT) {
            self.send(index, now);
        }
    }

    /// Whether the connection is established. If bytes are sent one by one, it schedules the first.
    fn connected(&mut self, index: usize, flags: EpollFlags, now: u64) -> bool {
        let failed = self.slots[index].stream.as_ref().and_then(|stream| stream.take_error().ok().flatten());
        if let Some(error) = failed {
            self.connect_failed(index, Errno::from_raw(error.raw_os_error().unwrap_or(0)), now);
            return false;
        }
        if !flags.contains(EpollFlags::EPOLLOUT) {
            return false;
        }
        self.slots[index].state = State::Sending;
        let counts = &mut self.counts;
        counts.opened += 1;
        counts.open_now += 1;
        counts.max_open = counts.max_open.max(counts.open_now);
        if self.settings.reads == Reads::Slowly {
            self.due(now + self.settings.read_ms * MS, index, Due::Read);
        }
        if self.settings.byte_interval_ms > 0 {
            self.due(now, index, Due::Send);
        }
        true
    }

    fn send(&mut self, index: usize, now: u64) {
        let Attack { settings, slots, counts, .. } = self;
        match slots[index].send(settings, counts) {
            // If the buffer of the socket is full, the byte is sent later.
            Step::WouldBlock if settings.byte_interval_ms == 0 => {}
            Step::WouldBlock | Step::SentOneByte => self.due(now + self.settings.byte_interval_ms * MS, index, Due::Send),
            Step::Sent => {
                self.slots[index].state = State::Holding;
                if let Some(hold_ms) = self.settings.hold_ms {
                    self.due(now + hold_ms * MS, index, Due::End);
                }
            }
            Step::Ended => self.release(index, now),
        }
    }

    fn read_slowly(&mut self, index: usize, now: u64) {
        let Attack { settings, slots, scratch, counts, .. } = self;
        if slots[index].read(settings, scratch, counts) == Step::Ended {
            return self.release(index, now);
        }
        self.due(now + self.settings.read_ms * MS, index, Due::Read);
    }

    /// Prepares the end of a connection: with a reset, if this was requested.
    fn prepare_close(&mut self, index: usize) {
        if let (Some(stream), CloseWith::Reset) = (&self.slots[index].stream, self.settings.close_with) {
            socket::reset_on_close(stream);
        }
    }

    /// Frees the slot of a connection that has ended. Schedules a new connection if this was requested.
    fn release(&mut self, index: usize, now: u64) {
        let slot = &mut self.slots[index];
        let was_open = matches!(slot.state, State::Sending | State::Holding);
        (slot.stream, slot.state) = (None, State::Closed);
        slot.generation = slot.generation.wrapping_add(1);
        self.counts.open_now -= u64::from(was_open);
        if !was_open {
            self.schedule_open(index, now + RETRY_DELAY_NS);
        } else if self.settings.reconnect {
            self.schedule_open(index, now);
        }
    }
}
