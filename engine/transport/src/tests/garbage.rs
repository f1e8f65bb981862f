//! Clients that misbehave: a server outlives them all.

use std::io::{Read, Write};

use callbench_contract::Kind;
use proptest::prelude::{Just, any, prop};
use proptest::{prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::super::intake::Intake;
use super::super::network::dial;
use super::super::rendezvous::{join, reach};
use super::super::stream::{HEADER, Prefix};
use super::{PATIENCE, channels, connect, serve};
use callbench_contract::endpoint::LIMIT;

#[test]
fn a_stream_of_garbage_does_no_harm() {
    for channel in channels().into_iter().filter(|channel| channel.name() == "unix") {
        let server = serve(&*channel);
        for bytes in [&b"\xff\xff\xff\xff more than anybody sends"[..], b"\x05\0\0\0hal", b"\x01", b"", b"GET / HTTP/1.1\r\n\r\n"] {
            let mut stream = reach(&server.endpoint(), PATIENCE).unwrap();
            stream.write_all(bytes).unwrap();
        }
        assert_eq!(connect(&*channel, &*server, PATIENCE).call(b"still here").unwrap(), b"still here");
    }
}

/// Where a server listens on the network, whatever else its endpoint says.
fn address(endpoint: &str) -> Option<&str> {
    let start = endpoint.find("127.0.0.1:")?;
    let rest = &endpoint[start..];
    rest.split(['/', '#']).next()
}

#[test]
fn a_connection_of_garbage_does_no_harm() {
    // Frames, HTTP/1.1, the preface of HTTP/2 with a frame that is none, and a record of TLS that is none.
    let garbage: [&[u8]; 7] = [
        b"\xff\xff\xff\xff more than anybody sends",
        b"\0\0\0\x05hal",
        b"\x01",
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x16\x03\x01\xff\xff\x01\xff\xff\xff",
    ];
    let mut met = Vec::new();
    for channel in channels() {
        let server = serve(&*channel);
        let endpoint = server.endpoint();
        let Some(place) = address(&endpoint) else { continue };
        for bytes in garbage {
            dial(place, PATIENCE).unwrap().write_all(bytes).unwrap();
        }
        assert_eq!(connect(&*channel, &*server, PATIENCE).call(b"still here").unwrap(), b"still here", "{}", channel.name());
        met.push(channel.name());
    }
    assert!(["tcp", "tcp-tls", "http2", "grpc", "grpc-tls"].iter().all(|name| met.contains(name)), "{met:?}");
}

/// A client that expects another certificate makes no call.
#[test]
fn another_certificate_is_refused() {
    for channel in channels() {
        let server = serve(&*channel);
        let endpoint = server.endpoint();
        let Some((place, fingerprint)) = endpoint.split_once("#sha256=") else { continue };
        let other: String = fingerprint.chars().rev().collect();
        let to = callbench_contract::endpoint::Connect {
            endpoint: format!("{place}#sha256={other}"),
            timeout: PATIENCE,
            options: super::options(&[]),
        };
        let failure = channel.connect("echo", "text/plain", &to).and_then(|mut client| client.call(b"x").map(drop)).unwrap_err();
        assert_eq!(failure.kind, Kind::Certificate, "{}: {failure}", channel.name());
    }
}

/// Nothing but four bytes of length, the greatest first, and the message.
#[test]
fn a_frame_of_tcp_is_a_length_and_the_message() {
    for channel in channels().into_iter().filter(|channel| channel.name() == "tcp") {
        let server = serve(&*channel);
        let mut stream = dial(&server.endpoint(), PATIENCE).unwrap();
        stream.write_all(b"\0\0\x01\x2c").unwrap();
        stream.write_all(&[7; 300]).unwrap();
        let mut answer = [0; 304];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!((&answer[..4], &answer[4..]), (&b"\0\0\x01\x2c"[..], &[7; 300][..]));
    }
}

#[test]
fn a_client_that_leaves_at_the_rendezvous_does_no_harm() {
    for channel in channels().into_iter().filter(|channel| ["shm", "shm-spin", "mqueue", "pipe"].contains(&channel.name())) {
        let server = serve(&*channel);
        for _ in 0..20 {
            let mut stream = reach(&server.endpoint(), PATIENCE).unwrap();
            let _ = stream.write_all(b"garbage");
        }
        assert_eq!(connect(&*channel, &*server, PATIENCE).call(b"still here").unwrap(), b"still here", "{}", channel.name());
    }
}

#[test]
fn a_pipe_of_garbage_does_no_harm() {
    for channel in channels().into_iter().filter(|channel| channel.name() == "pipe") {
        let server = serve(&*channel);
        let to = callbench_contract::endpoint::Connect { endpoint: server.endpoint(), timeout: PATIENCE, options: super::options(&[]) };
        let (_control, [pipe, _answers]) = join::<2>(&to).unwrap();
        std::fs::File::from(pipe).write_all(b"\xff\xff\xff\xff").unwrap();
        assert_eq!(connect(&*channel, &*server, PATIENCE).call(b"still here").unwrap(), b"still here");
    }
}

/// Reads frames from `stream` in reads of `step` bytes.
fn frames(stream: &[u8], prefix: Prefix, step: usize) -> Result<Vec<Vec<u8>>, callbench_contract::Failure> {
    let (mut intake, mut at, mut found) = (Intake::new(), 0, Vec::new());
    loop {
        let frame = prefix.framed(intake.bytes())?;
        if let Some(frame) = frame.filter(|frame| *frame <= intake.bytes().len()) {
            found.push(intake.bytes()[HEADER..frame].to_vec());
            intake.consume(frame);
            continue;
        }
        let read = |room: &mut [u8]| -> Result<usize, callbench_contract::Failure> {
            let count = step.min(room.len()).min(stream.len() - at);
            room[..count].copy_from_slice(&stream[at..at + count]);
            at += count;
            Ok(count)
        };
        if intake.read_with(frame.unwrap_or(HEADER), read)? == 0 {
            return Ok(found);
        }
    }
}

fn either() -> impl proptest::strategy::Strategy<Value = Prefix> {
    prop_oneof![Just(Prefix::Little), Just(Prefix::Big)]
}

proptest! {
    #[test]
    fn any_bytes_are_frames_or_a_refusal(stream in prop::collection::vec(any::<u8>(), 0..2000), prefix in either(), step in 1_usize..300) {
        match frames(&stream, prefix, step) {
            Ok(found) => prop_assert!(found.iter().map(|frame| frame.len() + HEADER).sum::<usize>() <= stream.len()),
            Err(failure) => prop_assert_eq!(failure.kind, Kind::TooLarge),
        }
    }

    #[test]
    fn frames_come_out_as_they_went_in(sizes in prop::collection::vec(0_usize..100_000, 0..6), prefix in either(), step in 1_usize..200_000) {
        let sent: Vec<Vec<u8>> = sizes.into_iter().map(super::pattern).collect();
        let stream: Vec<u8> = sent.iter().flat_map(|body| [prefix.header(body).to_vec(), body.clone()].concat()).collect();
        prop_assert_eq!(frames(&stream, prefix, step).unwrap(), sent);
    }
}

#[test]
fn a_claimed_length_takes_no_memory() {
    let claimed = (LIMIT as u32).to_le_bytes();
    let mut intake = Intake::new();
    intake
        .read_with(HEADER, |room| -> Result<usize, ()> {
            room[..4].copy_from_slice(&claimed);
            Ok(4)
        })
        .unwrap();
    let frame = Prefix::Little.framed(intake.bytes()).unwrap().unwrap();
    assert_eq!(frame, LIMIT + HEADER);
    intake
        .read_with(frame, |room| -> Result<usize, ()> {
            assert!(room.len() <= 128 << 10);
            Ok(0)
        })
        .unwrap();
}
