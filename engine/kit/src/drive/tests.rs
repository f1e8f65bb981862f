use super::*;
use crate::nothing::Idle;
use callbench_service::{Answer, Service};
use std::sync::{Arc, Mutex};

const SECOND: u64 = 1_000_000_000;

/// Answers `Sum` according to a script. The last entry is repeated.
struct Scripted {
    script: Vec<fn() -> Result<Answer, Failure>>,
    at: usize,
}

impl Client for Scripted {
    fn call(&mut self, _call: &Call) -> Result<Answer, Failure> {
        let say = self.script[self.at.min(self.script.len() - 1)];
        self.at += 1;
        say()
    }
}

#[allow(clippy::unnecessary_wraps)] // An entry of a script.
fn right() -> Result<Answer, Failure> {
    Ok(Answer::Number(3))
}

#[allow(clippy::unnecessary_wraps)] // An entry of a script.
fn wrong() -> Result<Answer, Failure> {
    Ok(Answer::Number(4))
}

fn late() -> Result<Answer, Failure> {
    Err(Failure::new(Kind::Timeout, "late"))
}

fn panics() -> Result<Answer, Failure> {
    panic!("on purpose")
}

fn scripted(script: &[fn() -> Result<Answer, Failure>]) -> Box<dyn Client> {
    Box::new(Scripted { script: script.to_vec(), at: 0 })
}

fn idle(clients: usize) -> Vec<Box<dyn Client>> {
    (0..clients).map(|_| Box::new(Idle) as Box<dyn Client>).collect()
}

fn plan(call: Call, calls: u64, timing: Timing) -> Plan {
    Plan {
        call,
        further: Vec::new(),
        calls,
        length_ns: 0,
        limit_ns: 60 * SECOND,
        pace: Pace::Closed { think_ns: 0, timing },
        start_at_ns: 0,
        burn_ns: 0,
        ramp_up_ns: 0,
        altered: false,
    }
}

/// Answers correctly, and stores the calls.
struct RecordedCalls(Arc<Mutex<Vec<Call>>>);

impl Client for RecordedCalls {
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        self.0.lock().expect("one client").push(call.clone());
        Service::default().answer(call).map_err(|fault| Failure::fault(fault.message))
    }
}

#[test]
fn a_client_takes_the_payloads_in_rotation_and_each_answer_is_checked_by_its_own() {
    let text = |text: &str| Call::EchoString(text.to_owned());
    let plan = Plan { further: vec![text("b"), text("c")], ..plan(text("a"), 7, Timing::Each) };
    let made = Arc::new(Mutex::new(Vec::new()));
    let outcome = driven(&mut [Box::new(RecordedCalls(Arc::clone(&made)))], &plan);
    assert_eq!((outcome.calls, outcome.errors.iter().sum::<u64>()), (7, 0));
    let asked: Vec<Call> = ["a", "b", "c", "a", "b", "c", "a"].into_iter().map(text).collect();
    assert_eq!(*made.lock().expect("one client"), asked);
}

fn sum(calls: u64) -> Plan {
    plan(Call::Sum { a: 1, b: 2 }, calls, Timing::Each)
}

fn driven(clients: &mut [Box<dyn Client>], plan: &Plan) -> Outcome {
    drive(clients, plan, &AtomicBool::new(false), &mut |_| true).expect("threads")
}

#[test]
fn makes_exactly_the_calls_asked_for_where_no_time_is() {
    for (clients, calls) in [(1, 1), (1, 1000), (3, 1000), (7, 5), (4, 100_000)] {
        for timing in [Timing::Each, Timing::Batch, Timing::Auto] {
            let outcome = driven(&mut idle(clients), &plan(Call::Empty, calls, timing));
            assert_eq!((outcome.calls, outcome.threads), (calls, clients), "{timing:?}");
            assert_eq!(outcome.errors.iter().sum::<u64>(), 0);
            let spent = outcome.in_call_ns + outcome.think_ns + outcome.gap_ns.expect("a closed loop");
            assert_eq!(spent, outcome.elapsed_ns * clients as u64, "every nanosecond of every client is accounted for");
        }
    }
}

#[test]
fn a_histogram_holds_every_right_call_and_batches_have_none() {
    let each = driven(&mut idle(2), &plan(Call::Empty, 5000, Timing::Each));
    let latency = each.latency.expect("a histogram");
    assert_eq!((latency.count(), each.batch), (5000, None));
    assert_eq!(latency.sum(), each.in_call_ns);
    let batch = driven(&mut idle(2), &plan(Call::Empty, 50_000, Timing::Auto));
    assert!(batch.latency.is_none() && batch.batch.is_some_and(|calls| calls > 1));
}

#[test]
fn goes_on_until_the_time_is_over_and_reports_meanwhile() {
    let mut intervals = Vec::new();
    let mut clients = [scripted(&[wrong, late, late, right]), scripted(&[right])];
    let outcome = drive(&mut clients, &Plan { length_ns: SECOND, ..sum(1) }, &AtomicBool::new(false), &mut |it| {
        intervals.push(it);
        true
    })
    .expect("threads");
    assert!(outcome.elapsed_ns >= SECOND && outcome.calls > 1);
    assert!(intervals.is_sorted_by(|one, next| one.at_ns < next.at_ns && one.calls <= next.calls));
    assert!(intervals.iter().all(|it| it.calls <= outcome.calls));
    let last = intervals.pop().expect("one in a second");
    assert_eq!((last.errors, last.errors_by_kind), (3, BTreeMap::from([("wrong-answer", 1), ("timeout", 2)])));
}

#[test]
fn clients_begin_evenly_over_the_ramp() {
    let plan = Plan { ramp_up_ns: SECOND / 5, length_ns: SECOND / 4, ..plan(Call::Empty, 1, Timing::Auto) };
    assert_eq!([0, 1, 2, 3].map(|place| plan.first_after_ns(place, 4)), [0, SECOND / 20, SECOND / 10, SECOND / 20 * 3]);
    let outcome = driven(&mut idle(4), &plan);
    let gap_ns = outcome.gap_ns.expect("a closed loop");
    assert!(gap_ns >= SECOND / 20 * (1 + 2 + 3), "{gap_ns} ns are the clients' that had not begun");
    assert_eq!(outcome.in_call_ns + gap_ns, outcome.elapsed_ns * 4);
}

#[test]
fn a_straggler_is_in_flight_at_the_end_of_the_window_and_does_not_stretch_it() {
    // So long that also a thread that a busy machine keeps waiting calls within it.
    const WINDOW_NS: u64 = SECOND / 2;
    const STALL_NS: u64 = 3 * WINDOW_NS;
    fn stalls() -> Result<Answer, Failure> {
        std::thread::sleep(std::time::Duration::from_nanos(STALL_NS));
        right()
    }
    let mut clients = [scripted(&[right, stalls]), scripted(&[right])];
    let outcome = driven(&mut clients, &Plan { length_ns: WINDOW_NS, ..sum(1) });
    assert!(outcome.elapsed_ns >= STALL_NS, "it is waited for");
    assert_eq!(outcome.window.ns, WINDOW_NS, "and the window is what was asked for");
    let Window { answered, in_flight, in_flight_part, .. } = outcome.window;
    assert!(in_flight >= 1 && in_flight_part > 0.0 && in_flight_part < in_flight as f64);
    // A client that was released just before the end may have begun just after it.
    assert!((outcome.calls - 2..=outcome.calls).contains(&(answered + in_flight)), "{outcome:?}");
}

#[test]
fn the_window_of_a_drive_bound_by_its_calls_ends_with_the_last() {
    let outcome = driven(&mut idle(2), &plan(Call::Empty, 5000, Timing::Auto));
    let whole = Window { ns: outcome.elapsed_ns, answered: 5000, in_flight: 0, in_flight_part: 0.0 };
    assert_eq!(outcome.window, whole);
    let given_up = driven(&mut [scripted(&[late])], &Plan { length_ns: 60 * SECOND, ..sum(1) });
    assert_eq!(given_up.window.ns, given_up.elapsed_ns, "and of one that was given up, too");
}

#[test]
fn who_thinks_is_not_in_step() {
    let thinking = |think_ns, ramp_up_ns| Plan {
        pace: Pace::Closed { think_ns, timing: Timing::Each },
        ramp_up_ns,
        length_ns: SECOND / 20,
        ..plan(Call::Empty, 1, Timing::Each)
    };
    assert_eq!([0, 1, 2, 3].map(|place| thinking(800, 0).first_after_ns(place, 4)), [100, 300, 500, 700]);
    assert_eq!([0, 1].map(|place| thinking(800, 100).first_after_ns(place, 2)), [0, 50], "a ramp says when they begin");
    // If five clients called at the same time, they would make three calls each within two and a half think times.
    let outcome = driven(&mut idle(5), &thinking(SECOND / 50, 0));
    assert!(outcome.window.answered as f64 + outcome.window.in_flight_part <= 12.6, "{outcome:?}");
    assert!(outcome.elapsed_ns <= outcome.window.ns + SECOND / 1000 || outcome.window.in_flight > 0);
}

#[test]
fn errors_count_by_kind_and_stay_out_of_the_histogram() {
    let outcome = driven(&mut [scripted(&[right, wrong, late, late, right])], &sum(5));
    assert_eq!(outcome.calls, 2);
    assert_eq!(outcome.errors[Kind::WrongAnswer as usize], 1);
    assert_eq!(outcome.errors[Kind::Timeout as usize], 2);
    assert_eq!(outcome.latency.expect("a histogram").count(), 2);
}

#[test]
fn a_hopeless_client_leaves_its_calls_to_the_others() {
    let outcome = driven(&mut [scripted(&[late])], &sum(100_000));
    assert_eq!((outcome.calls, outcome.errors[Kind::Timeout as usize]), (0, 100));
    let outcome = driven(&mut [scripted(&[wrong])], &plan(Call::Sum { a: 1, b: 2 }, 100_000, Timing::Batch));
    assert_eq!(outcome.errors[Kind::WrongAnswer as usize], 100);
}

#[test]
fn a_panic_is_an_internal_error_and_ends_its_client_only() {
    let mut clients = [scripted(&[right, panics]), scripted(&[right])];
    let outcome = driven(&mut clients, &Plan { length_ns: SECOND / 20, ..sum(1000) });
    assert_eq!(outcome.errors[Kind::Internal as usize], 1);
    assert!(outcome.calls > 1);
}

#[test]
fn the_limit_ends_everything() {
    let outcome = driven(&mut idle(1), &Plan { limit_ns: SECOND / 50, ..plan(Call::Empty, u64::MAX, Timing::Each) });
    assert!(outcome.elapsed_ns >= SECOND / 50);
}

#[test]
fn a_raised_flag_or_a_deaf_listener_ends_it_early() {
    let endless = Plan { length_ns: 3600 * SECOND, limit_ns: 3600 * SECOND, ..plan(Call::Empty, 0, Timing::Each) };
    drive(&mut idle(2), &endless, &AtomicBool::new(true), &mut |_| true).expect("threads");
    drive(&mut idle(2), &endless, &AtomicBool::new(false), &mut |_| false).expect("threads");
}

#[test]
fn thinking_is_time_of_its_own() {
    let pace = Pace::Closed { think_ns: 200_000, timing: Timing::Auto };
    let outcome = driven(&mut idle(1), &Plan { pace, ..plan(Call::Empty, 50, Timing::Auto) });
    assert_eq!((outcome.calls, outcome.batch), (50, None));
    // The drive ends with the last call. The think time after it does not count.
    assert!(outcome.think_ns >= 49 * 200_000);
}

#[test]
fn an_open_loop_makes_every_arrival_of_its_schedule() {
    let path = std::env::temp_dir().join(format!("callbench-open-{}", std::process::id()));
    std::fs::write(&path, 50_000_u64.to_le_bytes()).expect("a file");
    let pace = Pace::Open(Schedule::read(&path).expect("a schedule"));
    std::fs::remove_file(&path).expect("the file");
    let outcome = driven(&mut idle(3), &Plan { pace, length_ns: SECOND / 20, ..plan(Call::Empty, 0, Timing::Auto) });
    // Due at 50 us, 100 us ... and before 50 ms.
    assert_eq!(outcome.calls, 999);
    let [latency, service, lateness] = [outcome.latency, outcome.service, outcome.lateness].map(|it| it.expect("a histogram"));
    assert_eq!([latency.count(), service.count(), lateness.count()], [999; 3]);
    assert!(service.sum() <= latency.sum() && lateness.sum() <= latency.sum());
}

#[test]
fn a_thought_beyond_the_end_is_not_counted_and_nothing_is_lost() {
    let pace = Pace::Closed { think_ns: 3_000_000, timing: Timing::Each };
    let outcome = driven(&mut idle(2), &Plan { pace, ..plan(Call::Empty, 9, Timing::Each) });
    assert_eq!(outcome.in_call_ns + outcome.think_ns + outcome.gap_ns.expect("a closed loop"), outcome.elapsed_ns * 2);
}

#[test]
fn a_burn_is_part_of_every_call() {
    let outcome = driven(&mut idle(1), &Plan { burn_ns: 200_000, ..plan(Call::Empty, 5, Timing::Each) });
    assert!(outcome.latency.and_then(|latency| latency.quantile(0.0)).is_some_and(|least| least >= 198_000));
}
