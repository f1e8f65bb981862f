use super::*;
use crate::call::Value;

fn refusal(call: &Call) -> String {
    Service::default().answer(call).expect_err("a fault").message
}

#[test]
fn refuses_what_is_out_of_range() {
    assert_eq!(refusal(&Call::GetPersons { n: -1 }), "n is -1: it must be from 0 to 1000000");
    assert_eq!(refusal(&Call::FindItems { n: 1_000_001 }), "n is 1000001: it must be from 0 to 1000000");
    let binary = |size, fill: &str| refusal(&Call::GetBinaryData { size, fill: fill.to_owned() });
    assert_eq!(binary(268_435_457, "zero"), "size is 268435457: it must be from 0 to 268435456");
    assert_eq!(binary(4, "noise"), "fill is noise: it must be article, random, zero or text");
}

#[test]
fn counts_by_call_and_starts_again() {
    let service = Service::default();
    for _ in 0..3 {
        let _ = service.answer(&Call::Hello);
    }
    let _ = service.answer(&Call::GetPersons { n: -1 });
    let _ = service.answer(&Call::Send(Value::Int(1)));
    assert_eq!(service.counted(), [("Send", 1), ("GetPersons", 1), ("Hello", 3)]);
    assert_eq!(service.counted(), []);
}

#[test]
fn every_name_is_counted_in_its_own_place() {
    let calls = [
        Call::Empty,
        Call::Send(Value::Boolean(true)),
        Call::Sum { a: 1, b: 2 },
        Call::GetPersons { n: 0 },
        Call::GetBinaryData { size: 0, fill: "zero".to_owned() },
        Call::EchoStructure(generate::structure(0).into()),
        Call::EchoString(String::new()),
        Call::Hello,
        Call::FindItems { n: 0 },
    ];
    for call in calls {
        assert_eq!(CALLS[place(&call)], call.name());
    }
}

#[test]
fn binary_answers_follow_their_arguments_whatever_came_before() {
    let service = Service::default();
    for (size, fill) in [(100, "text"), (100, "random"), (100, "random"), (40, "random"), (100, "text")] {
        let call = Call::GetBinaryData { size, fill: fill.to_owned() };
        let expected = generate::binary(size as usize, fill_named(fill).expect("a fill"));
        assert_eq!(service.answer(&call), Ok(Answer::Octets(Octets(expected))));
    }
}
