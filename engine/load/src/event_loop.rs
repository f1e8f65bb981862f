//! The load loop of many clients on one thread: whatever connection is ready goes on, and a client that is answered calls again at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_kit::clock::{self, Monotonic};
use callbench_kit::drive::{Left, Pace, Worker, WorkerState};
use callbench_kit::{Failure, Kind};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::carrier::{Asks, Carrier, Ended};
use crate::events::{EventClock, Events};
use crate::request::Values;

/// As much is read at once.
const SCRATCH: usize = 64 * 1024;
/// How often calls that take too long are looked for, at most.
const SWEEP_NS: u64 = 50_000_000;
/// So many connect at once: more would meet the end of a listener's queue.
const CONNECTING: usize = 64;
/// So long before an arrival is due the thread stops sleeping and asks again and again.
const SPIN_NS: u64 = 60_000;
/// So long before it looks at the clock alone: asking the kernel takes about half as long, and reading an answer more.
const BLIND_NS: u64 = 500;
/// How long a client rests after an error, doubled with every further one in a row, up to the longest.
const REST_NS: u64 = 1_000_000;
const LONGEST_REST_NS: u64 = 500_000_000;

/// What a client has been doing.
#[derive(Clone, Copy, Default)]
struct Account {
    /// Whether its call is under way.
    calls: bool,
    /// When that began, and when it was meant to.
    started: u64,
    intended: u64,
    /// When it was decided to make it.
    due: u64,
    /// Since when it has had nothing to do.
    since: u64,
    errors_in_a_row: u32,
    /// Whether it waits for its first call of a drive.
    ramps: bool,
}

pub struct EventLoop<C: Carrier> {
    asked: Arc<C::Asked>,
    events: Events,
    carrier: C,
    accounts: Vec<Account>,
    /// Calls that have ended and are not counted yet.
    ended: Vec<Ended>,
    scratch: Box<[u8]>,
    /// The number of the next request, over all event loops.
    numbers: Arc<AtomicU64>,
    /// The number of the first client here.
    first: usize,
    random: Xoshiro256PlusPlus,
}

impl<C: Carrier> EventLoop<C> {
    /// So many clients, the first of which is number `first` over all event loops.
    pub fn new(asked: &Arc<C::Asked>, streams: usize, numbers: Arc<AtomicU64>, first: usize, clients: usize) -> Result<Self, Failure> {
        Ok(EventLoop {
            asked: Arc::clone(asked),
            events: Events::new()?,
            carrier: C::new(Arc::clone(asked), streams, clients),
            accounts: vec![Account::default(); clients],
            ended: Vec::new(),
            scratch: vec![0; SCRATCH].into_boxed_slice(),
            numbers,
            first,
            random: Xoshiro256PlusPlus::seed_from_u64(first as u64),
        })
    }

    /// Makes all further calls by this; where they go stays the same.
    pub fn go_by(&mut self, asked: &Arc<C::Asked>) {
        self.asked = Arc::clone(asked);
        self.carrier.go_by(asked);
    }

    /// The body of the answer to the last `call`, where it was to be kept.
    pub fn kept(&mut self) -> Vec<u8> {
        self.carrier.kept()
    }

    /// A call that has had no answer for so long has failed.
    fn timeout_ns(&self) -> u64 {
        self.asked.settings().timeout_ns
    }

    pub fn connections(&self) -> usize {
        self.carrier.connections()
    }

    /// Makes the connections of the first `clients`, a few at a time.
    pub fn connect(&mut self, clients: usize) -> Result<(), Failure> {
        let wanted = self.carrier.needed(clients);
        let (mut begun, mut done) = (0, 0);
        let mut last = clock::now();
        while done < wanted {
            while begun < wanted && begun - done < CONNECTING {
                self.carrier.connect(begun, &self.events)?;
                begun += 1;
            }
            let give_up = last.saturating_add(self.timeout_ns());
            let told = self.events.wait_until(give_up);
            for place in 0..told {
                let event = self.events.at(place);
                if self.carrier.connects(event, &mut self.scratch)? {
                    done += 1;
                    last = clock::now();
                }
            }
            if told == 0 && clock::now() >= give_up {
                return Err(Failure::new(Kind::Timeout, format!("connection {} was not there in time", done + 1)));
            }
        }
        Ok(())
    }

    /// One call of the first client.
    pub fn call(&mut self) -> Result<(), Failure> {
        let result = self.exchange();
        self.carrier.end(0, &result);
        result
    }

    fn exchange(&mut self) -> Result<(), Failure> {
        self.catch_up();
        let give_up = clock::now().saturating_add(self.timeout_ns());
        self.begin(0)?;
        loop {
            self.carrier.flush();
            let told = self.events.wait_until(give_up);
            for place in 0..told {
                self.go_on(place);
            }
            if let Some((_, result)) = self.ended.drain(..).find(|(index, _)| *index == 0) {
                return result;
            }
            if clock::now() >= give_up {
                return Err(timed_out());
            }
        }
    }

    /// Takes in what happened while nobody called: a server may have closed a connection that nobody used for a while.
    fn catch_up(&mut self) {
        loop {
            let told = self.events.wait_until(0);
            if told == 0 {
                break;
            }
            for place in 0..told {
                self.go_on(place);
            }
        }
        // Of calls that were given up long ago.
        self.ended.clear();
    }

    #[inline]
    fn begin(&mut self, index: usize) -> Result<(), Failure> {
        let EventLoop { events, carrier, numbers, first, random, .. } = self;
        let values = || Values { number: numbers.fetch_add(1, Relaxed), client: (*first + index) as u64, random: random.next_u64() };
        carrier.begin(index, events, values)
    }

    /// Goes on after an event. The calls that it ended are in `ended`.
    #[inline]
    fn go_on(&mut self, place: usize) {
        self.carrier.go_on(self.events.at(place), &self.events, &mut self.scratch, &mut self.ended);
    }
}

/// An event loop, driven by the kit.
pub struct LoopTask<'h, C: Carrier> {
    pub event_loop: &'h mut EventLoop<C>,
    /// So many of its clients call.
    pub clients: usize,
    /// Which event loop of how many, and how many clients they have together: they begin in turn.
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
    /// The loop, by the machine's clock or by a trace's.
    fn drive(&mut self, state: &mut WorkerState, clock: &impl EventClock) {
        state.persevere();
        self.event_loop.catch_up();
        let start = state.start;
        // Each client's own account begins at the common start, that of a client that can take an arrival when it is awake.
        let since = if matches!(state.plan().pace, Pace::Open(_)) { state.stats.ended_at } else { start };
        state.stats.gap_ns = 0;
        for account in &mut self.event_loop.accounts[..self.clients] {
            account.since = since;
            account.errors_in_a_row = 0;
            account.ramps = false;
        }
        let think_ns = match state.plan().pace {
            Pace::Closed { think_ns, .. } => Some(think_ns),
            Pace::Open(_) => None,
        };
        let plan = state.plan();
        let first_after = |index| plan.first_after_ns(index * self.event_loops + self.place, self.of);
        let mut later = BinaryHeap::new();
        if think_ns.is_some_and(|think_ns| think_ns > 0 || plan.ramp_up_ns > 0) {
            for (index, account) in self.event_loop.accounts[..self.clients].iter_mut().enumerate() {
                // Without a ramp it is the rest of a thought that comes before the first call.
                account.ramps = plan.ramp_up_ns > 0;
                later.push(Reverse((start + first_after(index), index)));
            }
        }
        let before = self.event_loop.carrier.received();
        let mut round = Round { event_loop: self.event_loop, state, clock, think_ns, later, idle: Vec::new(), next: None, calling: 0 };
        round.drive(self.clients);
        // A thought that goes on beyond the last call is no part of the drive.
        let end = state.stats.ended_at;
        let accounts = &self.event_loop.accounts[..self.clients];
        let beyond_ns: u64 = accounts.iter().map(|account| account.since.saturating_sub(end)).sum();
        state.stats.think_ns = state.stats.think_ns.saturating_sub(beyond_ns);
        let after_ns = accounts.iter().map(|account| account.since.min(end).saturating_sub(start)).sum();
        state.stats.left = Left::Many { clients: self.clients as u64, after_ns };
        state.stats.received = self.event_loop.carrier.received() - before;
    }
}

/// One drive of an event loop.
struct Round<'r, 's, C: Carrier, K: EventClock> {
    event_loop: &'r mut EventLoop<C>,
    state: &'r mut WorkerState<'s>,
    clock: &'r K,
    /// Of a closed loop; None: an open one.
    think_ns: Option<u64>,
    /// Who calls again, and when: thoughts and rests.
    later: BinaryHeap<Reverse<(u64, usize)>>,
    /// Of an open loop: who can take an arrival.
    idle: Vec<usize>,
    /// When the next arrival is intended.
    next: Option<u64>,
    /// How many calls are under way.
    calling: usize,
}

impl<C: Carrier, K: EventClock> Round<'_, '_, C, K> {
    fn drive(&mut self, clients: usize) {
        if !self.later.is_empty() {
            // Each has a moment of its own to begin at.
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
                sweep_at = now + sweep_ns;
            }
            self.wake(now);
            self.take_arrivals();
            if self.calling == 0 && self.later.is_empty() && self.next.is_none() {
                return;
            }
            self.event_loop.carrier.flush();
            let until = self.next_moment(now).min(sweep_at);
            let told = self.clock.wait(&mut self.event_loop.events, until);
            for place in 0..told {
                self.event_loop.go_on(place);
                let mut ended = std::mem::take(&mut self.event_loop.ended);
                for (index, result) in ended.drain(..) {
                    self.ended(index, &result);
                }
                self.event_loop.ended = ended;
                // What falls due while answers are read does not wait for the last of them.
                if self.take_arrivals() {
                    self.event_loop.carrier.flush();
                }
            }
        }
    }

    /// When there is something to do even if nothing happens; the past where an arrival is so near that sleep would miss it.
    fn next_moment(&self, now: u64) -> u64 {
        let woken = self.later.peek().map_or(u64::MAX, |Reverse((at, index))| self.waits_until(now, *at, *index));
        let spin_ns = self.clock.spin_ns(SPIN_NS);
        // An arrival that finds nobody idle waits for an answer.
        let due = self.next.filter(|_| !self.idle.is_empty()).map_or(u64::MAX, |at| if at <= now + spin_ns { 0 } else { at - spin_ns });
        woken.min(due)
    }

    /// Until when a client waits that would until `at`: a thought is cut where no call is left to be made after it, a ramp-up only at the
    /// limit.
    fn waits_until(&self, now: u64, at: u64, index: usize) -> u64 {
        if self.event_loop.accounts[index].ramps { at.min(self.state.limit_at) } else { self.state.thinks_until(now, at) }
    }

    /// Those whose thought or rest is over call again.
    fn wake(&mut self, now: u64) {
        while let Some(Reverse((at, index))) = self.later.peek().copied() {
            if self.waits_until(now, at, index) > now && !self.state.leaves(now) {
                return;
            }
            self.later.pop();
            match self.think_ns {
                Some(think_ns) => {
                    let client = &mut self.event_loop.accounts[index];
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
                }
                None => self.idle.push(index),
            }
        }
    }

    /// In a closed loop: calls, unless the drive is over.
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

    /// In an open loop: hands out every arrival that is due, or all but due; whether there was one.
    #[inline]
    fn take_arrivals(&mut self) -> bool {
        let (mut began, blind_ns) = (false, self.clock.spin_ns(BLIND_NS));
        while let Some(intended) = self.next {
            let now = self.clock.now();
            if self.state.leaves(now) {
                self.next = None;
                break;
            }
            if now + blind_ns < intended {
                break;
            }
            let Some(index) = self.idle.pop() else { break };
            let client = &mut self.event_loop.accounts[index];
            (client.intended, client.due) = (intended, intended);
            client.started = if now < intended { self.clock.wait_until(intended, blind_ns) } else { now };
            self.next = self.state.next_arrival();
            self.begin(index);
            began = true;
        }
        began
    }

    #[inline]
    fn begin(&mut self, index: usize) {
        self.calling += 1;
        self.event_loop.accounts[index].calls = true;
        if let Err(failure) = self.event_loop.begin(index) {
            self.ended(index, &Err(failure));
        }
    }

    /// A call has ended: counts it, and lets its client go on.
    #[inline]
    fn ended(&mut self, index: usize, result: &Result<(), Failure>) {
        self.calling -= 1;
        self.state.burn(self.clock);
        let ended = self.clock.now();
        let stats = &mut *self.state.stats;
        let client = &mut self.event_loop.accounts[index];
        self.clock.made(client.started, ended);
        stats.in_call_ns += ended - client.started;
        stats.ended_at = ended;
        match result {
            Ok(()) => {
                stats.latency.record(ended - client.intended);
                if let Some([service, lateness]) = stats.open.as_deref_mut() {
                    service.record(ended - client.started);
                    // Waiting for a client is the server's fault; only what comes after both are there is the generator's.
                    lateness.record(client.started - client.intended.max(client.since));
                }
                self.state.right();
            }
            Err(failure) => self.state.wrong_because(failure),
        }
        if ended > self.state.end_at {
            self.state.overran(client.due, client.started, ended, u64::from(result.is_ok()));
        }
        client.since = ended;
        client.calls = false;
        client.errors_in_a_row = if result.is_ok() { 0 } else { client.errors_in_a_row.saturating_add(1) };
        let errors_in_a_row = client.errors_in_a_row;
        self.event_loop.carrier.end(index, result);
        let rest_ns = match (errors_in_a_row, self.think_ns) {
            (0, Some(0)) => return self.call_again(index, ended),
            (0, None) => return self.idle.push(index),
            (0, Some(think_ns)) => think_ns,
            (errors, _) => (REST_NS << (errors - 1).min(20)).min(LONGEST_REST_NS),
        };
        self.later.push(Reverse((ended.saturating_add(rest_ns), index)));
    }

    /// Ends the calls that have taken too long.
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
    Failure::new(Kind::Timeout, "no answer came in time")
}

#[cfg(test)]
mod tests;
