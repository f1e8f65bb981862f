//! The event loop and the kit's load loop produce the same results for the golden traces.
//!
//! The event loop reads the clock more often than contract/LOOP.md says, because it handles events and timeouts between calls. So each trace is
//! replayed with clock readings that take no time, in both loops, and the results must be equal. tests/traces compares the kit's own loop with the
//! files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use callbench_kit::clock::Clock;
use callbench_kit::contract::trace_of;
use callbench_kit::drive::{Outcome, Pace, Replayed, Schedule, Scripted, ScriptedCall, ScriptedClock, Timing, Trace, replay, replay_by};
use callbench_kit::histogram::Histogram;

use super::*;
use crate::connect_options::ConnectOptions;
use crate::endpoint::Endpoint;
use crate::events::Event;
use crate::expected::Expected;
use crate::limits::Limits;
use crate::protocol::Protocol;
use crate::settings::Settings;

/// The remaining time if no call is in flight.
const NONE: u64 = u64::MAX;

/// A request that is never sent.
struct Unwritten(Settings);

impl Spec for Unwritten {
    fn of(_wished: ConnectOptions, _protocol: Protocol) -> Result<Self, Failure> {
        Err(Failure::new(Kind::Unsupported, "nothing is asked here"))
    }

    fn settings(&self) -> &Settings {
        &self.0
    }
}

/// The calls of one client, as the trace scripts them.
struct ScriptedCarrier {
    calls: Vec<ScriptedCall>,
    made: usize,
    left_ns: Arc<AtomicU64>,
}

impl Carrier for ScriptedCarrier {
    type CallSpec = Unwritten;

    fn new(_asked: Arc<Unwritten>, _streams: usize, _clients: usize) -> Self {
        ScriptedCarrier { calls: Vec::new(), made: 0, left_ns: Arc::new(AtomicU64::new(NONE)) }
    }

    fn use_spec(&mut self, _asked: &Arc<Unwritten>) {}

    fn kept_body(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn received(&self) -> u64 {
        0
    }

    fn sent(&self) -> u64 {
        0
    }

    fn connections_needed(&self, clients: usize) -> usize {
        clients
    }

    fn connections(&self) -> usize {
        1
    }

    fn connect(&mut self, _place: usize, _events: &Events) -> Result<(), Failure> {
        Ok(())
    }

    fn continue_connect(&mut self, _event: Event, _events: &Events, _scratch: &mut [u8]) -> Result<bool, Failure> {
        Ok(true)
    }

    fn begin(&mut self, _client: usize, _events: &Events, _values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.left_ns.store(self.calls[self.made % self.calls.len()].takes_ns, Relaxed);
        self.made += 1;
        Ok(())
    }

    fn handle_event(&mut self, _event: Event, _events: &Events, _scratch: &mut [u8], ended: &mut Vec<Ended>) {
        let scripted = self.calls[(self.made - 1) % self.calls.len()].answer;
        let result = if scripted == Scripted::Right { Ok(()) } else { Err(Failure::new(Kind::Status, "scripted")) };
        ended.push((0, result));
    }

    fn end(&mut self, _client: usize, _result: &Result<(), Failure>) {}

    fn flush(&mut self) {}
}

/// The clock of the trace. A call ends while the loop waits for events.
struct Stage<'a> {
    clock: &'a ScriptedClock,
    left_ns: Arc<AtomicU64>,
}

impl Clock for Stage<'_> {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn sleep_until(&self, moment: u64) {
        self.clock.sleep_until(moment);
    }

    fn spin_ns(&self, usual: u64) -> u64 {
        self.clock.spin_ns(usual)
    }

    fn made(&self, started: u64, ended: u64) {
        self.clock.made(started, ended);
    }
}

impl EventClock for Stage<'_> {
    fn wait(&self, events: &mut Events, until: u64) -> usize {
        let (now, left_ns) = (self.now(), self.left_ns.load(Relaxed));
        let most_ns = until.saturating_sub(now);
        if left_ns == NONE {
            if most_ns > 0 {
                self.sleep_until(until);
            }
            return 0;
        }
        self.clock.pass(left_ns.min(most_ns));
        if left_ns > most_ns {
            self.left_ns.store(left_ns - most_ns, Relaxed);
            return 0;
        }
        self.left_ns.store(NONE, Relaxed);
        events.inject();
        1
    }
}

/// The golden traces with one client, with clock readings that take no time. Traces with errors are left out, because a client of the load driver
/// pauses after an error and never gives up. Traces with a burn are left out too, because they would never end.
fn traces() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/golden/traces");
    let files = std::fs::read_dir(folder).expect("the golden traces").map(|file| file.expect("a file").path());
    let json = files.filter(|path| path.extension().is_some_and(|it| it == "json"));
    json.map(|path| (path.display().to_string(), std::fs::read(&path).expect("a trace"))).collect()
}

fn trace(text: &[u8]) -> Trace {
    let mut trace = trace_of(serde_json::from_slice(text).expect("JSON")).expect("a trace");
    trace.script.reading_takes_ns = 0;
    trace.script.clock_start_ns = trace.script.clock_start_ns.max(trace.start);
    trace.spin_ns = 0;
    if let Pace::Closed { timing, .. } = &mut trace.pace {
        *timing = Timing::Each;
    }
    trace
}

fn with_event_loop(trace: Trace) -> Replayed {
    let (place, of) = (trace.place, trace.clients);
    let settings = Settings {
        endpoint: Endpoint::of("http://127.0.0.1:1/").expect("a URL"),
        tls: None,
        expected: Expected::default(),
        keep_alive: true,
        timeout_ns: u64::MAX >> 2,
        limits: Limits::default(),
    };
    let spec = Arc::new(Unwritten(settings));
    let mut event_loop: EventLoop<ScriptedCarrier> = EventLoop::new(&spec, 1, Arc::default(), 0, 1).expect("an epoll");
    let stopping = AtomicBool::new(false);
    let played = replay_by(trace, &stopping, |state, clock, calls| {
        event_loop.carrier.calls = calls;
        let stage = Stage { clock, left_ns: Arc::clone(&event_loop.carrier.left_ns) };
        LoopTask { event_loop: &mut event_loop, clients: 1, place, event_loops: of, of }.drive(state, &stage);
    });
    played.expect("a trace that ends")
}

/// All numbers of the result of a trace.
fn numbers((outcome, made): &Replayed) -> String {
    let Outcome { calls, errors, elapsed_ns, window, in_call_ns, think_ns, gap_ns, .. } = outcome;
    let histograms = [&outcome.latency, &outcome.service, &outcome.lateness].map(|it| it.as_ref().map(Histogram::sparse));
    format!("{calls} {errors:?} {elapsed_ns} {window:?} {in_call_ns} {think_ns} {gap_ns:?} {histograms:?} {made:?}")
}

#[test]
fn a_rest_after_an_error_is_no_lateness_of_the_generator() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/golden/traces");
    let mut trace = trace(&std::fs::read(folder.join("open-errors.json")).expect("a trace"));
    (trace.script.oversleeps_ns, trace.calls, trace.length_ns, trace.limit_ns) = (0, 30, 0, 60_000_000_000);
    trace.pace = Pace::Open(Schedule::of(vec![100_000]).expect("a gap"));
    trace.script.calls =
        [Scripted::Wrong, Scripted::Wrong, Scripted::Right].map(|answer| ScriptedCall { takes_ns: 1_000, answer }).to_vec();
    let (outcome, _) = with_event_loop(trace);
    let lateness = outcome.lateness.expect("a histogram");
    assert!(lateness.count() > 0);
    assert_eq!(lateness.sum(), 0, "{:?}", lateness.sparse());
    assert!(outcome.latency.expect("a histogram").sum() > 1_000_000, "calls waited for the end of a rest");
}

#[test]
fn the_event_loop_and_the_kit_agree_on_golden_traces() {
    let mut played = 0;
    for (name, text) in traces() {
        let golden = trace(&text);
        if golden.burn_ns > 0 || golden.script.calls.iter().any(|call| call.answer != Scripted::Right) {
            continue;
        }
        let kit_outcome = replay(golden, &AtomicBool::new(false)).expect("a trace that ends");
        assert_eq!(numbers(&with_event_loop(trace(&text))), numbers(&kit_outcome), "{name}");
        played += 1;
    }
    assert!(played >= 40, "{played} traces were played");
}
