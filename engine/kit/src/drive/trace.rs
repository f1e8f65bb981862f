//! Golden traces: the loop of one client with a scripted clock and a scripted stack, as contract/LOOP.md defines it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use callbench_service::{Answer, Call};

use super::{Outcome, Pace, Plan, Progress, Shared, WorkerState, WorkerStats};
use crate::client::Client;
use crate::clock::Clock;
use crate::failure::{Failure, Kind};
use crate::processor::Usage;

/// The maximum number of recorded calls.
const MAX_RECORDED: usize = 1000;
/// The call, with its correct and a wrong answer.
const CALL: Call = Call::Sum { a: 1, b: 2 };
const RIGHT: Answer = Answer::Number(3);
const WRONG: Answer = Answer::Number(4);

/// A client, its index and the number of clients, and the behaviour of clock and stack. Times are in nanoseconds.
#[derive(Debug)]
pub struct Trace {
    pub place: usize,
    pub clients: usize,
    pub start: u64,
    pub length_ns: u64,
    pub limit_ns: u64,
    pub calls: u64,
    pub pace: Pace,
    pub ramp_up_ns: u64,
    pub burn_ns: u64,
    pub reading_ns: f64,
    pub spin_ns: u64,
    pub script: Script,
}

/// The behaviour of the scripted clock and the scripted stack.
#[derive(Clone, Debug)]
pub struct Script {
    pub clock_start_ns: u64,
    pub reading_takes_ns: u64,
    pub oversleeps_ns: u64,
    /// The scripted calls: at least one. After the last, the first follows.
    pub calls: Vec<ScriptedCall>,
}

/// How long a call takes, and how it ends.
#[derive(Clone, Debug)]
pub struct ScriptedCall {
    pub takes_ns: u64,
    pub answer: Scripted,
}

/// How a scripted call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scripted {
    Right,
    Wrong,
    Error(Kind),
}

/// Each reading returns the time and then takes some time.
#[derive(Debug)]
pub struct ScriptedClock {
    time: Arc<AtomicU64>,
    reading_takes_ns: u64,
    oversleeps_ns: u64,
    spin_ns: u64,
    made: RefCell<Vec<[u64; 2]>>,
}

impl Clock for ScriptedClock {
    fn now(&self) -> u64 {
        self.time.fetch_add(self.reading_takes_ns, Relaxed)
    }

    fn sleep_until(&self, moment: u64) {
        self.time.fetch_max(moment.saturating_add(self.oversleeps_ns), Relaxed);
    }

    fn spin_ns(&self, _usual: u64) -> u64 {
        self.spin_ns
    }

    fn made(&self, started: u64, ended: u64) {
        let mut made = self.made.borrow_mut();
        if made.len() < MAX_RECORDED {
            made.push([started, ended]);
        }
    }
}

impl ScriptedClock {
    /// Lets time pass, as a call does.
    pub fn pass(&self, takes_ns: u64) {
        self.time.fetch_add(takes_ns, Relaxed);
    }
}

/// Advances the clock by the time of each call, without reading it.
struct ScriptedClient {
    time: Arc<AtomicU64>,
    calls: Vec<ScriptedCall>,
    next: usize,
}

impl Client for ScriptedClient {
    fn call(&mut self, _call: &Call) -> Result<Answer, Failure> {
        let call = &self.calls[self.next];
        self.next = (self.next + 1) % self.calls.len();
        self.time.fetch_add(call.takes_ns, Relaxed);
        match call.answer {
            Scripted::Right => Ok(RIGHT),
            Scripted::Wrong => Ok(WRONG),
            Scripted::Error(kind) => Err(Failure::new(kind, "as the script says")),
        }
    }
}

/// The outcome of a drive, and the readings around the first 1,000 calls or batches.
pub type Replayed = (Outcome, Vec<[u64; 2]>);

/// Replays a trace in the loop of one client. Fails if the trace would never end.
pub fn replay(trace: Trace, stop: &AtomicBool) -> Result<Replayed, Failure> {
    replay_by(trace, stop, |state, clock, calls| {
        super::run(&mut ScriptedClient { time: Arc::clone(&clock.time), calls, next: 0 }, state, clock);
    })
}

/// Replays a trace in another loop, which receives the state, the clock and the scripted calls.
pub fn replay_by(
    trace: Trace,
    stop: &AtomicBool,
    work: impl FnOnce(&mut WorkerState, &ScriptedClock, Vec<ScriptedCall>),
) -> Result<Replayed, Failure> {
    let Trace { place, clients, start, length_ns, limit_ns, calls, pace, ramp_up_ns, burn_ns, reading_ns, spin_ns, script } = trace;
    if script.reading_takes_ns == 0 && (spin_ns > 0 || burn_ns > 0 || script.clock_start_ns < start) {
        let why = "reading_takes_ns is 0: then spin_ns and burn_ns must be 0 and the clock stand at the start, or a wait never ends";
        return Err(Failure::new(Kind::BadRequest, why));
    }
    let plan =
        Plan { call: CALL, further: Vec::new(), calls, length_ns, limit_ns, pace, start_at_ns: start, burn_ns, ramp_up_ns, altered: false };
    let time = Arc::new(AtomicU64::new(script.clock_start_ns));
    let (reading_takes_ns, oversleeps_ns) = (script.reading_takes_ns, script.oversleeps_ns);
    let clock = ScriptedClock { time, reading_takes_ns, oversleeps_ns, spin_ns, made: RefCell::default() };
    let shared = Shared::new(&plan, clients, reading_ns, stop);
    let mut stats = WorkerStats::new(matches!(plan.pace, Pace::Open(_)));
    let progress = Progress::default();
    super::await_start(&clock, &mut stats, start);
    work(&mut WorkerState::new(&progress, &shared, &mut stats, start, [place, clients]), &clock, script.calls);
    let none = || Usage { user_ns: "0".to_owned(), system_ns: "0".to_owned() };
    Ok((super::sum_up(vec![stats], start, &shared, [none(), none()], 1), clock.made.into_inner()))
}
