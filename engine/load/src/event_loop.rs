//! The load loop of many clients on one thread. It handles the connections that are ready. After an answer, the client calls again immediately.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_kit::clock::{self, Monotonic};
use callbench_kit::drive::{DoneAt, Pace, Parts, Worker, WorkerState};
use callbench_kit::{Failure, Kind};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::carrier::{Carrier, Ended, Spec};
use crate::events::{EventClock, Events};
use crate::request::Values;

mod connecting;

/// The size of the buffer for reading.
const SCRATCH: usize = 64 * 1024;
/// The shortest interval between two searches for calls that have timed out.
const SWEEP_NS: u64 = 50_000_000;
/// How long old events are handled before a drive, at the most.
const MAX_DISCARD_NS: u64 = 100_000_000;
/// This long before an arrival is due, the thread stops sleeping and polls.
const SPIN_NS: u64 = 60_000;
/// This long before an arrival is due, it reads only the clock. A poll of the kernel takes about half of this time, and reading an answer more.
const CLOCK_ONLY_NS: u64 = 500;
/// The delay after an error. It doubles with every further consecutive error, up to the maximum.
const RETRY_DELAY_NS: u64 = 1_000_000;
const MAX_RETRY_DELAY_NS: u64 = 500_000_000;

/// How a client was served in a drive.
#[derive(Clone, Copy, Default, PartialEq)]
enum Service {
    /// No call has ended.
    #[default]
    Unknown,
    /// Every call that ended has failed.
    Failed,
    /// A call was answered rightly.
    Served,
}

/// The state of a client.
#[derive(Clone, Copy, Default)]
struct Account {
    /// Whether a call is in flight.
    calls: bool,
    /// When the call was started, and when it was intended to start.
    started: u64,
    intended: u64,
    /// When the call was decided.
    due: u64,
    /// Since when the client has been idle.
    since: u64,
    errors_in_a_row: u32,
    service: Service,
    /// Whether it waits for its first call of a drive.
    ramps: bool,
}

pub struct EventLoop<C: Carrier> {
    spec: Arc<C::CallSpec>,
    events: Events,
    carrier: C,
    accounts: Vec<Account>,
    /// Calls that have ended and are not counted yet.
    ended: Vec<Ended>,
    scratch: Box<[u8]>,
    /// The number of the next request, over all event loops.
    numbers: Arc<AtomicU64>,
    /// The number of the first client of this event loop.
    first: usize,
    random: Xoshiro256PlusPlus,
}

impl<C: Carrier> EventLoop<C> {
    /// `first` is the number of its first client over all event loops.
    pub fn new(spec: &Arc<C::CallSpec>, streams: usize, numbers: Arc<AtomicU64>, first: usize, clients: usize) -> Result<Self, Failure> {
        Ok(EventLoop {
            spec: Arc::clone(spec),
            events: Events::new()?,
            carrier: C::new(Arc::clone(spec), streams, clients),
            accounts: vec![Account::default(); clients],
            ended: Vec::new(),
            scratch: vec![0; SCRATCH].into_boxed_slice(),
            numbers,
            first,
            random: Xoshiro256PlusPlus::seed_from_u64(first as u64),
        })
    }

    /// Uses this specification for all further calls. The endpoint stays the same.
    pub fn use_spec(&mut self, spec: &Arc<C::CallSpec>) {
        self.spec = Arc::clone(spec);
        self.carrier.use_spec(spec);
    }

    /// The body of the answer to the last `call`, if it was to be kept.
    pub fn kept_body(&mut self) -> Vec<u8> {
        self.carrier.kept_body()
    }

    /// The timeout of a call.
    fn timeout_ns(&self) -> u64 {
        self.spec.settings().timeout_ns
    }

    pub fn connections(&self) -> usize {
        self.carrier.connections()
    }

    /// One call of the first client; where there are sessions, every call of each.
    pub fn call(&mut self) -> Result<(), Failure> {
        for session in 0..self.carrier.sessions() {
            self.carrier.enter(session);
            loop {
                let result = self.exchange();
                self.carrier.end(0, &result);
                result?;
                if self.carrier.is_between() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn exchange(&mut self) -> Result<(), Failure> {
        self.discard_old_events();
        let give_up = clock::now().saturating_add(self.timeout_ns());
        self.begin(0)?;
        loop {
            self.carrier.flush();
            let count = self.events.wait_until(give_up);
            for place in 0..count {
                self.handle_event(place);
            }
            if let Some((_, result)) = self.ended.drain(..).find(|(index, _)| *index == 0) {
                return result;
            }
            if clock::now() >= give_up {
                return Err(timed_out());
            }
        }
    }

    /// Handles events that happened between drives, such as connections closed by the server.
    fn discard_old_events(&mut self) {
        // A server may still send, without end, what was given up.
        let latest = clock::now().saturating_add(MAX_DISCARD_NS);
        while clock::now() < latest {
            let count = self.events.wait_until(0);
            if count == 0 {
                break;
            }
            for place in 0..count {
                self.handle_event(place);
            }
        }
        // These calls were given up long ago.
        self.ended.clear();
    }

    #[inline]
    fn begin(&mut self, index: usize) -> Result<(), Failure> {
        let EventLoop { events, carrier, numbers, first, random, .. } = self;
        let values = || Values { number: numbers.fetch_add(1, Relaxed), client: (*first + index) as u64, random: random.next_u64() };
        carrier.begin(index, events, values)
    }

    /// Handles an event. The calls that it ended are in `ended`.
    #[inline]
    fn handle_event(&mut self, place: usize) {
        self.carrier.handle_event(self.events.at(place), &self.events, &mut self.scratch, &mut self.ended);
    }
}

/// One drive of an event loop, as the kit's load loop runs it.
pub struct LoopTask<'h, C: Carrier> {
    pub event_loop: &'h mut EventLoop<C>,
    /// The number of its clients that make calls.
    pub clients: usize,
    /// The index of this event loop, the number of event loops and the number of all clients. Together they determine when each client starts.
    pub place: usize,
    pub event_loops: usize,
    pub of: usize,
}

impl<C: Carrier> Worker for LoopTask<'_, C> {
    fn work(&mut self, state: &mut WorkerState) {
        self.drive(state, &Monotonic);
    }
}

impl<C: Carrier> LoopTask<'_, C> {
    /// Runs the loop with the machine's clock or with the clock of a trace.
    fn drive(&mut self, state: &mut WorkerState, clock: &impl EventClock) {
        state.never_give_up();
        self.event_loop.discard_old_events();
        let start = state.start;
        // In a closed loop, each client's account begins at the common start. In an open loop, it begins when the thread is awake and can take
        // arrivals.
        let since = if matches!(state.plan().pace, Pace::Open(_)) { state.stats.ended_at } else { start };
        state.stats.gap_ns = 0;
        state.stats.endpoints = self.event_loop.spec.endpoints();
        for account in &mut self.event_loop.accounts[..self.clients] {
            account.since = since;
            account.errors_in_a_row = 0;
            account.service = Service::Unknown;
            account.ramps = false;
        }
        let think_ns = match state.plan().pace {
            Pace::Closed { think_ns, .. } => Some(think_ns),
            Pace::Open(_) => None,
        };
        let plan = state.plan();
        let first_after = |index| plan.first_after_ns(index * self.event_loops + self.place, self.of);
        let mut timers = BinaryHeap::new();
        if think_ns.is_some_and(|think_ns| think_ns > 0 || plan.ramp_up_ns > 0) {
            for (index, account) in self.event_loop.accounts[..self.clients].iter_mut().enumerate() {
                // Without a ramp-up, the first delay is the rest of a think time.
                account.ramps = plan.ramp_up_ns > 0;
                timers.push(Reverse((start + first_after(index), index)));
            }
        }
        state.stats.parts = Parts::of(plan);
        let before = self.event_loop.carrier.received();
        let sent_before = self.event_loop.carrier.sent();
        let sent_again = self.event_loop.carrier.sent_again();
        let held_back = self.event_loop.carrier.held_back();
        let mut round = Drive { event_loop: self.event_loop, state, clock, think_ns, timers, idle: Vec::new(), next: None, in_flight: 0 };
        round.drive(self.clients);
        // Think time after the last call is not part of the drive.
        let end = state.stats.ended_at;
        let accounts = &self.event_loop.accounts[..self.clients];
        let beyond_ns: u64 = accounts.iter().map(|account| account.since.saturating_sub(end)).sum();
        state.stats.think_ns = state.stats.think_ns.saturating_sub(beyond_ns);
        let after_ns = accounts.iter().map(|account| account.since.min(end).saturating_sub(start)).sum();
        state.stats.done_at = DoneAt::Many { clients: self.clients as u64, after_ns };
        state.stats.received = self.event_loop.carrier.received() - before;
        state.stats.sent = self.event_loop.carrier.sent() - sent_before;
        state.stats.sent_again = self.event_loop.carrier.sent_again() - sent_again;
        state.stats.held_back = self.event_loop.carrier.held_back().zip(held_back).map(|(after, before)| after - before);
        let accounts = &self.event_loop.accounts[..self.clients];
        state.stats.unserved = Some(accounts.iter().filter(|account| account.service == Service::Failed).count() as u64);
    }
}

/// The state of one drive.
struct Drive<'r, 's, C: Carrier, K: EventClock> {
    event_loop: &'r mut EventLoop<C>,
    state: &'r mut WorkerState<'s>,
    clock: &'r K,
    /// The think time of a closed loop; None: an open loop.
    think_ns: Option<u64>,
    /// When which client calls again, after its think time or after an error.
    timers: BinaryHeap<Reverse<(u64, usize)>>,
    /// In an open loop: the clients that can take an arrival.
    idle: Vec<usize>,
    /// When the next arrival is intended.
    next: Option<u64>,
    /// The number of calls in flight.
    in_flight: usize,
}

impl<C: Carrier, K: EventClock> Drive<'_, '_, C, K> {
    fn drive(&mut self, clients: usize) {
        if !self.timers.is_empty() {
            // Each client has its own start time.
        } else if self.think_ns.is_some() {
            let awake = self.state.stats.ended_at;
            (0..clients).for_each(|index| self.call_again(index, awake));
        } else {
            self.idle = (0..clients).rev().collect();
            self.next = self.state.next_arrival();
        }
        let sweep_ns = SWEEP_NS.min(self.event_loop.timeout_ns() / 4 + 1);
        let mut sweep_at = self.clock.now() + sweep_ns;
        loop {
            let now = self.clock.now();
            if now >= sweep_at {
                self.sweep(now);
                self.state.hand_over(now);
                sweep_at = now + sweep_ns;
            }
            self.wake(now);
            self.take_arrivals();
            if self.in_flight == 0 && self.timers.is_empty() && self.next.is_none() {
                return;
            }
            self.event_loop.carrier.flush();
            let until = self.next_moment(now).min(sweep_at);
            let count = self.clock.wait(&mut self.event_loop.events, until);
            for place in 0..count {
                self.event_loop.handle_event(place);
                let mut ended = std::mem::take(&mut self.event_loop.ended);
                for (index, result) in ended.drain(..) {
                    self.ended(index, &result);
                }
                self.event_loop.ended = ended;
                // Arrivals that become due while answers are read do not wait for the last of these answers.
                if self.take_arrivals() {
                    self.event_loop.carrier.flush();
                }
            }
        }
    }

    /// When the loop must act even without an event. 0 if an arrival is so near that sleeping would miss it.
    fn next_moment(&self, now: u64) -> u64 {
        let woken = self.timers.peek().map_or(u64::MAX, |Reverse((at, index))| self.waits_until(now, *at, *index));
        let spin_ns = self.clock.spin_ns(SPIN_NS);
        // If no client is idle, an arrival waits for an answer.
        let due = self.next.filter(|_| !self.idle.is_empty()).map_or(u64::MAX, |at| if at <= now + spin_ns { 0 } else { at - spin_ns });
        woken.min(due)
    }

    /// The end of a client's wait until `at`. A think time ends early if no call is left. A ramp-up ends early only at the time limit.
    fn waits_until(&self, now: u64, at: u64, index: usize) -> u64 {
        if self.event_loop.accounts[index].ramps { at.min(self.state.limit_at) } else { self.state.thinks_until(now, at) }
    }

    /// Starts the calls of all clients whose think time or delay is over.
    fn wake(&mut self, now: u64) {
        while let Some(Reverse((at, index))) = self.timers.peek().copied() {
            if self.waits_until(now, at, index) > now && !self.state.leaves(now) {
                return;
            }
            self.timers.pop();
            let client = &mut self.event_loop.accounts[index];
            if let Some(think_ns) = self.think_ns {
                let first = std::mem::take(&mut client.ramps);
                if first {
                    // A drive lasts until every client has begun.
                    self.state.stats.ended_at = self.state.stats.ended_at.max(now);
                }
                if think_ns > 0 && !first && client.errors_in_a_row == 0 {
                    self.state.stats.think_ns += now - client.since;
                    client.since = now;
                }
                self.call_again(index, now);
            } else {
                // Its rest is the server's doing. What waited for its end is late only from there on.
                client.since = at.min(now);
                self.idle.push(index);
            }
        }
    }

    /// In a closed loop: makes the next call, unless the drive is over.
    #[inline]
    fn call_again(&mut self, index: usize, now: u64) {
        if self.state.admit(now, 1) == 0 {
            return;
        }
        let started = self.clock.now();
        let client = &mut self.event_loop.accounts[index];
        self.state.stats.gap_ns += started.saturating_sub(client.since);
        (client.started, client.intended, client.due) = (started, started, now);
        self.begin(index);
    }

    /// In an open loop: assigns all arrivals that are due, or due within a moment, to idle clients. Returns whether there was one.
    #[inline]
    fn take_arrivals(&mut self) -> bool {
        let (mut began, clock_only_ns) = (false, self.clock.spin_ns(CLOCK_ONLY_NS));
        while let Some(intended) = self.next {
            let now = self.clock.now();
            if self.state.leaves(now) {
                self.next = None;
                break;
            }
            if now + clock_only_ns < intended {
                break;
            }
            let Some(index) = self.idle.pop() else { break };
            let client = &mut self.event_loop.accounts[index];
            (client.intended, client.due) = (intended, intended);
            client.started = if now < intended { self.clock.wait_until(intended, clock_only_ns) } else { now };
            self.next = self.state.next_arrival();
            self.begin(index);
            began = true;
        }
        began
    }

    #[inline]
    fn begin(&mut self, index: usize) {
        self.in_flight += 1;
        self.event_loop.accounts[index].calls = true;
        if let Err(failure) = self.event_loop.begin(index) {
            self.ended(index, &Err(failure));
        }
    }

    /// Counts a call that has ended. The client then continues.
    #[inline]
    fn ended(&mut self, index: usize, result: &Result<(), Failure>) {
        self.in_flight -= 1;
        self.state.burn(self.clock);
        let ended = self.clock.now();
        self.state.hand_over(ended);
        let stats = &mut *self.state.stats;
        let client = &mut self.event_loop.accounts[index];
        self.clock.made(client.started, ended);
        stats.in_call_ns += ended - client.started;
        stats.ended_at = ended;
        match result {
            Ok(()) => {
                stats.latency.record(ended - client.intended);
                stats.parts.record(client.intended.saturating_sub(self.state.start), ended - client.intended);
                if let Some([service, lateness]) = stats.open.as_deref_mut() {
                    service.record(ended - client.started);
                    // Waiting for a free client is caused by the server. Only the delay after both a client and an arrival are available is caused by
                    // the generator.
                    lateness.record(client.started - client.intended.max(client.since));
                }
                self.state.right();
            }
            Err(failure) => self.state.count_error(failure),
        }
        if !self.state.stats.endpoints.is_empty() {
            let place = self.event_loop.carrier.step_of(index).min(self.state.stats.endpoints.len() - 1);
            let outcome = result.as_ref().map(|()| ended - client.intended).map_err(|failure| failure.kind);
            self.state.stats.endpoints[place].count(ended - client.started, outcome);
        }
        if ended > self.state.end_at {
            self.state.count_late(client.due, client.started, ended, u64::from(result.is_ok()));
        }
        client.since = ended;
        client.calls = false;
        client.errors_in_a_row = if result.is_ok() { 0 } else { client.errors_in_a_row.saturating_add(1) };
        if result.is_ok() {
            client.service = Service::Served;
        } else if client.service == Service::Unknown {
            client.service = Service::Failed;
        }
        let errors_in_a_row = client.errors_in_a_row;
        self.event_loop.carrier.end(index, result);
        let retry_delay_ns = match (errors_in_a_row, self.think_ns) {
            (0, Some(0)) => return self.call_again(index, ended),
            (0, None) => return self.idle.push(index),
            (0, Some(think_ns)) => think_ns,
            (errors, _) => (RETRY_DELAY_NS << (errors - 1).min(20)).min(MAX_RETRY_DELAY_NS),
        };
        self.timers.push(Reverse((ended.saturating_add(retry_delay_ns), index)));
    }

    /// Ends the calls that have timed out.
    fn sweep(&mut self, now: u64) {
        let timeout_ns = self.event_loop.timeout_ns();
        for index in 0..self.event_loop.accounts.len() {
            let client = self.event_loop.accounts[index];
            if client.calls && now.saturating_sub(client.started) >= timeout_ns {
                self.ended(index, &Err(timed_out()));
            }
        }
    }
}

fn timed_out() -> Failure {
    Failure::new(Kind::Timeout, "no answer within the timeout")
}

#[cfg(test)]
mod tests;
