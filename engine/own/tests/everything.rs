//! A service with all that a schema can say, as the program writes it: `tests/own/test_rust.py` holds the file against its generator.

#[allow(unused_imports)]
use callbench_own::{any, forms, generated, service};
use prost::encoding::{DecodeContext, decode_key, decode_varint};

#[allow(dead_code)]
mod chosen {
    include!("generated/everything.rs");
}

use chosen::{Answer, CALLS, Request};

const PAIR: &str = r#"{"request": {"truth": true, "large": 4611686018427387905, "huge": 9223372036854775807, "single": 1.5, "realNumber": 0.1,
    "text": "Zoë", "raw": "AAEC/w==", "color": "deep red", "anything": {"a": [1, null, 2.5], "z": true}, "nullText": "x", "maybeColor": "none",
    "texts": ["a", ""], "colors": ["none", "GREEN"], "raws": ["", "AA=="], "numbers": [-1, 0], "things": [1, "x", null],
    "counts": {"a b": 1}, "byNumber": {"-5": {"type": "m", "self": 1}}, "byFlat": {"type": "o", "self": 2}, "colorOf": {"sky": "GREEN"}}}"#;

fn request(json: &str) -> Request {
    Request::read(0, &mut serde_json::Deserializer::from_str(json)).expect("a request")
}

fn json(request: &Request) -> serde_json::Value {
    let mut out = Vec::new();
    request.write(&mut serde_json::Serializer::new(&mut out)).expect("JSON");
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn json_comes_back_as_it_was() {
    let first = request(PAIR);
    let written = json(&first);
    assert_eq!(request(&written.to_string()), first);
    let given: serde_json::Value = serde_json::from_str(PAIR).expect("JSON");
    let (given, written) = (given["request"].as_object().expect("members"), written["request"].as_object().expect("members"));
    for (name, value) in given {
        assert_eq!(&written[name], value, "{name}");
    }
    // What is absent is left out, null, or the default, as the schema says.
    assert!(!written.contains_key("maybe"));
    assert!(written["nullFlat"].is_null());
    assert_eq!(written["small"], 0);
}

#[test]
fn the_envelope_of_protocol_buffers_comes_back_as_it_was() {
    let first = request(PAIR);
    let mut bytes = Vec::new();
    first.put(&mut bytes);
    let mut from = &bytes[..];
    let (tag, kind) = decode_key(&mut from).expect("a key");
    assert_eq!(tag, callbench_own::FIRST_TAG);
    let mut found = None;
    Request::take(&mut found, tag, kind, &mut from, DecodeContext::default()).expect("a request");
    assert_eq!(found, Some(first));
    assert!(from.is_empty());
}

#[test]
fn an_answer_that_differs_in_its_last_field_is_not_the_same() {
    let echoed = request(PAIR).echoed().expect("the call echoes");
    assert!(echoed.same(&echoed, 3));
    let altered = echoed.altered().expect("it has fields");
    assert!(!echoed.same(&altered, 3));
    assert_ne!(echoed, altered);
    let nothing = Answer::read(3, &mut serde_json::Deserializer::from_str("{}")).expect("an answer");
    assert_eq!((nothing.altered(), nothing.place()), (None, 3));
}

#[test]
fn a_fingerprint_tells_requests_apart_and_is_the_same_for_the_same() {
    let first = request(PAIR);
    assert_eq!(first.fingerprint(), request(PAIR).fingerprint());
    assert_ne!(first.fingerprint(), request(&PAIR.replace("Zoë", "Zoe")).fingerprint());
}

#[test]
fn an_enumeration_has_no_other_values() {
    let refused = Request::read(0, &mut serde_json::Deserializer::from_str(&PAIR.replace("deep red", "pink"))).expect_err("a refusal");
    assert!(refused.to_string().contains("pink"), "{refused}");
    assert_eq!(CALLS, ["SendEverything", "Grow", "Transpose", "Rest"]);
}

/// The requests of the file with the bytes that protobuf's own library writes: `tests/own/protobuf_bytes.py` makes it.
#[test]
fn the_bytes_are_those_of_protobufs_own_library() {
    for line in include_str!("generated/everything.jsonl").lines() {
        let given: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let expected = given["protobuf"].as_str().expect("bytes in hexadecimal");
        let expected = (0..expected.len()).step_by(2).map(|at| u8::from_str_radix(&expected[at..at + 2], 16).expect("a byte"));
        let mut bytes = Vec::new();
        request(line).put(&mut bytes);
        let mut from = &bytes[..];
        decode_key(&mut from).expect("a key");
        let length = decode_varint(&mut from).expect("a length");
        assert_eq!(length as usize, from.len());
        // A map has no order.
        assert_eq!(sorted(from.iter().copied()), sorted(expected), "{line}");
    }
}

fn sorted(bytes: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut bytes: Vec<u8> = bytes.collect();
    bytes.sort_unstable();
    bytes
}
