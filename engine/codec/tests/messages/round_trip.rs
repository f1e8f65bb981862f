//! What was sent is what arrives.

use callbench_codec::{Reply, all};
use callbench_kit::Kind;
use callbench_kit::stack::AnswerKind;
use callbench_service::{Answer, Call, Fault, Value};
use proptest::prelude::*;

use crate::samples;

proptest! {
    #[test]
    fn every_call_arrives_as_it_was_sent(call in samples::call()) {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_request(&call, &mut bytes).unwrap();
            let (reply, read) = message.decode_request(&bytes);
            prop_assert_eq!(read.as_ref(), Ok(&call), "{}", message.name());
            prop_assert_eq!(reply.operation, call.operation());
            prop_assert_eq!(reply.refusal, None);
        }
    }

    #[test]
    fn every_answer_arrives_as_it_was_sent((call, answer) in samples::answered()) {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_request(&call, &mut bytes).unwrap();
            let (reply, _) = message.decode_request(&bytes);
            bytes.clear();
            message.encode_answer(&reply, &Ok(answer.clone()), &mut bytes);
            prop_assert_eq!(message.decode_answer(&call, &bytes), Ok(answer.clone()), "{}", message.name());
        }
    }

    #[test]
    fn a_fault_arrives_with_its_message(text in samples::text(), call in samples::call()) {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_request(&call, &mut bytes).unwrap();
            let (reply, _) = message.decode_request(&bytes);
            bytes.clear();
            message.encode_answer(&reply, &Err(Fault { message: text.clone() }), &mut bytes);
            let failure = message.decode_answer(&call, &bytes).unwrap_err();
            prop_assert_eq!((failure.kind, &failure.message), (Kind::Fault, &text), "{}", message.name());
        }
    }

    /// Any string arrives unchanged, or the message says that it cannot represent it.
    #[test]
    fn any_string_arrives_or_is_refused(text: String) {
        let call = Call::EchoString(text.clone());
        for message in all() {
            let mut bytes = b"before".to_vec();
            match message.encode_request(&call, &mut bytes) {
                Ok(()) => prop_assert_eq!(message.decode_request(&bytes[6..]).1, Ok(call.clone()), "{}", message.name()),
                Err(failure) => {
                    prop_assert_eq!(failure.kind, Kind::CannotCarry);
                    prop_assert_eq!(&bytes, b"before");
                }
            }
        }
    }

    #[test]
    fn an_answer_that_cannot_be_carried_becomes_a_fault(text in ".*[\\x00-\\x08\u{fffe}\u{ffff}].*") {
        for message in all() {
            let reply = Reply { operation: "EchoString", ..Reply::default() };
            let mut bytes = Vec::new();
            let said = message.encode_answer(&reply, &Ok(Answer::Text(text.clone())), &mut bytes);
            let carries = !matches!(message.name(), "soap" | "xmlrpc");
            prop_assert_eq!(said, if carries { AnswerKind::Answer } else { AnswerKind::Fault }, "{}", message.name());
            match message.decode_answer(&Call::EchoString(text.clone()), &bytes) {
                Ok(answer) => prop_assert!(carries && answer == Answer::Text(text.clone())),
                // MessagePack and Protocol Buffers check the mark, which an answer to no request lacks.
                Err(failure) if carries => prop_assert_eq!(failure.kind, Kind::Protocol),
                Err(failure) => prop_assert_eq!(failure.kind, Kind::Fault, "{}: {}", message.name(), failure.message),
            }
        }
    }

    /// A fault may quote what no message can carry.
    #[test]
    fn a_fault_always_arrives(text: String) {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_answer(&Reply::default(), &Err(Fault { message: text.clone() }), &mut bytes);
            prop_assert_eq!(message.decode_answer(&Call::Hello, &bytes).unwrap_err().kind, Kind::Fault, "{}", message.name());
        }
    }
}

#[test]
fn numbers_that_are_none_are_carried_or_refused() {
    let lacking = ["json", "xmlrpc"];
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for value in
            [Value::Double(number), Value::Doubles(vec![1.0, number]), Value::Float(number as f32), Value::Floats(vec![number as f32])]
        {
            for message in all() {
                let mut bytes = Vec::new();
                let written = message.encode_request(&Call::Send(value.clone()), &mut bytes);
                if lacking.contains(&message.name()) {
                    assert_eq!(written.unwrap_err().kind, Kind::CannotCarry, "{}", message.name());
                    continue;
                }
                written.unwrap();
                let read = message.decode_request(&bytes).1.unwrap();
                assert_eq!(format!("{read:?}"), format!("{:?}", Call::Send(value.clone())), "{}", message.name());
            }
        }
    }
}

#[test]
fn zeros_keep_their_sign() {
    for value in [Value::Double(-0.0), Value::Float(-0.0), Value::Doubles(vec![-0.0, 0.0])] {
        for message in all() {
            let mut bytes = Vec::new();
            message.encode_request(&Call::Send(value.clone()), &mut bytes).unwrap();
            let read = message.decode_request(&bytes).1.unwrap();
            assert_eq!(format!("{read:?}"), format!("{:?}", Call::Send(value.clone())), "{}", message.name());
        }
    }
}
