//! The load driver with correct and misbehaving servers. Each misbehaviour has its own kind of error, and none stops the driver.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use callbench_kit::drive::{Pace, Plan, Schedule};
use callbench_kit::histogram::Histogram;
use callbench_kit::stack::ClientPool;
use callbench_kit::{Failure, Kind};
use callbench_service::Call;
use serde_json::{Value, json};

mod driven;

use driven::{closed, driven, gathered, gathered_for, plan, server};

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// Reads one request without a body. False if the client has closed the connection.
fn request(stream: &mut TcpStream) -> bool {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => seen.push(byte[0]),
            _ => return false,
        }
    }
    true
}

/// Answers every request with these bytes.
fn answering(bytes: &'static [u8]) -> String {
    server(move |mut stream, _| while request(&mut stream) && stream.write_all(bytes).is_ok() {})
}

/// Answers the very first request correctly, and the later ones with `then`.
fn spoiled(then: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> String {
    let first = AtomicBool::new(true);
    server(move |mut stream, _| {
        while request(&mut stream) {
            if first.swap(false, Relaxed) {
                let _ = stream.write_all(GOOD);
            } else {
                then(&mut stream);
                return;
            }
        }
    })
}

/// Answers the very first request correctly, and the later ones with these bytes, over the same connection.
/// A server that closes it would race with the client's next request, which is then reset.
fn answering_wrongly(bytes: &'static [u8]) -> String {
    let first = AtomicBool::new(true);
    server(move |mut stream, _| {
        while request(&mut stream) {
            let answer = if first.swap(false, Relaxed) { GOOD } else { bytes };
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    })
}

/// What a call has that is to time out: enough for the first one, which is answered.
const SHORT: Duration = Duration::from_secs(1);
/// No server of another test listens here, so that nobody else is given a port that has just become free.
const ALONE: &str = "127.0.0.77:0";

/// The errors of six calls after the server begins to misbehave.
fn errors(url: &str, options: Value) -> Vec<(Kind, u64)> {
    errors_of(gathered(url, 1, options))
}

fn errors_of(clients: Result<Box<dyn ClientPool>, Failure>) -> Vec<(Kind, u64)> {
    let mut pool = clients.expect("a connection");
    pool.call(&Call::Hello).expect("the first answer");
    let outcome = driven(pool.as_mut(), 1, &closed(6, 0));
    assert!(outcome.messages.values().all(|sentence| !sentence.is_empty()));
    Kind::ALL.into_iter().zip(outcome.errors).filter(|(_, count)| *count > 0).collect()
}

#[test]
fn exactly_the_calls_asked_for_are_made_by_any_number_of_clients_and_threads() {
    let url = answering(GOOD);
    for (clients, threads) in [(1, 1), (7, 1), (7, 3)] {
        let mut pool = gathered(&url, clients, json!({"expect_body": "hello", "threads": threads})).expect("connections");
        assert_eq!(pool.connections(), clients);
        let outcome = driven(pool.as_mut(), clients, &closed(500, 0));
        assert_eq!((outcome.calls, outcome.threads), (500, threads));
        assert_eq!(outcome.latency.expect("times").count(), 500);
        let accounted = outcome.in_call_ns + outcome.think_ns + outcome.gap_ns.expect("a closed loop's");
        assert_eq!(accounted, clients as u64 * outcome.elapsed_ns);
    }
}

#[test]
fn the_bytes_of_requests_are_counted_as_the_server_received_them() {
    let arrived = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&arrived);
    let url = server(move |mut stream, _| {
        let mut buffer = [0; 4096];
        let mut seen = Vec::new();
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            counted.fetch_add(read as u64, Relaxed);
            seen.extend_from_slice(&buffer[..read]);
            // The body's last bytes end the request.
            if seen.ends_with(b"the end") {
                seen.clear();
                if stream.write_all(GOOD).is_err() {
                    return;
                }
            }
        }
    });
    let body = "x".repeat(50_000) + "the end";
    let mut pool = gathered(&url, 2, json!({"method": "POST", "body": body})).expect("connections");
    for _ in 0..2 {
        let began = arrived.load(Relaxed);
        let outcome = driven(pool.as_mut(), 2, &closed(10, 0));
        assert_eq!((outcome.calls, outcome.sent), (10, arrived.load(Relaxed) - began));
        assert!(outcome.sent > 10 * 50_007);
    }
}

#[test]
fn thoughts_are_counted_as_such() {
    let url = answering(GOOD);
    let mut pool = gathered(&url, 4, json!({})).expect("connections");
    let outcome = driven(pool.as_mut(), 4, &closed(40, 2_000_000));
    assert_eq!(outcome.calls, 40);
    // The think times after the last calls are not part of the drive.
    assert!(outcome.think_ns >= 36 * 2_000_000, "{} ns", outcome.think_ns);
}

#[test]
fn clients_that_begin_in_turn_are_spread_over_the_ramp_and_every_nanosecond_is_accounted_for() {
    const RAMP_NS: u64 = 200_000_000;
    let url = answering(GOOD);
    for threads in [1, 2] {
        let mut pool = gathered(&url, 5, json!({"threads": threads})).expect("connections");
        let plan = Plan { ramp_up_ns: RAMP_NS, ..closed(5, 10_000_000_000) };
        // Each client thinks for longer than the drive lasts, so each makes one call only.
        let outcome = driven(pool.as_mut(), 5, &Plan { limit_ns: 2 * RAMP_NS, ..plan });
        assert_eq!(outcome.calls, 5);
        // The last client begins four fifths of the ramp-up after the first.
        assert!(outcome.elapsed_ns >= RAMP_NS / 5 * 4, "{} ns", outcome.elapsed_ns);
        let gap_ns = outcome.gap_ns.expect("a closed loop's");
        assert!(gap_ns >= RAMP_NS / 5 * (1 + 2 + 3 + 4), "{gap_ns} ns are the clients' that had not begun");
        assert_eq!(outcome.in_call_ns + outcome.think_ns + gap_ns, 5 * outcome.elapsed_ns);
        assert_eq!(outcome.received, 5 * GOOD.len() as u64);
    }
}

/// An answer that equals the last correct one is not parsed. A difference in any byte must still be found.
#[test]
fn an_answer_that_differs_from_the_right_ones_around_it_is_seen() {
    const ANSWERS: [&[u8]; 4] = [
        GOOD,
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhellO",
        b"HTTP/1.1 500 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!",
    ];
    // Two correct answers come before each wrong one.
    let url = server(|mut stream, _| {
        for number in 0.. {
            let answer = if number % 3 == 2 { ANSWERS[number / 3 % ANSWERS.len()] } else { GOOD };
            if !request(&mut stream) || stream.write_all(answer).is_err() {
                return;
            }
        }
    });
    let mut pool = gathered(&url, 1, json!({"expect_body": "hello"})).expect("a connection");
    let outcome = driven(pool.as_mut(), 1, &closed(24, 0));
    assert_eq!(outcome.calls, 18);
    for kind in [Kind::WrongAnswer, Kind::Status, Kind::Protocol] {
        assert_eq!(outcome.errors[kind as usize], 2, "{kind:?}");
    }
}

/// Every answer has its own id. Each third one belongs to another person.
#[test]
fn answers_that_are_never_the_same_are_checked_by_what_is_in_them() {
    let url = server(|mut stream, _| {
        for number in 0.. {
            let name = if number % 3 == 2 { "other" } else { "x" };
            let body = format!(r#"{{"id":{number},"user":{{"name":"{name}"}}}}"#);
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            if !request(&mut stream) || stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    for options in [
        json!({"expect_json": {"$.user.name": "x"}, "expect_path": ["$.id"]}),
        json!({"expect_match": r#""name":"x""#}),
        json!({"expect_schema": {"required": ["id"], "properties": {"user": {"properties": {"name": {"const": "x"}}}}}}),
    ] {
        let mut pool = gathered(&url, 1, options.clone()).expect("a connection");
        let outcome = driven(pool.as_mut(), 1, &closed(24, 0));
        assert_eq!((outcome.calls, outcome.errors[Kind::WrongAnswer as usize]), (16, 8), "{options}");
    }
}

/// Only the heads differ. A correct body stays correct, and a changed body is found.
#[test]
fn a_body_that_was_right_is_known_behind_another_head() {
    let url = server(|mut stream, _| {
        for number in 0.. {
            let body = if number % 4 == 3 { r#"{"ok":false}"# } else { r#"{"ok":true}"# };
            let answer = format!("HTTP/1.1 200 OK\r\nX-Number: {number}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            if !request(&mut stream) || stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    let mut pool = gathered(&url, 1, json!({"expect_json": {"$.ok": true}})).expect("a connection");
    let outcome = driven(pool.as_mut(), 1, &closed(24, 0));
    assert_eq!((outcome.calls, outcome.errors[Kind::WrongAnswer as usize]), (18, 6));
    assert!(outcome.messages[&Kind::WrongAnswer].contains("at $.ok the body has false, not true"), "{:?}", outcome.messages);
}

/// Answers with a list of ones, as many as the number at the end of the path says. From the third answer of a connection on, `then` is sent instead.
fn listing(then: &'static [u8]) -> String {
    server(move |mut stream, _| {
        let (mut seen, mut byte, mut said) = (Vec::new(), [0], 0);
        while matches!(stream.read(&mut byte), Ok(1)) {
            seen.push(byte[0]);
            if seen.ends_with(b"\r\n\r\n") {
                let line = String::from_utf8_lossy(&seen).lines().next().unwrap_or_default().to_owned();
                let n = line.split(['/', ' ']).find_map(|it| it.parse::<usize>().ok()).unwrap_or_default();
                let body = format!("{:?}", vec![1; n]);
                let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                said += 1;
                if stream.write_all(if said <= 2 || then.is_empty() { answer.as_bytes() } else { then }).is_err() {
                    return;
                }
                seen.clear();
            }
        }
    })
}

#[test]
fn a_request_that_stands_for_find_items_has_its_number_in_it_and_every_answer_is_held_against_the_first() {
    let spec = |url: &str| {
        let mut pool = gathered(&format!("{url}items/{{n}}"), 2, json!({})).expect("connections");
        let unseen = pool.workers(2, &Call::FindItems { n: 3 }).err().expect("a refusal");
        assert!(unseen.kind == Kind::BadRequest && unseen.message.contains("before it was called"), "{}", unseen.message);
        assert_eq!(pool.call(&Call::FindItems { n: 3 }).expect("an answer"), json!("[1, 1, 1]"));
        assert_eq!(pool.call(&Call::FindItems { n: 1 }).expect("an answer"), json!("[1]"));
        let plan = Plan { call: Call::FindItems { n: 3 }, ..closed(20, 0) };
        driven(pool.as_mut(), 2, &plan)
    };
    assert_eq!(spec(&listing(b"")).calls, 20);
    // The same length with different bytes.
    let wrong = spec(&listing(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1, 1, 2]"));
    assert!(wrong.errors[Kind::WrongAnswer as usize] >= 18, "{:?}", wrong.errors);
    let refused = gathered(&answering(GOOD), 1, json!({})).expect("a connection").call(&Call::Empty).expect_err("a refusal");
    assert_eq!(refused.kind, Kind::CannotCarry);
}

#[test]
fn an_open_loop_makes_every_arrival_and_keeps_three_histograms() {
    let path = std::env::temp_dir().join(format!("callbench-load-schedule-{}", std::process::id()));
    std::fs::write(&path, 500_000_u64.to_le_bytes()).expect("a file");
    let schedule = Schedule::read(&path);
    std::fs::remove_file(&path).expect("the file");
    let url = answering(GOOD);
    let mut pool = gathered(&url, 3, json!({})).expect("connections");
    let outcome = driven(pool.as_mut(), 3, &plan(100, Pace::Open(schedule.expect("a schedule"))));
    assert_eq!(outcome.calls, 100);
    for histogram in [outcome.latency, outcome.service, outcome.lateness] {
        assert_eq!(histogram.expect("a histogram").count(), 100);
    }
    assert!(outcome.elapsed_ns >= 100 * 500_000);
}

#[test]
fn an_open_loop_of_two_seconds_has_its_latencies_by_tenths() {
    let url = answering(GOOD);
    let mut pool = gathered(&url, 3, json!({})).expect("connections");
    let schedule = || Pace::Open(Schedule::of(vec![20_000_000]).expect("a gap"));
    let outcome = driven(pool.as_mut(), 3, &plan(100, schedule()));
    // By when they were due: so it is exact, however late the answers were.
    assert_eq!(outcome.parts.iter().map(Histogram::count).collect::<Vec<_>>(), [9, 10, 10, 10, 10, 10, 10, 10, 10, 11]);
    assert_eq!(driven(pool.as_mut(), 3, &plan(20, schedule())).parts, []);
}

#[test]
fn a_connection_for_each_call_is_one() {
    let connections = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&connections);
    let url = server(move |mut stream, number| {
        seen.fetch_max(number + 1, Relaxed);
        while request(&mut stream) && stream.write_all(GOOD).is_ok() {}
    });
    let mut pool = gathered(&url, 2, json!({"keep_alive": false})).expect("a connection");
    let outcome = driven(pool.as_mut(), 2, &closed(20, 0));
    assert_eq!((outcome.calls, pool.connections()), (20, 0));
    assert!(connections.load(Relaxed) >= 20);
}

#[test]
fn a_server_that_closes_after_each_answer_is_connected_to_again() {
    let url = server(|mut stream, _| {
        request(&mut stream);
        let _ = stream.write_all(GOOD);
    });
    let mut pool = gathered(&url, 1, json!({})).expect("a connection");
    let outcome = driven(pool.as_mut(), 1, &closed(10, 0));
    // Whether the client notices the closed connection before its next request is a race that no client can avoid.
    assert!(outcome.calls >= 1 && outcome.calls + outcome.errors.iter().sum::<u64>() == 10);
}

/// Whether a client's end of a connection to this server is still open both ways: ESTABLISHED, 01 in the kernel's table.
fn is_connected_to(url: &str) -> bool {
    let port: u16 = url.trim_end_matches('/').rsplit(':').next().and_then(|it| it.parse().ok()).expect("a port");
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the connections");
    let to = format!(":{port:04X}");
    let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.any(|line| line[2].ends_with(&to) && line[3] == "01")
}

#[test]
fn a_connection_that_was_closed_while_nobody_called_is_no_error() {
    const CLIENTS: u64 = 3;
    let url = server(move |mut stream, number| {
        if number >= CLIENTS {
            while request(&mut stream) && stream.write_all(GOOD).is_ok() {}
        }
    });
    let mut pool = gathered(&url, CLIENTS as usize, json!({})).expect("connections");
    while is_connected_to(&url) {
        thread::sleep(Duration::from_millis(1));
    }
    pool.call(&Call::Hello).expect("an answer over a new connection");
    let outcome = driven(pool.as_mut(), CLIENTS as usize, &closed(6, 0));
    assert_eq!((outcome.calls, outcome.errors.iter().sum::<u64>()), (6, 0));
}

#[test]
fn each_misbehaviour_is_a_kind_of_its_own() {
    let write = |bytes: &'static [u8]| move |stream: &mut TcpStream| drop(stream.write_all(bytes));
    let any = || json!({});
    assert_eq!(errors(&spoiled(|_| {}), any()), [(Kind::Closed, 6)]);
    assert_eq!(errors(&spoiled(write(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")), any()), [(Kind::Cut, 6)]);
    assert_eq!(errors(&spoiled(write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nmore")), any()), [(Kind::Protocol, 6)]);
    assert_eq!(errors(&spoiled(write(b"what?\r\n\r\n")), any()), [(Kind::Protocol, 6)]);
    assert_eq!(errors(&answering_wrongly(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), any()), [(Kind::Redirect, 6)]);
    assert_eq!(errors(&answering_wrongly(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), any()), [(Kind::Status, 6)]);
    let other = answering_wrongly(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHELLO");
    assert_eq!(errors(&other, json!({"expect_body": "hello"})), [(Kind::WrongAnswer, 6)]);
    let endless = |stream: &mut TcpStream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    };
    assert_eq!(errors(&spoiled(endless), json!({"max_body_bytes": 100_000})), [(Kind::TooLarge, 6)]);
}

#[test]
fn a_server_that_says_nothing_is_waited_for_no_longer_than_the_time_out() {
    let url = spoiled(|_| thread::sleep(Duration::from_secs(60)));
    assert_eq!(errors_of(gathered_for(SHORT, &url, 1, json!({}))), [(Kind::Timeout, 6)]);
}

#[test]
fn an_answer_that_never_ends_is_waited_for_no_longer_than_the_time_out() {
    let url = spoiled(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!(errors_of(gathered_for(SHORT, &url, 1, json!({}))), [(Kind::Timeout, 6)]);
}

#[test]
fn a_reset_is_told_from_a_close() {
    let url = spoiled(|stream| {
        // Closing a connection with unread bytes resets it.
        let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
        nix::sys::socket::setsockopt(stream, nix::sys::socket::sockopt::Linger, &libc::linger { l_onoff: 1, l_linger: 0 }).expect("linger");
    });
    assert_eq!(errors(&url, json!({})), [(Kind::Reset, 6)]);
}

#[test]
fn a_server_that_goes_away_is_refused_and_found_again() {
    let listener = TcpListener::bind(ALONE).expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut pool = {
        let serving = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            request(&mut stream);
            let _ = stream.write_all(GOOD);
            let _ = stream.shutdown(Shutdown::Both);
        });
        let mut pool = gathered(&format!("http://{address}/"), 1, json!({})).expect("a connection");
        pool.call(&Call::Hello).expect("an answer");
        serving.join().expect("the server");
        pool
    };
    let outcome = driven(pool.as_mut(), 1, &closed(5, 0));
    assert_eq!(outcome.calls, 0);
    assert!(outcome.errors[Kind::Refused as usize] >= 4, "{:?}", outcome.errors);
    let Ok(listener) = TcpListener::bind(address) else { return }; // Another process may have taken the port.
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        while request(&mut stream) && stream.write_all(GOOD).is_ok() {}
    });
    pool.call(&Call::Hello).expect("the server is back");
}

#[test]
fn nobody_there_and_wrong_urls_are_told_when_connecting() {
    let free = TcpListener::bind(ALONE).expect("a port").local_addr().expect("an address");
    let kind = |url: &str| gathered_for(SHORT, url, 1, json!({})).err().expect("a failure").kind;
    assert_eq!(kind(&format!("http://{free}/")), Kind::Refused);
    assert_eq!(kind("http://no-such-name.invalid/"), Kind::Unresolved);
    assert_eq!(kind("gopher://127.0.0.1/"), Kind::BadRequest);
    // If TLS is expected from a server without it, the error message says so.
    let plain = answering(GOOD).replace("http:", "https:");
    assert!(matches!(kind(&plain), Kind::Protocol | Kind::Timeout));
}

#[test]
fn only_hello_can_be_called() {
    let mut pool = gathered(&answering(GOOD), 1, json!({})).expect("a connection");
    assert_eq!(pool.call(&Call::Empty).expect_err("a refusal").kind, Kind::CannotCarry);
}
