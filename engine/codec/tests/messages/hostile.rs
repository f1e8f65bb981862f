//! No bytes make a message panic, hang, or take more memory than they are worth.

use callbench_codec::all;
use callbench_service::Call;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::samples;

/// Reads bytes as everything they could be meant as.
fn read(bytes: &[u8]) {
    for message in all() {
        let (reply, call) = message.decode_request(bytes);
        assert_eq!(call.is_err(), reply.refusal.is_some());
        let mut out = Vec::new();
        if let Err(fault) = call {
            message.encode_answer(&reply, &Err(fault), &mut out);
            assert!(!out.is_empty());
        }
        for call in [Call::Hello, Call::Empty, Call::GetPersons { n: 1 }, Call::FindItems { n: 1 }, Call::Sum { a: 1, b: 1 }] {
            let _ = message.decode_answer(&call, bytes);
        }
    }
}

/// A change of a few bytes.
#[derive(Clone, Debug)]
enum Harm {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Remove(prop::sample::Index, u8),
    Cut(prop::sample::Index),
}

fn harm() -> impl Strategy<Value = Harm> {
    use prop::sample::Index;
    prop_oneof![
        4 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Harm::Set(at, byte)),
        1 => (any::<Index>(), prop_oneof![Just(0xff_u8), Just(0x7f), Just(0x80), Just(0)]).prop_map(|(at, byte)| Harm::Set(at, byte)),
        1 => (any::<Index>(), vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Harm::Insert(at, bytes)),
        1 => (any::<Index>(), 1..9_u8).prop_map(|(at, count)| Harm::Remove(at, count)),
        1 => any::<Index>().prop_map(Harm::Cut),
    ]
}

impl Harm {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        match self {
            Harm::Set(at, byte) => *at.get_mut(bytes) = *byte,
            Harm::Insert(at, more) => drop(bytes.splice(at.index(bytes.len())..at.index(bytes.len()), more.iter().copied())),
            Harm::Remove(at, count) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + usize::from(*count)).min(bytes.len()));
            }
            Harm::Cut(at) => bytes.truncate(at.index(bytes.len())),
        }
    }
}

proptest! {
    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..200)) {
        read(&bytes);
    }

    #[test]
    fn random_bytes_behind_a_header(bytes in vec(any::<u8>(), 0..100), flags in 0..3_u8, kind in 0..3_u8) {
        let mut message = b"RO107".to_vec();
        message.extend([flags, kind]);
        message.extend([0; 21]);
        message.extend(bytes);
        read(&message);
    }

    #[test]
    fn random_markup(text in "(<[/?!]?[a-zA-Z:]{0,8}( [a-z:]{0,8}=\"[a-z#&;]{0,5}\")?/?>|&[a-z#0-9]{0,4};|<!--|-->|<!\\[CDATA\\[|\\]\\]>|[a-z0-9 ]{0,5}){0,12}") {
        read(text.as_bytes());
    }

    #[test]
    fn spoilt_requests(call in samples::call(), harms in vec(harm(), 1..5)) {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_request(&call, &mut bytes).unwrap();
            for harm in &harms {
                harm.apply(&mut bytes);
            }
            read(&bytes);
        }
    }

    #[test]
    fn spoilt_answers((call, answer) in samples::answered(), harms in vec(harm(), 1..5)) {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_request(&call, &mut bytes).unwrap();
            let (reply, _) = message.decode_request(&bytes);
            bytes.clear();
            message.encode_answer(&reply, &Ok(answer.clone()), &mut bytes);
            for harm in &harms {
                harm.apply(&mut bytes);
            }
            let _ = message.decode_answer(&call, &bytes);
        }
    }
}

/// Every shorter beginning of a message is refused, and none panics.
#[test]
fn every_truncation_of_a_call_is_refused() {
    let call = Call::GetBinaryData { size: 3, fill: "text".to_owned() };
    for message in all() {
        let mut bytes = Vec::new();
        message.encode_request(&call, &mut bytes).unwrap();
        for length in 0..bytes.len() {
            let (_, read) = message.decode_request(&bytes[..length]);
            // A protobuf message that is cut between two fields is valid, with fewer fields.
            assert!(read.is_err() || message.name() == "protobuf", "{} at {length}", message.name());
        }
    }
}

/// A message that claims to be much longer than it is is refused before memory is allocated.
#[test]
fn claimed_lengths_are_not_believed() {
    let mut bin = b"RO107".to_vec();
    bin.extend([0; 23]);
    for text in ["SpeedService", "SendObjectArray"] {
        bin.extend((text.len() as i32).to_le_bytes());
        bin.extend(text.as_bytes());
    }
    bin.push(1);
    for claim in [i32::MAX, -1, 1 << 30, 1] {
        let mut message = bin.clone();
        message.extend(claim.to_le_bytes());
        assert!(crate::message("bin").decode_request(&message).1.is_err());
    }
    // [0, 1, "SendObjectArray" or "SendByteArray", [ an array or binary of 2^32 - 1 ]]
    for (method, marker) in [("SendObjectArray", 0xdd), ("SendByteArray", 0xc6), ("SendString", 0xdb)] {
        let mut message = vec![0x94, 0, 1, 0xa0 | method.len() as u8];
        message.extend(method.as_bytes());
        message.extend([0x91, marker, 0xff, 0xff, 0xff, 0xff]);
        assert!(crate::message("msgpack").decode_request(&message).1.is_err());
    }
    // The same with a head of CBOR: arrays, byte strings and texts of 2^64 - 1.
    for (method, marker) in [("SendObjectArray", 0x9b), ("SendByteArray", 0x5b), ("SendString", 0x7b)] {
        let mut message = vec![0x84, 0, 1, 0x60 | method.len() as u8];
        message.extend(method.as_bytes());
        message.extend([0x81, marker, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert!(crate::message("cbor").decode_request(&message).1.is_err());
    }
    // No metadata, the operation, and a block, bytes or a text of 2^62.
    for method in ["SendObjectArray", "SendByteArray", "SendString"] {
        let mut message = vec![0, method.len() as u8 * 2];
        message.extend(method.as_bytes());
        message.extend([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]);
        assert!(crate::message("avro").decode_request(&message).1.is_err());
    }
    // A SendObjectArray of 2^32 - 1, and one that leads four times to the same long text.
    let mut bytes = Vec::new();
    let mut persons: Vec<_> = (0..4).map(callbench_service::generate::person).collect();
    persons[0].first_name = "x".repeat(1000);
    crate::message("flatbuffers").encode_request(&Call::Send(callbench_service::Value::Objects(persons)), &mut bytes).unwrap();
    let number = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |it| u32::from_le_bytes(*it));
    let leads = |at: usize| (1..=4).map(|it| number(at + 4 * it)).all(|it| it > 0 && it % 4 == 0 && (it as usize) < bytes.len());
    let at = (0..bytes.len()).step_by(4).filter(|at| number(*at) == 4 && leads(*at)).max_by_key(|at| number(at + 4));
    let at = at.expect("the length of the vector");
    let mut longer = bytes.clone();
    longer[at..at + 4].fill(0xff);
    assert!(crate::message("flatbuffers").decode_request(&longer).1.is_err());
    let first = u32::from_le_bytes(*bytes[at + 4..].first_chunk().unwrap());
    for number in 1..4 {
        let place = at + 4 + 4 * number;
        bytes[place..place + 4].copy_from_slice(&(first - 4 * number as u32).to_le_bytes());
    }
    assert!(crate::message("flatbuffers").decode_request(&bytes).1.is_err());
    // A SendByteArray, in which bytes claim 2^32 of them.
    let message = [0xaa, 0x01, 0x06, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f];
    assert!(crate::message("protobuf").decode_request(&message).1.is_err());
}
