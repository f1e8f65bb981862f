//! The load loop: each client calls again after an answer, or when a schedule says so.
//!
//! There is one thread per worker. A worker is a blocking client, or an event loop with many clients. Between two calls of a closed loop, nothing is
//! allocated and no lock is taken. Threads share only the pool of remaining calls, from which they take portions, and their progress, which the
//! reporter reads.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use callbench_service::{Call, Expectation};
use serde::Serialize;

use crate::client::Client;
use crate::clock::{self, Clock, Monotonic};
use crate::failure::{Failure, Kind};
use crate::histogram::{Counts, Histogram};
use crate::panics;
use crate::processor::{self, Usage};

mod closed;
mod endpoint_stats;
mod fresh_latencies;
mod open;
mod parts;
mod pool;
mod schedule;
mod start_barrier;
mod trace;
mod window;
mod worker_state;
mod worker_stats;

pub use endpoint_stats::EndpointStats;
use fresh_latencies::{SECOND_NS, all_fresh};
pub use parts::Parts;
use pool::Pool;
use schedule::Arrivals;
pub use schedule::Schedule;
use start_barrier::StartBarrier;
pub use trace::{Replayed, Script, Scripted, ScriptedCall, ScriptedClock, Trace, replay, replay_by};
pub use window::{Late, Window};
use worker_state::Progress;
pub use worker_state::WorkerState;
pub use worker_stats::{DoneAt, WorkerStats};

/// The interval between two reports.
const INTERVAL_NS: u64 = 100_000_000;
/// A client stops sleeping and spins this long before the common start.
const START_SPIN_NS: u64 = 30_000;

/// How calls are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Two clock readings per call.
    Each,
    /// Two clock readings per batch.
    Batch,
    /// `Batch` if a call takes less than 20 clock readings.
    Auto,
}

/// When calls are made.
#[derive(Debug)]
pub enum Pace {
    /// A closed loop: each client calls again after its answer and its think time.
    Closed { think_ns: u64, timing: Timing },
    /// An open loop: calls arrive according to the schedule, and any idle client takes the next one.
    Open(Schedule),
}

/// The plan of one drive.
#[derive(Debug)]
pub struct Plan {
    pub call: Call,
    /// Further payloads in rotation after `call`: a client's k-th call uses payload k mod their number.
    pub further: Vec<Call>,
    /// The drive ends when this many calls have been made, correct or wrong, and `length_ns` have passed.
    pub calls: u64,
    pub length_ns: u64,
    /// The drive ends after this time in any case.
    pub limit_ns: u64,
    pub pace: Pace,
    /// The common start on the monotonic clock. If it is in the past, the drive starts immediately.
    pub start_at_ns: u64,
    /// Every call keeps its client busy for this additional time. So a slower client stack is simulated.
    pub burn_ns: u64,
    /// In a closed loop: the time until all clients make calls. They start at equal intervals.
    pub ramp_up_ns: u64,
    /// The expected answers differ from the correct ones in the last field. This tests whether answers are checked.
    pub altered: bool,
}

impl Plan {
    /// The payload at this index of the rotation.
    fn payload(&self, place: usize) -> &Call {
        if place == 0 { &self.call } else { &self.further[place - 1] }
    }

    /// The expected answer to each payload. If it has no field to alter, it is the correct one; the request is checked before.
    fn expectations(&self) -> Vec<Expectation> {
        let of = |call: &Call| {
            let right = Expectation::of(call);
            if self.altered { right.altered().unwrap_or(right) } else { right }
        };
        std::iter::once(&self.call).chain(&self.further).map(of).collect()
    }

    /// How long after the common start the client with index `place` makes its first call.
    #[must_use]
    pub fn first_after_ns(&self, place: usize, clients: usize) -> u64 {
        match self.pace {
            Pace::Closed { think_ns, .. } if self.ramp_up_ns == 0 => first_thought_ns(think_ns, place, clients),
            _ => (u128::from(self.ramp_up_ns) * place as u128 / clients.max(1) as u128) as u64,
        }
    }
}

/// The first think time of the client with index `place`. These times are spread evenly over one think time, so the clients do not call at the same
/// time. If they did, n calls of each client would lie in n - 1 periods.
fn first_thought_ns(think_ns: u64, place: usize, clients: usize) -> u64 {
    (u128::from(think_ns) * (2 * place + 1) as u128 / (2 * clients.max(1)) as u128) as u64
}

/// The progress of a drive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// Since the start.
    pub at_ns: u64,
    /// Correct answers since the start.
    pub calls: u64,
    pub errors: u64,
    /// The errors by kind, if they are known; none of them is 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub errors_by_kind: BTreeMap<&'static str, u64>,
    /// Once a second, if the workers hand them over: buckets and counts of the latencies since the last ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Counts>,
}

/// The result of a drive.
#[derive(Debug)]
pub struct Outcome {
    /// Correct answers.
    pub calls: u64,
    /// Errors by kind, in the order of `Kind::ALL`.
    pub errors: [u64; Kind::ALL.len()],
    /// The first message of each kind.
    pub messages: BTreeMap<Kind, String>,
    /// The common start on the monotonic clock, if the core asked for one.
    pub started_ns: Option<u64>,
    /// From the common start to the end of the last call.
    pub elapsed_ns: u64,
    pub window: Window,
    /// Calls per batch; None if each call was timed.
    pub batch: Option<u64>,
    /// None if calls were timed in batches.
    pub latency: Option<Histogram>,
    /// Only for an open loop.
    pub service: Option<Histogram>,
    pub lateness: Option<Histogram>,
    /// Of an open loop, if the workers divide it: the latencies of each tenth; else empty.
    pub parts: Vec<Histogram>,
    /// The sum over all clients.
    pub in_call_ns: u64,
    pub think_ns: u64,
    /// For a closed loop: the time outside of calls and think times, from the loop's own clock readings. None for an open loop.
    pub gap_ns: Option<u64>,
    /// Received bytes including headers, if the workers count them; else 0.
    pub received: u64,
    /// The bytes of requests that were sent, if the workers count them.
    pub sent: u64,
    /// Clients of which every call failed, if the workers count them.
    pub unserved: Option<u64>,
    /// Calls whose answers came in pieces with a long pause between two, if the workers look.
    pub held_back: Option<u64>,
    /// Calls that were sent again, because the server had closed their kept connection.
    pub sent_again: u64,
    /// Of each endpoint, if clients call several and the workers count them; else empty.
    pub endpoints: Vec<EndpointStats>,
    /// At the start and at the end of the drive.
    pub processor: [Usage; 2],
    pub threads: usize,
}

/// Makes calls on its own thread.
pub trait Worker: Send {
    /// Makes calls according to the plan until the drive is over.
    fn work(&mut self, state: &mut WorkerState);
}

impl Worker for Box<dyn Client> {
    fn work(&mut self, state: &mut WorkerState) {
        run(self.as_mut(), state, &Monotonic);
    }
}

/// The loop of one client, with the machine's clock or the clock of a trace.
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

/// What all workers of a drive share.
struct Shared<'a> {
    plan: &'a Plan,
    /// By index in the rotation.
    expectations: Vec<Expectation>,
    pool: Pool,
    arrivals: Option<Arrivals<'a>>,
    /// Calls per batch; 1: each call is timed. The first worker that knows it sets it.
    batch: OnceLock<u64>,
    reading_ns: f64,
    barrier: StartBarrier,
    /// Set from outside to end the drive early.
    stop: &'a AtomicBool,
}

impl<'a> Shared<'a> {
    fn new(plan: &'a Plan, workers: usize, reading_ns: f64, stop: &'a AtomicBool) -> Self {
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
            stop,
        }
    }
}

/// Lets the workers make calls according to the plan. `report` is called ten times a second on the caller's thread. If it returns false, or `stop` is
/// set, the drive ends early. Fails only if a thread cannot be created.
pub fn drive<W: Worker>(
    workers: &mut [W],
    plan: &Plan,
    stop: &AtomicBool,
    report: &mut dyn FnMut(Interval) -> bool,
) -> Result<Outcome, Failure> {
    let shared = Shared::new(plan, workers.len(), clock::reading_ns(), stop);
    let progress: Vec<Progress> = workers.iter().map(|_| Progress::default()).collect();
    let threads = workers.len();
    let (start, stats, processor) = thread::scope(|scope| {
        let (ended, ends) = mpsc::channel();
        let mut running = Vec::with_capacity(threads);
        for (place, (worker, progress)) in workers.iter_mut().zip(&progress).enumerate() {
            let (shared, ended) = (&shared, ended.clone());
            let spawned = thread::Builder::new().name("client".to_owned()).spawn_scoped(scope, move || {
                let stats = run_worker(worker, progress, shared, [place, threads]);
                // The reporter may have stopped listening. The statistics are returned by the join.
                let _ = ended.send(());
                stats
            });
            match spawned {
                Ok(thread) => running.push(thread),
                Err(error) => {
                    shared.barrier.cancel();
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
        watch(&ends, threads, [start, start.saturating_add(plan.length_ns.min(plan.limit_ns))], &progress, stop, report);
        let stats: Vec<WorkerStats> = running.into_iter().filter_map(|thread| thread.join().ok()).collect();
        Ok((start, stats, [before, processor::usage()]))
    })?;
    Ok(sum_up(stats, start, &shared, processor, threads))
}

/// The thread of a worker, from the common start to its end.
fn run_worker(worker: &mut dyn Worker, progress: &Progress, shared: &Shared, place: [usize; 2]) -> WorkerStats {
    clock::sharpen_sleeps();
    let mut stats = WorkerStats::new(matches!(shared.plan.pace, Pace::Open(_)));
    let Some(start) = shared.barrier.wait() else { return stats };
    await_start(&Monotonic, &mut stats, start);
    let ran = panics::catch_panic(|| {
        worker.work(&mut WorkerState::new(progress, shared, &mut stats, start, place));
        Ok(())
    });
    if let Err(failure) = ran {
        stats.count_error(failure.kind);
        stats.messages.entry(failure.kind).or_insert(failure.message);
        progress.show_error(failure.kind);
        stats.gave_up = true;
        stats.ended_at = clock::now();
        stats.done_at = DoneAt::One(stats.ended_at);
    }
    stats
}

/// Waits for the common start, where the account of a worker begins.
fn await_start(clock: &impl Clock, stats: &mut WorkerStats, start: u64) {
    stats.ended_at = clock.wait_until(start, START_SPIN_NS);
    stats.done_at = DoneAt::One(stats.ended_at);
    stats.gap_ns = stats.ended_at - start;
}

/// Reports until every client has ended, and once when the time is over, because observers read their counters then.
fn watch(
    ends: &mpsc::Receiver<()>,
    mut running: usize,
    [start, end_at]: [u64; 2],
    progress: &[Progress],
    stop: &AtomicBool,
    report: &mut dyn FnMut(Interval) -> bool,
) {
    let mut tick = start + INTERVAL_NS;
    // One interval after a second is over: every worker has handed it over by then.
    let mut fresh_at = start + SECOND_NS + INTERVAL_NS;
    let mut end = Some(end_at).filter(|at| *at > start);
    while running > 0 {
        let next = end.map_or(tick, |at| at.min(tick));
        match ends.recv_timeout(Duration::from_nanos(next.saturating_sub(clock::now()))) {
            Ok(()) => running -= 1,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let calls = progress.iter().map(Progress::calls).sum();
                let errors = Kind::ALL.map(|kind| progress.iter().map(|its| its.errors(kind)).sum());
                let errors_by_kind = errors_by_kind(errors);
                let at_ns = clock::now() - start;
                let latency = if start + at_ns < fresh_at { None } else { all_fresh(progress) };
                while fresh_at <= start + at_ns {
                    fresh_at += SECOND_NS;
                }
                if !report(Interval { at_ns, calls, errors: errors.iter().sum(), errors_by_kind, latency }) {
                    stop.store(true, Relaxed);
                }
                end = end.filter(|at| *at > next);
                if tick == next {
                    tick += INTERVAL_NS;
                }
            }
        }
    }
}

/// The kinds that occurred, of errors in the order of `Kind::ALL`.
pub(crate) fn errors_by_kind(errors: [u64; Kind::ALL.len()]) -> BTreeMap<&'static str, u64> {
    Kind::ALL.into_iter().map(Kind::name).zip(errors).filter(|(_, count)| *count > 0).collect()
}

fn sum_up(stats: Vec<WorkerStats>, start: u64, shared: &Shared, processor: [Usage; 2], threads: usize) -> Outcome {
    let ends_ns = [shared.plan.length_ns.min(shared.plan.limit_ns), shared.plan.limit_ns];
    let batch = shared.batch.get().copied().unwrap_or(1);
    let ended_at = stats.iter().map(|stats| stats.ended_at).max().unwrap_or(start);
    let closed = stats.iter().all(|stats| stats.open.is_none());
    let mut stats = stats.into_iter().map(|stats| stats.until(start, ended_at));
    let first = stats.next().unwrap_or_else(|| WorkerStats::new(false));
    let total = stats.fold(first, |sum, stats| sum.merged(&stats));
    let elapsed_ns = ended_at.saturating_sub(start).max(1);
    let window = total.late.window(ends_ns, elapsed_ns, total.calls, total.gave_up);
    let [service, lateness] = total.open.map_or([None, None], |both| (*both).map(Some));
    Outcome {
        calls: total.calls,
        errors: total.errors,
        messages: total.messages,
        started_ns: (shared.plan.start_at_ns > 0).then_some(start),
        elapsed_ns,
        window,
        batch: (batch > 1).then_some(batch),
        latency: (batch == 1).then_some(total.latency),
        service,
        lateness,
        parts: total.parts.into_histograms(),
        in_call_ns: total.in_call_ns,
        think_ns: total.think_ns,
        gap_ns: closed.then_some(total.gap_ns),
        received: total.received,
        sent: total.sent,
        unserved: total.unserved,
        held_back: total.held_back,
        sent_again: total.sent_again,
        endpoints: total.endpoints,
        processor,
        threads,
    }
}

#[cfg(test)]
mod tests;
