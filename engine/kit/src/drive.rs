//! The load loop: clients that call, each again when it is answered, or when a schedule says so.
//!
//! One thread a worker: a client that blocks, or a pool of clients on event loops. Nothing is allocated and no lock is taken between
//! two calls of a closed loop; threads share only the pool of calls still to be made, from which they draw in portions, and a progress line
//! each that the reporter reads.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use callbench_service::{Call, Expectation};

use crate::client::Client;
use crate::clock::{self, Clock, Monotonic};
use crate::failure::{Failure, Kind};
use crate::histogram::Histogram;
use crate::panics;
use crate::processor::{self, Usage};

mod closed;
mod open;
mod pool;
mod schedule;
mod start_barrier;
mod trace;
mod window;
mod worker_state;
mod worker_stats;

use pool::Pool;
use schedule::Arrivals;
pub use schedule::Schedule;
use start_barrier::StartBarrier;
pub use trace::{Replayed, Script, Scripted, ScriptedCall, ScriptedClock, Trace, replay, replay_by};
pub use window::{Late, Window};
use worker_state::Progress;
pub use worker_state::WorkerState;
pub use worker_stats::{Left, WorkerStats};

/// How often the reporter speaks.
const INTERVAL_NS: u64 = 100_000_000;
/// How long before the common start a client stops sleeping and spins.
const START_SPIN_NS: u64 = 30_000;

/// How calls are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Two clock readings a call.
    Each,
    /// Two clock readings a batch.
    Batch,
    /// `Batch` where a call takes less than 20 clock readings.
    Auto,
}

/// When calls are made.
#[derive(Debug)]
pub enum Pace {
    /// A closed loop: each client calls again when it was answered and has thought for so many nanoseconds.
    Closed { think_ns: u64, timing: Timing },
    /// An open loop: calls arrive by the schedule, and any idle client takes the next.
    Open(Schedule),
}

/// One drive.
#[derive(Debug)]
pub struct Plan {
    pub call: Call,
    /// What follows `call` in rotation: a client's k-th call takes payload k mod their number.
    pub further: Vec<Call>,
    /// It ends when so many calls have been made, right or wrong, and `length_ns` have passed.
    pub calls: u64,
    pub length_ns: u64,
    /// It ends after so long in any case.
    pub limit_ns: u64,
    pub pace: Pace,
    /// The common start, on the monotonic clock; in the past: at once.
    pub start_at_ns: u64,
    /// Every call keeps its client busy for so much longer: a slower client stack, to see what the rate owes to it.
    pub burn_ns: u64,
    /// Of a closed loop: so long it takes until all clients call; they begin evenly spread over it.
    pub ramp_up_ns: u64,
    /// An answer is expected that differs from the right one in its last field, to see that it is looked at.
    pub altered: bool,
}

impl Plan {
    /// The payload at a place of the rotation.
    fn payload(&self, place: usize) -> &Call {
        if place == 0 { &self.call } else { &self.further[place - 1] }
    }

    /// What the answer to each payload must be. Where it has no field to alter, it is the right one: whoever asks looks first.
    fn expectations(&self) -> Vec<Expectation> {
        let of = |call: &Call| {
            let right = Expectation::of(call);
            if self.altered { right.altered().unwrap_or(right) } else { right }
        };
        std::iter::once(&self.call).chain(&self.further).map(of).collect()
    }

    /// How long after the common start the client at `place` of so many makes its first call.
    #[must_use]
    pub fn first_after_ns(&self, place: usize, clients: usize) -> u64 {
        match self.pace {
            Pace::Closed { think_ns, .. } if self.ramp_up_ns == 0 => first_thought_ns(think_ns, place, clients),
            _ => (u128::from(self.ramp_up_ns) * place as u128 / clients.max(1) as u128) as u64,
        }
    }
}

/// How long the client at `place` of so many thinks before its first call: those who think are not in step, so the first thoughts end
/// evenly spread over one of them. In step, they would all call at once, and n of their calls would lie in n - 1 periods.
fn first_thought_ns(think_ns: u64, place: usize, clients: usize) -> u64 {
    (u128::from(think_ns) * (2 * place + 1) as u128 / (2 * clients.max(1)) as u128) as u64
}

/// How far a drive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Since the start.
    pub at_ns: u64,
    /// Answered rightly since the start.
    pub calls: u64,
    pub errors: u64,
}

/// What a drive came to.
#[derive(Debug)]
pub struct Outcome {
    /// Answered rightly.
    pub calls: u64,
    /// By kind, in the order of `Kind::ALL`.
    pub errors: [u64; Kind::ALL.len()],
    /// The first sentence of each kind that has one.
    pub said: BTreeMap<Kind, String>,
    /// From the common start to the last end.
    pub elapsed_ns: u64,
    pub window: Window,
    /// Calls a batch; None where each call was timed.
    pub batch: Option<u64>,
    /// None where calls were timed in batches.
    pub latency: Option<Histogram>,
    /// Of an open loop only.
    pub service: Option<Histogram>,
    pub lateness: Option<Histogram>,
    /// Summed over clients.
    pub in_call_ns: u64,
    pub think_ns: u64,
    /// Of a closed loop: the time that was neither in a call nor a thought, by the loop's own readings. None of an open one.
    pub gap_ns: Option<u64>,
    /// Octets of answers, heads included, where a worker counts them; else 0.
    pub received: u64,
    /// At both ends of the drive.
    pub processor: [Usage; 2],
    pub threads: usize,
}

/// What calls on a thread of its own.
pub trait Worker: Send {
    /// Calls as the plan says until the drive is over.
    fn work(&mut self, state: &mut WorkerState);
}

impl Worker for Box<dyn Client> {
    fn work(&mut self, state: &mut WorkerState) {
        run(self.as_mut(), state, &Monotonic);
    }
}

/// The loop of one client, by the machine's clock or by a trace's.
fn run(client: &mut dyn Client, state: &mut WorkerState, clock: &impl Clock) {
    match &state.plan().pace {
        Pace::Closed { think_ns, timing } => closed::run(client, state, clock, *think_ns, *timing),
        Pace::Open(_) => open::run(client, state, clock),
    }
}

impl Worker for Box<dyn Worker + '_> {
    fn work(&mut self, state: &mut WorkerState) {
        self.as_mut().work(state);
    }
}

/// What all workers of a drive look at.
struct Shared<'a> {
    plan: &'a Plan,
    /// By place in the rotation.
    expectations: Vec<Expectation>,
    pool: Pool,
    arrivals: Option<Arrivals<'a>>,
    /// Calls a batch, 1 for each call timed; set by the first worker that knows.
    batch: OnceLock<u64>,
    reading_ns: f64,
    barrier: StartBarrier,
    /// Raised from outside to end the drive early.
    stopping: &'a AtomicBool,
}

impl<'a> Shared<'a> {
    fn new(plan: &'a Plan, workers: usize, reading_ns: f64, stopping: &'a AtomicBool) -> Self {
        Shared {
            plan,
            expectations: plan.expectations(),
            pool: Pool::new(plan.calls, workers),
            arrivals: match &plan.pace {
                Pace::Open(schedule) => Some(Arrivals::new(schedule)),
                Pace::Closed { .. } => None,
            },
            batch: OnceLock::new(),
            reading_ns,
            barrier: StartBarrier::default(),
            stopping,
        }
    }
}

/// Lets `workers` call as `plan` says. `report` is called ten times a second on the caller's thread; when it gives false, or `stopping`
/// is raised, the drive ends early. Fails only where a thread cannot be had.
pub fn drive<W: Worker>(
    workers: &mut [W],
    plan: &Plan,
    stopping: &AtomicBool,
    report: &mut dyn FnMut(Interval) -> bool,
) -> Result<Outcome, Failure> {
    let shared = Shared::new(plan, workers.len(), clock::reading_ns(), stopping);
    let progress: Vec<Progress> = workers.iter().map(|_| Progress::default()).collect();
    let threads = workers.len();
    let (start, tallies, processor) = thread::scope(|scope| {
        let (ended, ends) = mpsc::channel();
        let mut running = Vec::with_capacity(threads);
        for (place, (worker, progress)) in workers.iter_mut().zip(&progress).enumerate() {
            let (shared, ended) = (&shared, ended.clone());
            let spawned = thread::Builder::new().name("client".to_owned()).spawn_scoped(scope, move || {
                let stats = attend(worker, progress, shared, [place, threads]);
                // The reporter may have given up listening; the statistics still come by the join.
                let _ = ended.send(());
                stats
            });
            match spawned {
                Ok(thread) => running.push(thread),
                Err(error) => {
                    shared.barrier.abandon();
                    return Err(Failure::new(
                        Kind::OutOfResources,
                        format!("client thread {} cannot be started: {error}", running.len() + 1),
                    ));
                }
            }
        }
        shared.barrier.await_workers(threads);
        let before = processor::usage();
        let start = shared.barrier.open(plan.start_at_ns, threads);
        watch(&ends, threads, [start, start.saturating_add(plan.length_ns.min(plan.limit_ns))], &progress, stopping, report);
        let tallies: Vec<WorkerStats> = running.into_iter().filter_map(|thread| thread.join().ok()).collect();
        Ok((start, tallies, [before, processor::usage()]))
    })?;
    Ok(sum_up(tallies, start, &shared, processor, threads))
}

/// A worker's thread, from the common start to its end.
fn attend(worker: &mut dyn Worker, progress: &Progress, shared: &Shared, place: [usize; 2]) -> WorkerStats {
    clock::sharpen_sleeps();
    let mut stats = WorkerStats::new(matches!(shared.plan.pace, Pace::Open(_)));
    let Some(start) = shared.barrier.wait() else { return stats };
    await_start(&Monotonic, &mut stats, start);
    let ran = panics::contained(|| {
        worker.work(&mut WorkerState::new(progress, shared, &mut stats, start, place));
        Ok(())
    });
    if let Err(failure) = ran {
        stats.count_error(failure.kind);
        stats.said.entry(failure.kind).or_insert(failure.message);
        progress.show_errors(stats.error_count());
        stats.gave_up = true;
        stats.ended_at = clock::now();
        stats.left = Left::One(stats.ended_at);
    }
    stats
}

/// Waits for the common start, where the account of a worker begins.
fn await_start(clock: &impl Clock, stats: &mut WorkerStats, start: u64) {
    stats.ended_at = clock.wait_until(start, START_SPIN_NS);
    stats.left = Left::One(stats.ended_at);
    stats.gap_ns = stats.ended_at - start;
}

/// Reports until every client has ended, and once when the time is over: what is watched from outside is read then.
fn watch(
    ends: &mpsc::Receiver<()>,
    mut running: usize,
    [start, end_at]: [u64; 2],
    progress: &[Progress],
    stopping: &AtomicBool,
    report: &mut dyn FnMut(Interval) -> bool,
) {
    let mut tick = start + INTERVAL_NS;
    let mut end = Some(end_at).filter(|at| *at > start);
    while running > 0 {
        let next = end.map_or(tick, |at| at.min(tick));
        match ends.recv_timeout(Duration::from_nanos(next.saturating_sub(clock::now()))) {
            Ok(()) => running -= 1,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let (calls, errors) = progress.iter().map(Progress::read).fold((0, 0), |sum, its| (sum.0 + its.0, sum.1 + its.1));
                if !report(Interval { at_ns: clock::now() - start, calls, errors }) {
                    stopping.store(true, Relaxed);
                }
                end = end.filter(|at| *at > next);
                if tick == next {
                    tick += INTERVAL_NS;
                }
            }
        }
    }
}

fn sum_up(tallies: Vec<WorkerStats>, start: u64, shared: &Shared, processor: [Usage; 2], threads: usize) -> Outcome {
    let ends_ns = [shared.plan.length_ns.min(shared.plan.limit_ns), shared.plan.limit_ns];
    let batch = shared.batch.get().copied().unwrap_or(1);
    let ended_at = tallies.iter().map(|stats| stats.ended_at).max().unwrap_or(start);
    let closed = tallies.iter().all(|stats| stats.open.is_none());
    let mut tallies = tallies.into_iter().map(|stats| stats.until(start, ended_at));
    let first = tallies.next().unwrap_or_else(|| WorkerStats::new(false));
    let total = tallies.fold(first, |sum, stats| sum.merged(&stats));
    let elapsed_ns = ended_at.saturating_sub(start).max(1);
    let window = total.late.window(ends_ns, elapsed_ns, total.calls, total.gave_up);
    let [service, lateness] = total.open.map_or([None, None], |both| (*both).map(Some));
    Outcome {
        calls: total.calls,
        errors: total.errors,
        said: total.said,
        elapsed_ns,
        window,
        batch: (batch > 1).then_some(batch),
        latency: (batch == 1).then_some(total.latency),
        service,
        lateness,
        in_call_ns: total.in_call_ns,
        think_ns: total.think_ns,
        gap_ns: closed.then_some(total.gap_ns),
        received: total.received,
        processor,
        threads,
    }
}

#[cfg(test)]
mod tests;
