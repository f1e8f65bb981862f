//! Every operation's parameters and results, there and back.

use std::collections::HashMap;

use callbench_service::call::OPERATIONS;
use callbench_service::{Answer, Call, Octets, Person, Service, Value};
use proptest::prelude::*;

use super::{answer, operation, opnum, request};
use crate::ndr::{Reader, Writer};

fn sent(call: &Call) -> Call {
    let mut octets = Vec::new();
    request::put(call, &mut Writer::new(&mut octets));
    let mut from = Reader::new(&octets);
    let read = request::get(opnum(call.operation()), &mut from).expect("an operation").expect("parameters");
    assert_eq!(from.left(), 0, "{call:?}");
    read
}

fn answered(call: &Call) -> Answer {
    let made = Service::default().answer(call).expect("an answer");
    let mut octets = Vec::new();
    answer::put(call, Ok(&made), &mut Writer::new(&mut octets));
    let read = answer::get(call, &octets).expect("an answer");
    assert_eq!(read, made);
    read
}

#[test]
fn every_operation_has_an_opnum_of_its_own() {
    let opnums: HashMap<u16, &str> = OPERATIONS.into_iter().map(|name| (opnum(name), name)).collect();
    assert_eq!(opnums.len(), OPERATIONS.len());
    assert!(opnums.iter().all(|(opnum, name)| operation(*opnum) == Some(*name)));
    assert_eq!([operation(0), operation(2), operation(31), operation(u16::MAX)], [None; 4]);
}

#[test]
fn records_come_back_as_they_were() {
    for n in [0, 1, 2, 100] {
        answered(&Call::GetPersons { n });
        answered(&Call::FindItems { n });
        let structure = callbench_service::generate::structure(n as usize);
        let call = Call::EchoStructure(Box::new(structure));
        assert_eq!(sent(&call), call);
        answered(&call);
    }
    answered(&Call::Sum { a: i32::MAX, b: 1 });
    answered(&Call::Hello);
    answered(&Call::Empty);
}

#[test]
fn the_services_no_comes_in_words() {
    let call = Call::GetPersons { n: -1 };
    let fault = Service::default().answer(&call).expect_err("a fault");
    let mut octets = Vec::new();
    answer::put(&call, Err(&fault), &mut Writer::new(&mut octets));
    let failure = answer::get(&call, &octets).expect_err("a fault");
    assert_eq!((failure.kind, failure.message), (callbench_kit::Kind::Fault, fault.message));
}

/// Written by hand from C706, because our own reader would accept an error that both sides make.
#[test]
fn a_person_lies_as_the_documents_say() {
    let call = Call::Send(Value::Objects(vec![person(7, "A", ""), person(8, "Bc", "D")]));
    let mut octets = Vec::new();
    request::put(&call, &mut Writer::new(&mut octets));
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let user = u32::from_le_bytes(*b"User");
    let expected = [
        words(&[2, 0x0002_0000, 2, 7, user, user, 8, user, user]),
        words(&[1, 2, 1]),
        vec![b'A', 0, 0, 0],
        words(&[0, 0, 0]),
        words(&[2, 4, 2]),
        vec![b'B', 0, b'c', 0],
        words(&[1, 2, 1]),
        vec![b'D', 0],
    ];
    assert_eq!(octets, expected.concat());
}

fn person(id: i32, first_name: &str, last_name: &str) -> Person {
    Person { id, first_name: first_name.to_owned(), last_name: last_name.to_owned() }
}

fn values() -> impl Strategy<Value = Value> {
    let people = (any::<i32>(), any::<String>(), any::<String>()).prop_map(|(id, first, last)| person(id, &first, &last));
    let list = 0_usize..40;
    prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        any::<u8>().prop_map(Value::Byte),
        any::<i16>().prop_map(Value::Short),
        any::<i64>().prop_map(Value::Long),
        any::<String>().prop_map(Value::Text),
        prop::collection::vec(any::<bool>(), list.clone()).prop_map(Value::Booleans),
        prop::collection::vec(any::<u8>(), list.clone()).prop_map(|octets| Value::Bytes(Octets(octets))),
        prop::collection::vec(any::<u16>(), list.clone()).prop_map(Value::Chars),
        prop::collection::vec(any::<i64>(), list.clone()).prop_map(Value::Longs),
        prop::collection::vec(any::<String>(), list.clone()).prop_map(Value::Texts),
        prop::collection::vec(people, list).prop_map(Value::Objects),
    ]
}

proptest! {
    #[test]
    fn what_is_sent_is_what_comes(value in values()) {
        let call = Call::Send(value);
        prop_assert_eq!(sent(&call), call);
    }

    #[test]
    fn garbage_is_malformed_and_nothing_worse(octets in prop::collection::vec(any::<u8>(), 0..200), opnum in 0_u16..40) {
        let _ = request::get(opnum, &mut Reader::new(&octets));
        for call in [Call::Hello, Call::GetPersons { n: 1 }, Call::FindItems { n: 1 }] {
            let _ = answer::get(&call, &octets);
        }
    }
}
