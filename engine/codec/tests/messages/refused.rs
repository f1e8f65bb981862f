//! What is turned down, and that the answer says so.

use callbench_codec::{Message, Refusal, all};
use callbench_kit::Kind;
use callbench_service::Call;

use crate::message;

/// Reads a request that is turned down, and checks that its answer is a fault.
pub fn refusal(message: &dyn Message, request: &[u8]) -> (Refusal, String) {
    let (reply, call) = message.decode_request(request);
    let mut answer = Vec::new();
    let fault = call.expect_err("it is turned down");
    message.encode_answer(&reply, &Err(fault.clone()), &mut answer);
    assert_eq!(message.decode_answer(&Call::Hello, &answer).unwrap_err().kind, Kind::Fault, "{}", message.name());
    (reply.refusal.expect("it says why"), fault.message)
}

#[test]
fn nothing_at_all() {
    for message in all() {
        let expected = if message.name() == "protobuf" { Refusal::NoOperation } else { Refusal::Unreadable };
        assert_eq!(refusal(&*message, b"").0, expected, "{}", message.name());
    }
}

/// A request for an operation of the same length that the service does not have.
#[test]
fn an_operation_that_is_not_there() {
    let mut numbered = Vec::new();
    for message in all() {
        let mut request = Vec::new();
        message.encode_request(&Call::Hello, &mut request).unwrap();
        if !request.windows(5).any(|it| it == b"Hello") {
            numbered.push(message.name());
            continue;
        }
        while let Some(at) = request.windows(5).position(|it| it == b"Hello") {
            request[at..at + 5].copy_from_slice(b"Adieu");
        }
        assert_eq!(refusal(&*message, &request).0, Refusal::NoOperation, "{}", message.name());
    }
    // These have a number for each operation.
    numbered.sort_unstable();
    assert_eq!(numbered, ["flatbuffers", "protobuf"]);
}

#[test]
fn only_soap_has_http_say_that_it_is_a_fault() {
    for message in all() {
        assert_eq!(message.fault_status(), if message.name() == "soap" { 500 } else { 200 }, "{}", message.name());
    }
}

#[test]
fn numbers_beyond_their_type() {
    // A SendByte of 300, a SendShort of 40000.
    for request in [&[0x5a, 0x03, 0x08, 0xac, 0x02][..], &[0x6a, 0x04, 0x08, 0xc0, 0xb8, 0x02]] {
        assert_eq!(refusal(&*message("protobuf"), request).0, Refusal::BadParameters);
    }
    let request = br#"{"jsonrpc":"2.0","method":"SendByte","params":[300],"id":1}"#;
    assert_eq!(refusal(&*message("json"), request).0, Refusal::BadParameters);
}
