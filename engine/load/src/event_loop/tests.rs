//! The event loop's loop and the kit's make the same of the golden traces.
//!
//! The event loop reads the clock more often than contract/LOOP.md has it, since it looks at events and at time-outs between calls. So each trace is
//! played with readings that take no time, in both loops, and what comes of it must be the same. The kit's own loop is held against the
//! files themselves by tests/traces.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use callbench_kit::clock::Clock;
use callbench_kit::contract::trace_of;
use callbench_kit::drive::{Outcome, Pace, Replayed, Scripted, ScriptedCall, ScriptedClock, Timing, Trace, replay, replay_by};
use callbench_kit::histogram::Histogram;

use super::*;
use crate::endpoint::Endpoint;
use crate::events::Event;
use crate::expected::Expected;
use crate::protocol::Protocol;
use crate::settings::Settings;
use crate::wishes::Wished;

/// What is left of the call under way where there is none.
const NONE: u64 = u64::MAX;

/// A request that is never written.
struct Unwritten(Settings);

impl Asks for Unwritten {
    fn of(_wished: Wished, _protocol: Protocol) -> Result<Self, Failure> {
        Err(Failure::new(Kind::Unsupported, "nothing is asked here"))
    }

    fn settings(&self) -> &Settings {
        &self.0
    }
}

/// One client's calls as the script has them.
struct Line {
    calls: Vec<ScriptedCall>,
    made: usize,
    left_ns: Arc<AtomicU64>,
}

impl Carrier for Line {
    type Asked = Unwritten;

    fn new(_asked: Arc<Unwritten>, _streams: usize, _clients: usize) -> Self {
        Line { calls: Vec::new(), made: 0, left_ns: Arc::new(AtomicU64::new(NONE)) }
    }

    fn go_by(&mut self, _asked: &Arc<Unwritten>) {}

    fn kept(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn received(&self) -> u64 {
        0
    }

    fn needed(&self, clients: usize) -> usize {
        clients
    }

    fn connections(&self) -> usize {
        1
    }

    fn connect(&mut self, _place: usize, _events: &Events) -> Result<(), Failure> {
        Ok(())
    }

    fn connects(&mut self, _event: Event, _scratch: &mut [u8]) -> Result<bool, Failure> {
        Ok(true)
    }

    fn begin(&mut self, _client: usize, _events: &Events, _values: impl FnMut() -> Values) -> Result<(), Failure> {
        self.left_ns.store(self.calls[self.made % self.calls.len()].takes_ns, Relaxed);
        self.made += 1;
        Ok(())
    }

    fn go_on(&mut self, _event: Event, _events: &Events, _scratch: &mut [u8], ended: &mut Vec<Ended>) {
        ended.push((0, Ok(())));
    }

    fn end(&mut self, _client: usize, _result: &Result<(), Failure>) {}

    fn flush(&mut self) {}
}

/// The trace's clock. The call under way ends while the loop waits for events.
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
        events.pretend();
        1
    }
}

/// The golden traces that concern one client of an event loop, with readings that take no time: all but those with errors, after which a client of
/// the load driver rests and never gives up, and with a burn, which would never end.
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

fn by_the_herd(trace: Trace) -> Replayed {
    let (place, of) = (trace.place, trace.clients);
    let settings = Settings {
        endpoint: Endpoint::of("http://127.0.0.1:1/").expect("a URL"),
        tls: None,
        expected: Expected::default(),
        keeps: true,
        timeout_ns: u64::MAX >> 2,
        most: 0,
    };
    let asked = Arc::new(Unwritten(settings));
    let mut event_loop: EventLoop<Line> = EventLoop::new(&asked, 1, Arc::default(), 0, 1).expect("an epoll");
    let stopping = AtomicBool::new(false);
    let played = replay_by(trace, &stopping, |state, clock, calls| {
        event_loop.carrier.calls = calls;
        let stage = Stage { clock, left_ns: Arc::clone(&event_loop.carrier.left_ns) };
        LoopTask { event_loop: &mut event_loop, clients: 1, place, event_loops: of, of }.drive(state, &stage);
    });
    played.expect("a trace that ends")
}

/// All numbers of what came of a trace.
fn numbers((outcome, made): &Replayed) -> String {
    let Outcome { calls, errors, elapsed_ns, window, in_call_ns, think_ns, gap_ns, .. } = outcome;
    let histograms = [&outcome.latency, &outcome.service, &outcome.lateness].map(|it| it.as_ref().map(Histogram::sparse));
    format!("{calls} {errors:?} {elapsed_ns} {window:?} {in_call_ns} {think_ns} {gap_ns:?} {histograms:?} {made:?}")
}

#[test]
fn the_herd_makes_of_a_trace_what_the_kit_makes_of_it() {
    let mut played = 0;
    for (name, text) in traces() {
        let given = trace(&text);
        if given.burn_ns > 0 || given.script.calls.iter().any(|call| call.answer != Scripted::Right) {
            continue;
        }
        let theirs = replay(given, &AtomicBool::new(false)).expect("a trace that ends");
        assert_eq!(numbers(&by_the_herd(trace(&text))), numbers(&theirs), "{name}");
        played += 1;
    }
    assert!(played >= 40, "{played} traces were played");
}
