//! Any call and any answer of the service.

use callbench_service::generate::{search_response, structure};
use callbench_service::{Answer, Call, Octets, Person, Value};
use proptest::collection::vec;
use proptest::prelude::*;

/// Characters that every message can carry: all of them but those XML has no place for.
pub fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => proptest::char::range(' ', '~'),
        1 => prop_oneof![Just('<'), Just('&'), Just('>'), Just('"'), Just('\''), Just('\r'), Just('\n'), Just('\t'), Just(']')],
        1 => any::<char>().prop_filter("XML holds it", |it| !it.is_ascii_control() && !matches!(it, '\u{fffe}' | '\u{ffff}')),
    ];
    vec(character, 0..12).prop_map(|it| it.into_iter().collect())
}

pub fn person() -> impl Strategy<Value = Person> {
    (any::<i32>(), text(), text()).prop_map(|(id, first_name, last_name)| Person { id, first_name, last_name })
}

fn finite_float() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |it| it.is_finite())
}

fn finite_double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |it| it.is_finite())
}

fn octets() -> impl Strategy<Value = Octets> {
    prop_oneof![vec(any::<u8>(), 0..64), vec(any::<u8>(), 4000..5000)].prop_map(Octets)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        any::<u8>().prop_map(Value::Byte),
        any::<u16>().prop_map(Value::Char),
        any::<i16>().prop_map(Value::Short),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        finite_float().prop_map(Value::Float),
        finite_double().prop_map(Value::Double),
        text().prop_map(Value::Text),
        person().prop_map(|it| Value::Object(it.into())),
    ]
}

fn list() -> impl Strategy<Value = Value> {
    prop_oneof![
        vec(any::<bool>(), 0..9).prop_map(Value::Booleans),
        octets().prop_map(Value::Bytes),
        vec(any::<u16>(), 0..9).prop_map(Value::Chars),
        vec(any::<i16>(), 0..9).prop_map(Value::Shorts),
        vec(any::<i32>(), 0..9).prop_map(Value::Ints),
        vec(any::<i64>(), 0..9).prop_map(Value::Longs),
        vec(finite_float(), 0..9).prop_map(Value::Floats),
        vec(finite_double(), 0..9).prop_map(Value::Doubles),
        vec(text(), 0..9).prop_map(Value::Texts),
        vec(person(), 0..9).prop_map(Value::Objects),
    ]
}

/// A call of any operation.
pub fn call() -> impl Strategy<Value = Call> {
    let plain = prop_oneof![
        Just(Call::Empty),
        Just(Call::Hello),
        (any::<i32>(), any::<i32>()).prop_map(|(a, b)| Call::Sum { a, b }),
        any::<i32>().prop_map(|n| Call::GetPersons { n }),
        any::<i32>().prop_map(|n| Call::FindItems { n }),
        (any::<i32>(), text()).prop_map(|(size, fill)| Call::GetBinaryData { size, fill }),
        (0..20_usize).prop_map(|n| Call::EchoStructure(structure(n).into())),
        text().prop_map(Call::EchoString),
    ];
    prop_oneof![plain, scalar().prop_map(Call::Send), list().prop_map(Call::Send)]
}

/// A call with an answer of its kind.
pub fn answered() -> impl Strategy<Value = (Call, Answer)> {
    let sum = Call::Sum { a: 1, b: 2 };
    let binary = Call::GetBinaryData { size: 1, fill: "zero".to_owned() };
    prop_oneof![
        Just((Call::Empty, Answer::Nothing)),
        call().prop_filter("nothing", |it| Answer::is_nothing(it.operation())).prop_map(|it| (it, Answer::Nothing)),
        any::<i32>().prop_map(move |it| (sum.clone(), Answer::Number(it))),
        vec(person(), 0..40).prop_map(|it| (Call::GetPersons { n: 1 }, Answer::Persons(it))),
        octets().prop_map(move |it| (binary.clone(), Answer::Octets(it))),
        (0..40_usize).prop_map(|n| (Call::EchoStructure(structure(1).into()), Answer::Structure(structure(n).into()))),
        text().prop_map(|it| (Call::EchoString("a".to_owned()), Answer::Text(it))),
        text().prop_map(|it| (Call::Hello, Answer::Text(it))),
        (0..20_usize).prop_map(|n| (Call::FindItems { n: 1 }, Answer::Found(Box::new(search_response(n))))),
    ]
}
