//! Clients that misbehave: a server outlives them all.

use std::io::Write;

use callbench_kit::Kind;
use proptest::prelude::{any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::super::intake::Intake;
use super::super::rendezvous::{join, reach};
use super::super::unix::{HEADER, framed, header};
use super::{PATIENCE, channels, connect, serve};
use callbench_kit::stack::LIMIT;

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
        let to = callbench_kit::stack::Connect { endpoint: server.endpoint(), timeout: PATIENCE, options: super::options(&[]) };
        let (_control, [pipe, _answers]) = join::<2>(&to).unwrap();
        std::fs::File::from(pipe).write_all(b"\xff\xff\xff\xff").unwrap();
        assert_eq!(connect(&*channel, &*server, PATIENCE).call(b"still here").unwrap(), b"still here");
    }
}

/// Reads frames from `stream` in reads of `step` bytes.
fn frames(stream: &[u8], step: usize) -> Result<Vec<Vec<u8>>, callbench_kit::Failure> {
    let (mut intake, mut at, mut found) = (Intake::new(), 0, Vec::new());
    loop {
        let frame = framed(intake.bytes())?;
        if let Some(frame) = frame.filter(|frame| *frame <= intake.bytes().len()) {
            found.push(intake.bytes()[HEADER..frame].to_vec());
            intake.consume(frame);
            continue;
        }
        let read = |room: &mut [u8]| -> Result<usize, callbench_kit::Failure> {
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

proptest! {
    #[test]
    fn any_bytes_are_frames_or_a_refusal(stream in prop::collection::vec(any::<u8>(), 0..2000), step in 1_usize..300) {
        match frames(&stream, step) {
            Ok(found) => prop_assert!(found.iter().map(|frame| frame.len() + HEADER).sum::<usize>() <= stream.len()),
            Err(failure) => prop_assert_eq!(failure.kind, Kind::TooLarge),
        }
    }

    #[test]
    fn frames_come_out_as_they_went_in(sizes in prop::collection::vec(0_usize..100_000, 0..6), step in 1_usize..200_000) {
        let sent: Vec<Vec<u8>> = sizes.into_iter().map(super::pattern).collect();
        let stream: Vec<u8> = sent.iter().flat_map(|body| [header(body).to_vec(), body.clone()].concat()).collect();
        prop_assert_eq!(frames(&stream, step).unwrap(), sent);
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
    let frame = framed(intake.bytes()).unwrap().unwrap();
    assert_eq!(frame, LIMIT + HEADER);
    intake
        .read_with(frame, |room| -> Result<usize, ()> {
            assert!(room.len() <= 128 << 10);
            Ok(0)
        })
        .unwrap();
}
