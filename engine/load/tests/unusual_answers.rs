//! Answers that servers may give and clients must take: in many pieces, before the request was read, without an end.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use callbench_kit::Kind;
use callbench_kit::drive::Outcome;
use callbench_service::Call;
use serde_json::{Value, json};

mod driven;

use driven::{closed, driven, gathered, gathered_for, server};

/// More than the buffers of both sides hold, so that a part of it is never sent.
const LARGE: usize = 12_000_000;

/// Reads the head of a request. False if the client has closed the connection.
fn head(stream: &mut TcpStream) -> bool {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while !seen.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => seen.push(byte[0]),
            _ => return false,
        }
    }
    true
}

fn failed(outcome: &Outcome) -> Vec<(Kind, u64)> {
    Kind::ALL.into_iter().zip(outcome.errors).filter(|(_, count)| *count > 0).collect()
}

#[test]
fn a_head_may_arrive_in_single_bytes() {
    let url = server(|mut stream, _| {
        stream.set_nodelay(true).expect("a socket");
        let answer = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
        while head(&mut stream) {
            for byte in answer {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
            let _ = stream.write_all(&vec![b'x'; 100_000]);
        }
    });
    let mut pool = gathered(&url, 2, json!({})).expect("connections");
    let outcome = driven(pool.as_mut(), 2, &closed(20, 0));
    assert_eq!((outcome.calls, failed(&outcome)), (20, vec![]));
}

/// Each of the calls sends a large body, and the server answers without having read it.
fn with_a_large_body(answer: &'static [u8], then: fn(&mut TcpStream)) -> Outcome {
    let url = server(move |mut stream, _| {
        if head(&mut stream) {
            let _ = stream.write_all(answer);
            then(&mut stream);
        }
    });
    let options = json!({"body": "x".repeat(LARGE), "expect_status": [413]});
    let mut pool = gathered(&url, 2, options).expect("connections");
    driven(pool.as_mut(), 2, &closed(20, 0))
}

#[test]
fn an_answer_before_the_request_was_read_is_not_lost_in_the_reset_that_follows() {
    let whole = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntoo large";
    let unmarked = b"HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\ntoo large";
    for answer in [&whole[..], unmarked] {
        // The unread body makes the kernel reset the connection.
        let outcome = with_a_large_body(answer, |_| {});
        assert_eq!((outcome.calls, failed(&outcome)), (20, vec![]));
    }
    let until_close = b"HTTP/1.1 413 Too Large\r\n\r\ntoo large";
    let outcome = with_a_large_body(until_close, |stream| drop(stream.shutdown(Shutdown::Write)));
    assert_eq!((outcome.calls, failed(&outcome)), (20, vec![]));
}

#[test]
fn the_rest_of_a_request_that_was_answered_early_is_not_taken_for_the_next_one() {
    // The server keeps the connection, and reads the whole body after its answer. What the client sends meanwhile belongs to that body.
    let url = server(move |mut stream, _| {
        let mut body = vec![0; LARGE];
        while head(&mut stream) {
            let answered = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            std::thread::sleep(Duration::from_millis(5));
            if answered.and_then(|()| stream.read_exact(&mut body)).is_err() {
                return;
            }
        }
    });
    let mut pool = gathered(&url, 2, json!({"body": "x".repeat(LARGE)})).expect("connections");
    let outcome = driven(pool.as_mut(), 2, &closed(20, 0));
    assert_eq!((outcome.calls, failed(&outcome)), (20, vec![]));
}

/// The errors of three calls to a server that answers once, and then writes `begin` and `more` without end.
fn endless(begin: &'static str, more: &'static str, options: Value) -> Vec<(Kind, u64)> {
    let first = AtomicBool::new(true);
    let url = server(move |mut stream, _| {
        while head(&mut stream) && first.swap(false, Relaxed) {
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
        }
        let many = more.repeat(100_000 / more.len());
        let _ = stream.write_all(begin.as_bytes());
        while stream.write_all(many.as_bytes()).is_ok() {}
    });
    let mut pool = gathered_for(Duration::from_secs(1), &url, 1, options).expect("a connection");
    pool.call(&Call::Hello).expect("the first answer");
    failed(&driven(pool.as_mut(), 1, &closed(3, 0)))
}

#[test]
fn an_answer_without_end_ends_with_its_limit_or_with_the_time_out() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let unlimited = json!({"max_body_bytes": 1_u64 << 50});
    assert_eq!(endless(chunked, "5\r\nhello\r\n", unlimited.clone()), [(Kind::Timeout, 3)]);
    assert_eq!(endless("HTTP/1.1 200 OK\r\n\r\n", "hello", unlimited), [(Kind::Timeout, 3)]);
    assert_eq!(endless("", "HTTP/1.1 100 Continue\r\n\r\n", json!({})), [(Kind::Timeout, 3)]);
    let trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    assert_eq!(endless(trailers, "X-More: 1\r\n", json!({})), [(Kind::TooLarge, 3)]);
    assert_eq!(endless("HTTP/1.1 200 OK\r\n", "X-More: 1\r\n", json!({})), [(Kind::TooLarge, 3)]);
}

/// One client's answer never ends. The other client goes on meanwhile, with as many calls as there are.
#[test]
fn an_answer_without_end_does_not_keep_the_loop_from_other_clients() {
    let number = Arc::new(AtomicU64::new(0));
    let url = server(move |mut stream, _| {
        while head(&mut stream) {
            if number.fetch_add(1, Relaxed) == 1 {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
                while stream.write_all(&[b'x'; 10_000]).is_ok() {}
            }
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
        }
    });
    let options = json!({"max_body_bytes": 1_u64 << 50});
    let mut pool = gathered_for(Duration::from_secs(2), &url, 2, options).expect("connections");
    pool.call(&Call::Hello).expect("the first answer");
    let outcome = driven(pool.as_mut(), 2, &closed(30, 0));
    assert_eq!((outcome.calls, failed(&outcome)), (29, vec![(Kind::Timeout, 1)]));
}

/// Answers this many calls of each connection, and then takes a call and closes without a word. With 0, it closes at the first call.
fn tiring(answers: u64, wait: Duration) -> (String, Arc<AtomicU64>) {
    let taken = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&taken);
    let url = server(move |mut stream, number| {
        // The first two connections are those that are made before any call.
        let answers = if number < 2 { 1 } else { answers };
        for place in 0_u64.. {
            if !head(&mut stream) {
                return;
            }
            counted.fetch_add(1, Relaxed);
            if place == answers {
                std::thread::sleep(wait);
                return;
            }
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    (url, taken)
}

#[test]
fn a_call_on_a_kept_connection_that_is_closed_unsaid_is_sent_once_more() {
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
        let (url, taken) = tiring(1, Duration::from_millis(30));
        let mut pool = gathered(&url, 2, json!({ "method": method })).expect("connections");
        let outcome = driven(pool.as_mut(), 2, &closed(20, 0));
        assert_eq!((outcome.calls, failed(&outcome)), (20, vec![]), "{method}");
        // Each connection has one answer, so all calls but the first of each client are sent twice.
        assert_eq!((outcome.sent_again, taken.load(Relaxed)), (18, 38), "{method}");
        // The time of a call counts from its first sending. A bucket may begin a little below what it holds.
        assert!(outcome.latency.expect("times").quantile(0.5).expect("calls") >= 29_000_000, "{method}");
    }
}

#[test]
fn a_server_that_closes_always_is_asked_twice_and_no_more() {
    let (url, taken) = tiring(0, Duration::ZERO);
    let mut pool = gathered(&url, 2, json!({})).expect("connections");
    let outcome = driven(pool.as_mut(), 2, &closed(20, 0));
    assert_eq!((outcome.calls, failed(&outcome)), (2, vec![(Kind::Closed, 18)]));
    assert_eq!((outcome.sent_again, taken.load(Relaxed)), (2, 22));
}

#[test]
fn a_call_that_may_not_be_made_twice_is_not_sent_again() {
    let (url, taken) = tiring(1, Duration::ZERO);
    let mut pool = gathered(&url, 1, json!({"method": "POST", "body": ""})).expect("connections");
    let outcome = driven(pool.as_mut(), 1, &closed(20, 0));
    assert_eq!((outcome.calls, failed(&outcome), outcome.sent_again), (10, vec![(Kind::Closed, 10)], 0));
    assert_eq!(taken.load(Relaxed), 20);
    let why = outcome.messages.values().next().expect("a sentence");
    assert!(why.contains("not sent twice") && why.contains("--no-keep-alive"), "{why}");
}

#[test]
fn an_answer_whose_rest_is_held_back_is_told_from_one_that_takes_as_long() {
    let answer = |in_pieces: bool| {
        let url = server(move |mut stream, _| {
            stream.set_nodelay(true).expect("a socket");
            while head(&mut stream) {
                let (begin, rest) = (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", b"\r\nabc");
                if in_pieces && stream.write_all(begin).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(60));
                let written = if in_pieces { stream.write_all(rest) } else { stream.write_all(&[&begin[..], rest].concat()) };
                if written.is_err() {
                    return;
                }
            }
        });
        let mut pool = gathered(&url, 2, json!({})).expect("connections");
        driven(pool.as_mut(), 2, &closed(8, 0))
    };
    assert_eq!(answer(true).held_back, Some(8));
    assert_eq!(answer(false).held_back, Some(0));
}
