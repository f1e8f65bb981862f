//! Tests the real program over the contract, as the core uses it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

struct Adapter {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    hello: Value,
}

impl Adapter {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_callbench-instrument"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut adapter = Adapter { child, stdin, stdout, hello: Value::Null };
        adapter.hello = adapter.read().expect("hello");
        adapter
    }

    fn write(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open stdin");
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).expect("a listening adapter");
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("UTF-8");
        (!line.is_empty()).then(|| serde_json::from_str(&line).expect("JSON"))
    }

    /// The answer itself, without the intervals before it.
    fn ask(&mut self, request: &Value) -> Value {
        self.write(request.to_string().as_bytes());
        loop {
            let answer = self.read().expect("an answer");
            assert_eq!(answer["id"], request["id"]);
            if answer["is"] != "interval" {
                return answer;
            }
        }
    }

    fn serve_and_connect(&mut self, options: &Value) {
        let serving =
            self.ask(&json!({"do": "serve", "id": 1, "stack": "instrument/direct", "host": "127.0.0.1", "port": 0, "options": options}));
        assert_eq!(serving["is"], "serving", "{serving}");
        let connected = self.ask(&json!({"do": "connect", "id": 2, "stack": "instrument/direct", "endpoint": serving["endpoint"],
            "clients": 2, "timeout_ms": 1000, "options": {}}));
        assert_eq!(connected, json!({"is": "connected", "id": 2, "connections": 0}));
    }

    fn ends_well(mut self) {
        assert_eq!(self.read(), None);
        assert!(self.child.wait().expect("an end").success());
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn drive(id: u64, change: &Value) -> Value {
    let mut request = json!({"do": "drive", "id": id, "call": "Sum", "arguments": {"a": 1, "b": 2}, "calls": 500, "seconds": 0,
        "limit_seconds": 60, "timing": "each", "think_ns": 0, "schedule": null, "start_at_ns": 0});
    request.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
    request
}

#[test]
fn hello_says_what_there_is() {
    let adapter = Adapter::start();
    let hello = &adapter.hello;
    assert_eq!((&hello["is"], &hello["contract"], &hello["adapter"]), (&json!("hello"), &json!(1), &json!("instrument")));
    assert_eq!(hello["stacks"], json!(["instrument/nothing", "instrument/direct"]));
    assert_eq!(hello["features"], json!(["closed", "think", "ramp-up", "open", "burn", "heap", "trace", "altered"]));
    assert!(hello.get("id").is_none());
}

#[test]
fn a_trial_as_a_whole() {
    let mut adapter = Adapter::start();
    adapter.serve_and_connect(&json!({}));
    let sum = adapter.ask(&json!({"do": "call", "id": 3, "call": "Sum", "arguments": {"a": 1, "b": 2}}));
    assert_eq!(sum, json!({"is": "returned", "id": 3, "value": 3}));
    let fault = adapter.ask(&json!({"do": "call", "id": 4, "call": "GetPersons", "arguments": {"n": -1}}));
    assert_eq!(fault, json!({"is": "returned", "id": 4, "fault": {"message": "n is -1: it must be from 0 to 1000000"}}));
    let nothing = adapter.ask(&json!({"do": "call", "id": 5, "call": "Empty", "arguments": {}}));
    assert_eq!(nothing, json!({"is": "returned", "id": 5, "value": null}));
    adapter.ask(&json!({"do": "counted", "id": 6}));
    let done = adapter.ask(&drive(7, &json!({})));
    assert_eq!((&done["is"], &done["calls"], &done["errors"], &done["threads"]), (&json!("done"), &json!(500), &json!({}), &json!(2)));
    assert_eq!((&done["timed"], &done["batch"], &done["latency"]["count"]), (&json!("each"), &json!(1), &json!(500)));
    assert_eq!(done["latency"]["sum_ns"], done["in_call_ns"]);
    let counts = adapter.ask(&json!({"do": "counted", "id": 8}));
    assert_eq!(counts["calls"], json!({"Sum": 500}));
    let one = adapter.ask(&drive(9, &json!({"clients": 1, "call": "GetPersons", "arguments": {"n": -1}})));
    assert_eq!((&one["calls"], &one["errors"]), (&json!(0), &json!({"fault": 100})));
    assert_eq!(adapter.ask(&json!({"do": "disconnect", "id": 10})), json!({"is": "disconnected", "id": 10}));
    assert_eq!(adapter.ask(&json!({"do": "stop-serving", "id": 11})), json!({"is": "stopped-serving", "id": 11}));
    assert_eq!(adapter.ask(&json!({"do": "stop", "id": 12})), json!({"is": "stopped", "id": 12}));
    adapter.ends_well();
}

#[test]
fn a_delay_is_in_every_call() {
    let mut adapter = Adapter::start();
    adapter.serve_and_connect(&json!({"delay_us": 2000}));
    let done = adapter.ask(&drive(3, &json!({"calls": 10})));
    assert!(done["latency"]["min_ns"].as_u64() >= Some(2_000_000), "{done}");
}

#[test]
fn what_cannot_be_done_is_an_error_and_no_end() {
    let mut adapter = Adapter::start();
    let serve = |stack: &str, options: Value| json!({"do": "serve", "stack": stack, "host": "127.0.0.1", "port": 0, "options": options});
    let cases = [
        (json!({"do": "dance"}), "bad-request", "dance"),
        (json!({"do": "connect", "stack": "instrument/direct"}), "bad-request", "endpoint"),
        (serve("instrument/none", json!({})), "bad-request", "instrument/none"),
        (serve("other/direct", json!({})), "bad-request", "other/direct"),
        (serve("instrument/direct", json!({"speed": 1})), "bad-request", "speed"),
        (serve("instrument/direct", json!({"delay_us": "long"})), "bad-request", "delay_us"),
        (json!({"do": "counted"}), "bad-request", "nothing is served"),
        (json!({"do": "call", "call": "Sum", "arguments": {"a": 1, "b": 2}}), "bad-request", "connect first"),
        (json!({"do": "call", "call": "Sum", "arguments": {"a": 1}}), "bad-request", "b is missing"),
        (json!({"do": "call", "call": "EchoString", "arguments": {"value": {"utf16": [55348]}}}), "cannot-carry", "surrogate"),
        (json!({"do": "codec", "stack": "instrument/direct", "call": "Hello", "seconds": 0}), "unsupported", "no codec"),
        (json!({"do": "serve-all", "host": "127.0.0.1", "port": 0, "channels": []}), "unsupported", "serve-all"),
        (drive(0, &json!({"think_ns": 1, "timing": "batch"})), "bad-request", "exclude"),
        (drive(0, &json!({"schedule": "/no/such/file"})), "bad-request", "/no/such/file"),
        (drive(0, &json!({"seconds": -1})), "bad-request", "seconds"),
        (drive(0, &json!({"start_at_ns": 1_u64 << 52})), "bad-request", "start_at_ns"),
    ];
    for (id, (mut request, kind, part)) in (1..).zip(cases) {
        request["id"] = json!(id);
        let answer = adapter.ask(&request);
        assert_eq!((&answer["is"], &answer["kind"]), (&json!("error"), &json!(kind)), "{request}");
        assert!(answer["message"].as_str().is_some_and(|message| message.contains(part)), "{answer}");
    }
}

#[test]
fn unreadable_lines_are_answered_under_the_next_id() {
    let mut adapter = Adapter::start();
    adapter.serve_and_connect(&json!({}));
    let mut long = vec![b'x'; (16 << 20) + 1];
    long[0] = b'{';
    for (id, line) in [(3, &b"nonsense"[..]), (4, &long), (5, b"\xff\xfe"), (6, b"{\"do\":\"stop\"}")] {
        adapter.write(line);
        let answer = adapter.read().expect("an answer");
        assert_eq!((&answer["id"], &answer["kind"]), (&json!(id), &json!("bad-request")), "{answer}");
    }
    assert_eq!(adapter.ask(&json!({"do": "stop", "id": 7}))["is"], "stopped");
}

#[test]
fn the_end_of_stdin_means_stop_after_what_was_asked() {
    let mut adapter = Adapter::start();
    adapter.write(br#"{"do":"disconnect","id":1}"#);
    adapter.stdin = None;
    assert_eq!(adapter.read(), Some(json!({"is": "disconnected", "id": 1})));
    adapter.ends_well();
}

#[test]
fn sigterm_means_stop_even_in_a_drive() {
    let mut adapter = Adapter::start();
    adapter.serve_and_connect(&json!({}));
    adapter.write(drive(3, &json!({"seconds": 1000, "limit_seconds": 1000})).to_string().as_bytes());
    assert_eq!(adapter.read().expect("a line")["is"], "interval");
    kill(Pid::from_raw(adapter.child.id() as i32), Signal::SIGTERM).expect("a living adapter");
    while adapter.read().is_some_and(|line| line["is"] != "done") {}
    adapter.ends_well();
}
