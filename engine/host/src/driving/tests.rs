use super::*;

const SECOND: u64 = 1_000_000_000;

fn drive() -> Drive {
    serde_json::from_value(json!({"call": "Sum", "calls": 3, "seconds": 1, "limit_seconds": 60})).expect("a request")
}

/// A runner's `done` for three calls of 400 ns, one of which ended after the time.
fn changed(change: &Value) -> Value {
    let cpu = json!({"user_ns": "1", "system_ns": "2"});
    let mut said = json!({
        "calls": 3, "errors": {}, "elapsed_ns": SECOND + 100, "batch": 1,
        "latency": {"count": 3, "sum_ns": "1200", "min_ns": 400, "max_ns": 400, "buckets": [[328, 3]]},
        "service": null, "lateness": null, "in_call_ns": "1200", "think_ns": "0", "gap_ns": "5",
        "late": {"due_later": false, "time": {"after": 1, "flying": 1, "part": 0.75}, "limit": {"after": 0, "flying": 0, "part": 0.0}},
        "gave_up": false, "processor": {"start": cpu, "end": cpu}, "threads": 1
    });
    said.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
    said
}

fn done_after(change: &Value, took: Duration, stopped: bool) -> Result<Done, String> {
    let paced =
        Pacing { pace: Pace::Closed { think_ns: 0, timing: callbench_kit::drive::Timing::Each }, length_ns: SECOND, limit_ns: 60 * SECOND };
    DriveAccount { drive: &drive(), paced: &paced, asked_ns: 7, took, stopped }.done(changed(change))
}

fn done(change: &Value) -> Result<Done, String> {
    done_after(change, Duration::from_secs(2), false)
}

#[test]
fn the_window_is_worked_out_for_the_runner() {
    let done = done(&json!({})).expect("a done");
    assert_eq!((done.window_ns, done.answered, done.in_flight, done.timed), (SECOND, 2, 1, "each"));
    assert!((done.in_flight_part - 0.75).abs() < 1e-9);
}

#[test]
fn a_common_start_is_the_agreed_one_unless_its_order_came_later() {
    let paced =
        Pacing { pace: Pace::Closed { think_ns: 0, timing: callbench_kit::drive::Timing::Each }, length_ns: SECOND, limit_ns: 60 * SECOND };
    for (start_at_ns, started_ns) in [(0, None), (5, Some(7)), (9, Some(9))] {
        let drive = Drive { start_at_ns, ..drive() };
        let account = DriveAccount { drive: &drive, paced: &paced, asked_ns: 7, took: Duration::from_secs(2), stopped: false };
        assert_eq!(account.done(changed(&json!({}))).expect("a done").started_ns, started_ns);
    }
}

#[test]
fn what_does_not_belong_together_is_a_clause() {
    let none = json!({"count": 0, "sum_ns": "0", "min_ns": 0, "max_ns": 0, "buckets": []});
    for (change, part) in [
        (json!({"calls": 4}), "says that 4 calls were answered, but its latency has 3 of them"),
        (json!({"calls": 2, "latency": none}), "ended a drive after 2 of 3 calls and did not give up"),
        (json!({"calls": 3, "latency": null}), "a done of batch 1 without latency"),
        (json!({"batch": 5}), "a done of batch 5 with latency"),
        (json!({"errors": {"gremlins": 1}}), "an error of kind gremlins, which the contract has not"),
        (json!({"in_call_ns": "long"}), "in_call_ns is \"long\""),
        (json!({"threads": 0}), "threads is 0"),
        (
            json!({"late": {"due_later": false, "time": {"after": 9, "flying": 1, "part": 0.0}, "limit": {"after": 0, "flying": 0, "part": 0.0}}}),
            "late.time has 9 calls after",
        ),
        (json!({"elapsed_ns": "soon"}), "is not understood"),
    ] {
        let clause = done(&change).expect_err("a clause");
        assert!(clause.contains(part), "{change}: {clause}");
    }
}

#[test]
fn fewer_calls_are_right_where_it_gave_up_or_was_stopped_or_came_to_its_limit() {
    let few = json!({"calls": 1, "latency": {"count": 1, "sum_ns": "400", "min_ns": 400, "max_ns": 400, "buckets": [[328, 1]]}});
    let with = |more: Value| {
        let mut change = few.clone();
        change.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        change
    };
    assert!(done(&few).is_err());
    assert!(done(&with(json!({"errors": {"timeout": 2}}))).is_ok());
    assert!(done(&with(json!({"gave_up": true}))).is_ok());
    assert!(done_after(&few, Duration::from_secs(60), false).is_ok());
    assert!(done_after(&few, Duration::from_secs(2), true).is_ok());
    let early = done_after(&json!({}), Duration::from_millis(300), false).expect_err("a clause");
    assert_eq!(early, "ended a drive of 1 s after 0.300 s and did not give up");
}
