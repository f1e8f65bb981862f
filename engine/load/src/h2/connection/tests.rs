//! Tests with scripted servers, correct and wrong ones, and with arbitrary bytes.

use std::time::Duration;

use callbench_kit::stack::Connect;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::carrier::Spec;
use crate::connect_options;
use crate::protocol::Protocol;
use crate::request::Values;

const VALUES: Values = Values { number: 3, client: 0, random: 1 };

fn call() -> Call {
    Call { values: VALUES, ..Call::default() }
}

/// `:status: 200`
const OK: &[u8] = &[0x88];

fn connection(clients: usize, protocol: Protocol, options: Value) -> Connection {
    let Value::Object(options) = options else { panic!("an object") };
    let to = Connect { endpoint: "http://127.0.0.1:81/x".to_owned(), timeout: Duration::from_secs(1), options };
    let parsed = connect_options::read(&to, protocol, None).expect("wishes");
    let spec = CallSpec::of(parsed, protocol).expect("a request");
    let mut connection = Connection::new(Arc::new(spec), clients);
    assert!(connection.unsent().starts_with(frame::PREFACE));
    sent(&mut connection);
    connection
}

fn settled(clients: usize, options: Value) -> Connection {
    let mut connection = connection(clients, Protocol::Http2, options);
    says(&mut connection, &framed(frame::SETTINGS, 0, 0, &[])).expect("settings");
    assert_eq!(sent(&mut connection), [(frame::SETTINGS, frame::ACK, 0, vec![])]);
    connection
}

fn framed(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::write(kind, flags, stream, payload, &mut out);
    out
}

/// Kind, flags, stream and payload of the frames to send.
fn sent(connection: &mut Connection) -> Vec<(u8, u8, u32, Vec<u8>)> {
    let bytes = connection.unsent().to_vec();
    connection.has_sent(bytes.len());
    let mut rest = bytes.strip_prefix(frame::PREFACE).unwrap_or(&bytes);
    let mut frames = Vec::new();
    while let Some(head) = Head::read(rest) {
        frames.push((head.kind, head.flags, head.stream, rest[frame::HEAD..frame::HEAD + head.length].to_vec()));
        rest = &rest[frame::HEAD + head.length..];
    }
    assert!(rest.is_empty());
    frames
}

fn says(connection: &mut Connection, bytes: &[u8]) -> Result<Changes, Failure> {
    let mut changes = Changes::default();
    connection.take(bytes, &mut changes).map(|()| changes)
}

/// The result of the call that these bytes end.
fn ended(connection: &mut Connection, bytes: &[u8]) -> Result<(), Kind> {
    let mut changes = says(connection, bytes).expect("the connection stays");
    assert_eq!(changes.ended.len(), 1);
    changes.ended.remove(0).1.map_err(|failure| failure.kind)
}

fn answer(stream: u32, body: &[u8]) -> Vec<u8> {
    [framed(frame::HEADERS, frame::END_HEADERS, stream, OK), framed(frame::DATA, frame::END_STREAM, stream, body)].concat()
}

#[test]
fn calls_wait_for_the_settings_and_for_a_stream() {
    let mut connection = connection(3, Protocol::Http2, json!({}));
    (0..3).for_each(|place| connection.begin(place, call()));
    assert!(sent(&mut connection).is_empty());
    let two_at_once = [0, 3, 0, 0, 0, 2];
    says(&mut connection, &framed(frame::SETTINGS, 0, 0, &two_at_once)).expect("settings");
    let heads =
        |connection: &mut Connection| sent(connection).iter().filter(|it| it.0 == frame::HEADERS).map(|it| it.2).collect::<Vec<_>>();
    assert_eq!(heads(&mut connection), [1, 3]);
    assert_eq!(ended(&mut connection, &answer(3, b"")), Ok(()));
    assert_eq!(heads(&mut connection), [5]);
    connection.cancel(0);
    connection.begin(1, call());
    let frames = sent(&mut connection);
    assert_eq!((frames[0].0, frames[0].2, frames[1].2), (frame::RST_STREAM, 1, 7));
}

#[test]
fn later_requests_lean_on_the_first_unless_the_server_keeps_nothing() {
    for (settings, leans) in [(vec![], true), (vec![0, 1, 0, 0, 0, 0], false)] {
        let mut connection = connection(1, Protocol::Http2, json!({"headers": [["X-Kind", "test"]]}));
        says(&mut connection, &framed(frame::SETTINGS, 0, 0, &settings)).expect("settings");
        let mut decoder = hpack::Decoder::default();
        let mut lengths = Vec::new();
        for stream in [1, 3, 5] {
            connection.begin(0, call());
            let frames = sent(&mut connection);
            let block = &frames.iter().find(|it| it.0 == frame::HEADERS).expect("a request").3;
            let mut said = Vec::new();
            let expect_field = |name: &[u8], value: &[u8]| {
                said.push(format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value)));
                Ok(())
            };
            decoder.read(block, expect_field).expect("a block");
            let all = [":method=GET", ":scheme=http", ":authority=127.0.0.1:81", ":path=/x", "user-agent=callbench", "x-kind=test"];
            assert_eq!(said, all);
            lengths.push(block.len());
            assert_eq!(ended(&mut connection, &answer(stream, b"")), Ok(()));
        }
        assert_eq!(lengths[1] == 6, leans, "{lengths:?}");
    }
}

#[test]
fn a_body_goes_as_far_as_the_windows_let_it() {
    let mut connection = settled(2, json!({"method": "POST", "body": "x".repeat(100_000)}));
    connection.begin(0, call());
    let data = |connection: &mut Connection| {
        let frames = sent(connection).into_iter().filter(|it| it.0 == frame::DATA);
        frames.fold((0, false), |(sum, ends), it| (sum + it.3.len(), ends || it.1 & frame::END_STREAM != 0))
    };
    assert_eq!(data(&mut connection), (65_535, false));
    says(&mut connection, &framed(frame::WINDOW_UPDATE, 0, 0, &50_000_u32.to_be_bytes())).expect("a window");
    assert_eq!(data(&mut connection), (0, false));
    says(&mut connection, &framed(frame::SETTINGS, 0, 0, &[0, 4, 0, 1, 0x11, 0x70])).expect("settings"); // 70,000 for each stream
    assert_eq!(data(&mut connection), (70_000 - 65_535, false));
    says(&mut connection, &framed(frame::WINDOW_UPDATE, 0, 1, &30_000_u32.to_be_bytes())).expect("a window");
    assert_eq!(data(&mut connection), (30_000, true));
    // A server that answers early is told that the rest of the request is not sent.
    connection.begin(1, call());
    sent(&mut connection);
    assert_eq!(ended(&mut connection, &answer(3, b"")), Ok(()));
    assert_eq!(sent(&mut connection), [(frame::RST_STREAM, 0, 3, frame::CANCEL.to_be_bytes().to_vec())]);
}

#[test]
fn room_for_answers_is_given_back() {
    let mut connection = settled(1, json!({"max_body_bytes": 1_u64 << 40}));
    connection.begin(0, call());
    sent(&mut connection);
    says(&mut connection, &framed(frame::HEADERS, frame::END_HEADERS, 1, OK)).expect("a head");
    let piece = framed(frame::DATA, 0, 1, &[0; frame::MOST]);
    let mut granted = [0, 0];
    for _ in 0..3 * WINDOW_BYTES / frame::MOST as i64 {
        says(&mut connection, &piece).expect("a piece");
        for (kind, _, stream, payload) in sent(&mut connection) {
            assert_eq!(kind, frame::WINDOW_UPDATE);
            granted[stream as usize] += i64::from(frame::number(&payload).expect("a number"));
        }
    }
    assert!(granted.iter().all(|bytes| *bytes > 2 * WINDOW_BYTES), "{granted:?}");
}

#[test]
fn answers_are_judged() {
    let framed_head = |block: &[u8], flags| framed(frame::HEADERS, frame::END_HEADERS | flags, 1, block);
    let body = |bytes: &[u8]| framed(frame::DATA, frame::END_STREAM, 1, bytes);
    let padded = framed(frame::DATA, frame::END_STREAM | frame::PADDED, 1, b"\x02hello\0\0");
    let trailer = framed_head(b"\x00\x01x\x01y", frame::END_STREAM);
    let unended = framed(frame::DATA, 0, 1, b"hello");
    for (bytes, right) in [
        ([framed_head(OK, 0), body(b"hello")].concat(), Ok(())),
        ([framed_head(OK, 0), padded].concat(), Ok(())),
        ([framed_head(b"\x48\x03103", 0), framed_head(OK, 0), body(b"hello")].concat(), Ok(())),
        ([framed_head(OK, 0), unended, trailer].concat(), Ok(())),
        ([framed_head(b"\x88\x0f\x0d\x015", 0), body(b"hello")].concat(), Ok(())),
        ([framed_head(b"\x88\x0f\x0d\x016", 0), body(b"hello")].concat(), Err(Kind::Protocol)),
        ([framed_head(OK, 0), body(b"HELLO")].concat(), Err(Kind::WrongAnswer)),
        (framed_head(OK, frame::END_STREAM), Err(Kind::WrongAnswer)),
        ([framed_head(b"\x8e", 0), body(b"hello")].concat(), Err(Kind::Status)),
        (framed_head(b"\x48\x03302", frame::END_STREAM), Err(Kind::Redirect)),
        (framed_head(b"\x00\x01x\x01y", frame::END_STREAM), Err(Kind::Protocol)),
        (body(b"hello"), Err(Kind::Protocol)),
        ([framed_head(OK, 0), body(&[b'x'; 2000])].concat(), Err(Kind::TooLarge)),
        (framed_head(b"\x88\x0f\x0d\x042000", 0), Err(Kind::TooLarge)),
        (framed(frame::RST_STREAM, 0, 1, &7_u32.to_be_bytes()), Err(Kind::Reset)),
    ] {
        let mut connection = settled(1, json!({"expect_body": "hello", "max_body_bytes": 1000}));
        connection.begin(0, call());
        // For each way to cut the bytes.
        let mut last = Changes::default();
        for byte in bytes.chunks(1) {
            let changes = says(&mut connection, byte).expect("the connection stays");
            last.ended.extend(changes.ended);
        }
        assert_eq!(last.ended.len(), 1, "{bytes:?}");
        assert_eq!(last.ended.remove(0).1.map_err(|it| it.kind), right, "{bytes:?}");
        assert!(!connection.is_used());
        // The next call uses the same connection.
        connection.begin(0, call());
        assert_eq!(ended(&mut connection, &answer(3, b"hello")), Ok(()), "{bytes:?}");
    }
}

#[test]
fn grpc_is_right_where_one_message_and_the_status_0_came() {
    let head = b"\x88\x0f\x10\x10application/grpc";
    let trailer = |status: &str| [b"\x00\x0bgrpc-status\x01", status.as_bytes()].concat();
    let headers = |block: &[u8], ends: bool| framed(frame::HEADERS, frame::END_HEADERS | u8::from(ends), 1, block);
    let data = |bytes: &[u8]| framed(frame::DATA, 0, 1, bytes);
    let zero = trailer("0");
    for (bytes, right) in [
        ([headers(head, false), data(b"\0\0\0\0\x02ab"), headers(&zero, true)].concat(), Ok(())),
        ([headers(head, false), data(b"\0\0\0\0\x02aB"), headers(&zero, true)].concat(), Err(Kind::WrongAnswer)),
        ([headers(head, false), data(b"\0\0\0\0\x03ab"), headers(&zero, true)].concat(), Err(Kind::Protocol)),
        ([headers(head, false), data(b"\0\0\0\0\x02abc")].concat(), Err(Kind::Protocol)),
        ([headers(head, false), data(b"\x01\0\0\0\x02ab")].concat(), Err(Kind::Protocol)),
        ([headers(head, false), headers(&zero, true)].concat(), Err(Kind::Protocol)),
        (headers(&[&head[..], &trailer("5")].concat(), true), Err(Kind::Fault)),
        ([headers(head, false), data(b"\0\0\0\0\x02ab"), headers(&trailer("2"), true)].concat(), Err(Kind::Fault)),
        ([headers(head, false), framed(frame::DATA, 1, 1, b"\0\0\0\0\x02ab")].concat(), Err(Kind::Protocol)),
        (headers(OK, true), Err(Kind::Protocol)),
        (headers(b"\x8d", true), Err(Kind::Status)),
    ] {
        let mut connection = connection(1, Protocol::Grpc, json!({"body": "q", "expect_body": "ab"}));
        says(&mut connection, &framed(frame::SETTINGS, 0, 0, &[])).expect("settings");
        connection.begin(0, call());
        assert_eq!(sent(&mut connection).last().expect("a message").3, b"\0\0\0\0\x01q");
        assert_eq!(ended(&mut connection, &bytes), right, "{bytes:?}");
    }
}

#[test]
fn a_server_that_goes_away_leaves_what_it_has_not_looked_at() {
    let goaway = |last: u32, code: u32| framed(frame::GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat());
    let mut connection = settled(3, json!({}));
    connection.begin(0, call());
    assert_eq!(ended(&mut connection, &answer(1, b"")), Ok(()));
    (0..3).for_each(|place| connection.begin(place, call()));
    let changes = says(&mut connection, &goaway(5, 0)).expect("the connection stays");
    assert_eq!((changes.ended.len(), changes.retry), (0, vec![(2, call())]));
    assert!(!connection.accepts_calls() && connection.is_used());
    assert_eq!(ended(&mut connection, &answer(3, b"")), Ok(()));
    let changes = says(&mut connection, &goaway(3, 11)).expect("the connection stays");
    let [(1, Err(failure))] = &changes.ended[..] else { panic!("{changes:?}") };
    assert_eq!(failure.kind, Kind::Closed);
    assert!(failure.message.contains("ENHANCE_YOUR_CALM"));
    assert!(!connection.is_used());
}

#[test]
fn a_ping_is_answered_and_what_is_unknown_ignored() {
    let mut connection = settled(1, json!({}));
    says(&mut connection, &framed(frame::PING, 0, 0, b"12345678")).expect("a ping");
    assert_eq!(sent(&mut connection), [(frame::PING, frame::ACK, 0, b"12345678".to_vec())]);
    says(&mut connection, &framed(0xee, 0xff, 9, b"?")).expect("an extension");
    assert!(sent(&mut connection).is_empty());
}

#[test]
fn what_breaks_a_connection_is_told() {
    let block = framed(frame::HEADERS, 0, 1, OK);
    for bytes in [
        framed(frame::DATA, 0, 5, b"x"),
        framed(frame::HEADERS, frame::END_HEADERS, 2, OK),
        framed(frame::HEADERS, frame::END_HEADERS, 1, b"\xc0"),
        framed(frame::HEADERS, frame::END_HEADERS | frame::PADDED, 1, b"\x09\x88"),
        framed(frame::CONTINUATION, frame::END_HEADERS, 1, OK),
        [block, framed(frame::PING, 0, 0, b"12345678")].concat(),
        framed(frame::PING, 0, 0, b"1"),
        framed(frame::SETTINGS, 0, 0, b"1"),
        framed(frame::SETTINGS, 0, 0, &[0, 4, 0x80, 0, 0, 0]),
        framed(frame::WINDOW_UPDATE, 0, 0, &[0; 4]),
        framed(frame::WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff]),
        framed(frame::GOAWAY, 0, 0, &[0; 7]),
        framed(frame::PUSH_PROMISE, 0, 1, &[0; 4]),
        framed(frame::DATA, 0, 1, &vec![0; frame::MOST + 1]),
    ] {
        let mut connection = settled(1, json!({}));
        connection.begin(0, call());
        assert_eq!(says(&mut connection, &bytes).expect_err("a failure").kind, Kind::Protocol, "{bytes:?}");
        let mut changes = Changes::default();
        connection.lost(&|_| Failure::protocol("gone"), &mut changes);
        assert_eq!(changes.ended.len(), 1);
    }
    for bytes in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"<!DOCTYPE html>", &framed(frame::PING, 0, 0, b"12345678")] {
        let mut connection = connection(1, Protocol::Http2, json!({}));
        let failure = says(&mut connection, bytes).expect_err("a failure");
        assert!(failure.message.contains("HTTP/1.1 only"), "{}", failure.message);
    }
}

#[test]
fn a_header_block_without_end_is_too_large() {
    let mut connection = settled(1, json!({"max_head_bytes": 65536}));
    connection.begin(0, call());
    let begin = framed(frame::HEADERS, 0, 1, OK);
    let endless = [begin, framed(frame::CONTINUATION, 0, 1, &[0; frame::MOST]).repeat(5)].concat();
    let failure = says(&mut connection, &endless).expect_err("a failure");
    assert!(failure.kind == Kind::TooLarge && failure.message.contains("--max-head-bytes"), "{}", failure.message);
}

/// As over HTTP/1.1: the head alone has a limit, and no part of it.
#[test]
fn a_header_may_be_as_long_as_a_head() {
    let mut connection = settled(1, json!({}));
    connection.begin(0, call());
    let mut block = [OK, b"\x00\x06x-long"].concat();
    hpack::write_string(&vec![b'v'; 200_000], &mut block);
    let frames: Vec<u8> = block.chunks(frame::MOST).enumerate().fold(Vec::new(), |mut all, (place, part)| {
        all.extend(framed(if place == 0 { frame::HEADERS } else { frame::CONTINUATION }, 0, 1, part));
        all
    });
    let whole =
        [frames, framed(frame::CONTINUATION, frame::END_HEADERS, 1, &[]), framed(frame::DATA, frame::END_STREAM, 1, b"ok")].concat();
    assert_eq!(ended(&mut connection, &whole), Ok(()));
}

/// Frames that are almost correct.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![prop::collection::vec(any::<u8>(), 0..40), Just(OK.to_vec()), Just(vec![0, 0, 0, 8]), Just(vec![0; 8])];
    let one = (0_u8..11, any::<u8>(), 0_u32..8, payload).prop_map(|(kind, flags, stream, payload)| framed(kind, flags, stream, &payload));
    prop::collection::vec(prop_oneof![9 => one, 1 => prop::collection::vec(any::<u8>(), 0..30)], 0..12).prop_map(|all| all.concat())
}

proptest! {
    #[test]
    fn no_octets_panic_and_every_call_ends_once(bytes in frames(), cut in 1_usize..50, clients in 1_usize..4) {
        let mut connection = settled(clients, json!({"method": "POST", "body": "x".repeat(40_000)}));
        (0..clients).for_each(|place| connection.begin(place, call()));
        let mut ends = vec![0; clients];
        let mut changes = Changes::default();
        let broken = bytes.chunks(cut).any(|piece| connection.take(piece, &mut changes).is_err());
        if !broken {
            connection.cancel(0);
            ends[0] += usize::from(changes.ended.iter().all(|(place, _)| *place > 0) && changes.retry.iter().all(|(place, _)| *place > 0));
        }
        connection.lost(&|_| Failure::protocol("gone"), &mut changes);
        changes.ended.iter().for_each(|(place, _)| ends[*place] += 1);
        changes.retry.iter().for_each(|(place, _)| ends[*place] += 1);
        prop_assert_eq!(ends, vec![1; clients]);
        prop_assert!(!connection.is_used());
    }
}
