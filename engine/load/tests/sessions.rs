//! The load driver with several requests: sessions that log in, shares of endpoints, bodies in rotation, and statistics of each.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use callbench_kit::Kind;
use callbench_kit::histogram::Histogram;
use callbench_service::Call;
use serde_json::{Value, json};

mod driven;

use driven::{closed, driven, gathered, server};

/// What a server counted, by what was asked.
type Counts = Arc<Mutex<BTreeMap<String, u64>>>;

/// A request as it came.
struct Received {
    line: String,
    headers: BTreeMap<String, String>,
    body: String,
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut field = String::new();
        stream.read_line(&mut field).ok()?;
        let Some((name, value)) = field.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let mut body = vec![0; headers.get("content-length").map_or(0, |text| text.parse().unwrap_or(0))];
    stream.read_exact(&mut body).ok()?;
    Some(Received { line: line.trim().trim_end_matches(" HTTP/1.1").to_owned(), headers, body: String::from_utf8(body).ok()? })
}

/// Counts what it is asked, and answers as `answer` says: status, headers and body.
fn counting(answer: impl Fn(&Received) -> (u16, String, String) + Send + Sync + 'static) -> (String, Counts) {
    let counts = Counts::default();
    let mine = Arc::clone(&counts);
    let url = server(move |stream, _| {
        let mut out = stream.try_clone().expect("a socket");
        let mut stream = BufReader::new(stream);
        while let Some(spec) = read(&mut stream) {
            let (status, headers, body) = answer(&spec);
            *mine.lock().expect("counts").entry(format!("{} {}", spec.line, spec.body).trim().to_owned()).or_default() += 1;
            let text = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
            if out.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    });
    (url, counts)
}

fn script(sessions: &Value) -> Value {
    json!({"script": {"sessions": sessions}})
}

#[test]
fn endpoints_are_called_in_their_shares_and_bodies_in_rotation() {
    let (url, counts) = counting(|_| (200, String::new(), "ok".to_owned()));
    let sessions = json!([
        {"name": "a", "weight": 6, "steps": [{"path": "/a"}]},
        {"name": "b", "weight": 3, "steps": [{"path": "/b", "bodies": [{"text": "x"}, {"text": "y"}, {"text": "z"}]}]},
        {"name": "c", "weight": 1, "steps": [{"path": "/c", "method": "DELETE"}]},
    ]);
    let mut pool = gathered(&url, 4, script(&sessions)).expect("connections");
    pool.call(&Call::Hello).expect("each session once");
    let tried: Vec<String> = counts.lock().expect("counts").keys().cloned().collect();
    assert_eq!(tried, ["DELETE /c", "GET /a", "POST /b x"]);
    counts.lock().expect("counts").clear();
    let outcome = driven(pool.as_mut(), 4, &closed(1000, 0));
    assert_eq!(outcome.calls, 1000);
    let counts = counts.lock().expect("counts");
    let near = |what: &str, share: u64| assert!(counts[what].abs_diff(share) <= 5, "{what}: {counts:?}");
    near("GET /a", 600);
    near("DELETE /c", 100);
    for body in ["x", "y", "z"] {
        near(&format!("POST /b {body}"), 100);
    }
}

#[test]
fn a_session_logs_in_once_and_uses_what_it_was_given() {
    let numbers = AtomicU64::new(0);
    let (url, counts) = counting(move |spec| {
        if spec.line == "POST /login" {
            let token = numbers.fetch_add(1, Relaxed);
            return (200, format!("Set-Cookie: sid=s{token}; Path=/\r\n"), format!(r#"{{"user":{{"token":"t{token}"}}}}"#));
        }
        let token = spec.line.trim_start_matches("GET /orders/t");
        let right = spec.headers.get("cookie") == Some(&format!("sid=s{token}"));
        (if right { 200 } else { 403 }, String::new(), String::new())
    });
    let sessions = json!([{"name": "shop", "weight": 1,
        "once": [{"path": "/login", "body": "u", "take": {"token": {"json": "$.user.token"}, "sid": {"cookie": "sid"}}}],
        "steps": [{"path": "/orders/{token}", "headers": [["Cookie", "sid={sid}"]]}]}]);
    let mut pool = gathered(&url, 3, script(&sessions)).expect("connections");
    pool.call(&Call::Hello).expect("a login and an order");
    // Two drives: sessions go on where they are.
    for _ in 0..2 {
        let outcome = driven(pool.as_mut(), 3, &closed(300, 0));
        assert_eq!((outcome.calls, outcome.errors.iter().sum::<u64>()), (300, 0));
    }
    let counts = counts.lock().expect("counts");
    assert_eq!(counts["POST /login u"], 3, "{counts:?}");
    assert_eq!(counts.values().sum::<u64>(), 602);
}

#[test]
fn a_session_whose_step_fails_logs_in_again() {
    let numbers = AtomicU64::new(0);
    let (url, counts) = counting(move |spec| {
        let third = spec.line == "GET /next" && numbers.fetch_add(1, Relaxed) % 3 == 2;
        (if third { 401 } else { 200 }, String::new(), r#"{"token":1}"#.to_owned())
    });
    let sessions = json!([{"name": "a", "weight": 1, "once": [{"path": "/login", "take": {"token": {"json": "$.token"}}}],
        "steps": [{"path": "/next"}]}]);
    let mut pool = gathered(&url, 1, script(&sessions)).expect("a connection");
    let outcome = driven(pool.as_mut(), 1, &closed(20, 0));
    let failed = outcome.errors[Kind::ALL.iter().position(|kind| *kind == Kind::Status).expect("a kind")];
    assert!(failed > 3, "{failed}");
    let logins = counts.lock().expect("counts")["GET /login"];
    assert!(logins.abs_diff(failed + 1) <= 1, "{logins} logins after {failed} failures");
}

#[test]
fn a_value_that_is_not_there_is_a_wrong_answer() {
    let (url, _) = counting(|_| (200, String::new(), "{}".to_owned()));
    let sessions = json!([{"name": "a", "weight": 1, "steps": [{"path": "/login", "take": {"token": {"json": "$.token"}}}]}]);
    let failure = gathered(&url, 1, script(&sessions)).expect("a connection").call(&Call::Hello).expect_err("a failure");
    assert_eq!(failure.kind, Kind::WrongAnswer);
    assert!(failure.message.contains("nothing at $.token"), "{}", failure.message);
}

#[test]
fn every_step_is_counted_for_itself() {
    let (url, counts) = counting(|spec| {
        if spec.line == "GET /slow" {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        (if spec.line == "GET /wrong" { 500 } else { 200 }, String::new(), "ok".to_owned())
    });
    let sessions = json!([
        {"name": "fast one", "weight": 2, "steps": [{"path": "/a"}]},
        {"name": "wrong", "weight": 1, "steps": [{"path": "/wrong"}]},
        {"name": "two", "weight": 1, "steps": [{"path": "/b", "method": "PUT"}, {"path": "/slow"}]},
    ]);
    let options = json!({"script": {"sessions": sessions}, "threads": 2});
    let mut pool = gathered(&url, 4, options).expect("connections");
    let outcome = driven(pool.as_mut(), 4, &closed(100, 0));
    let counts = counts.lock().expect("counts");
    let seen: Vec<_> = outcome.endpoints.iter().map(|it| (it.name.as_str(), it.calls + it.errors.iter().sum::<u64>())).collect();
    let all = ["GET /a", "GET /wrong", "PUT /b", "GET /slow"].map(|line| counts[line]);
    let names = ["fast one", "wrong", "two: PUT /b", "two: GET /slow"];
    assert_eq!(seen, names.into_iter().zip(all).collect::<Vec<_>>());
    assert_eq!(outcome.endpoints[1].errors[Kind::Status as usize], counts["GET /wrong"]);
    assert!(outcome.endpoints[1].latency.is_none());
    let slow = &outcome.endpoints[3];
    assert!(slow.in_call_ns >= slow.calls * 20_000_000 && slow.latency.as_ref().and_then(|it| it.quantile(0.0)) >= Some(19_800_000));
    let latency = outcome.latency.expect("a histogram");
    assert_eq!(outcome.endpoints.iter().filter_map(|it| it.latency.as_ref()).map(Histogram::sum).sum::<u64>(), latency.sum());
    assert_eq!(outcome.endpoints.iter().map(|it| it.in_call_ns).sum::<u64>(), outcome.in_call_ns);
}
