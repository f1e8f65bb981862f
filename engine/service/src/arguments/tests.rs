use super::*;
use crate::call::Value;
use crate::canonical;
use proptest::prelude::*;
use serde_json::json;

fn read(name: &str, arguments: &Json) -> Result<Call, ArgumentError> {
    call(name, arguments.as_object().expect("an object"))
}

#[test]
fn reads_every_call() {
    assert_eq!(read("Sum", &json!({"a": 1, "b": -2})), Ok(Call::Sum { a: 1, b: -2 }));
    assert_eq!(read("GetPersons", &json!({"n": -1, "ignored": 1})), Ok(Call::GetPersons { n: -1 }));
    assert_eq!(read("GetBinaryData", &json!({"size": 8, "fill": "x"})), Ok(Call::GetBinaryData { size: 8, fill: "x".to_owned() }));
    assert_eq!(read("EchoString", &json!({"content": "fixed", "count": 3})), Ok(Call::EchoString("AAA".to_owned())));
    assert_eq!(read("EchoString", &json!({"value": {"utf16": [233, 55348, 56606]}})), Ok(Call::EchoString("é𝄞".to_owned())));
    assert_eq!(read("EchoStructure", &json!({"n": 2})), Ok(Call::EchoStructure(generate::structure(2).into())));
}

#[test]
fn a_seed_may_be_a_number_or_a_decimal_string_and_is_1_unless_given() {
    let of = |seed: Json| read("Send", &json!({"type": "long", "content": "random", "seed": seed}));
    assert_eq!(of(json!(7)), of(json!("7")));
    assert_ne!(of(json!(7)), of(json!(8)));
    assert_eq!(of(json!(1)), read("Send", &json!({"type": "long", "content": "random"})));
    assert!(of(json!("18446744073709551615")).is_ok());
    assert!(of(json!("18446744073709551616")).is_err());
    assert!(of(json!("+7")).is_err());
}

#[test]
fn bad_arguments_are_named() {
    let cases = [
        ("Nothing", json!({}), "no call Nothing"),
        ("Sum", json!({"a": 1}), "argument b is missing"),
        ("Sum", json!({"a": 1, "b": 2_147_483_648_u64}), "b is 2147483648"),
        ("Sum", json!({"a": 1.5, "b": 2}), "a is 1.5"),
        ("GetBinaryData", json!({"size": 1, "fill": 2}), "fill is 2"),
        ("EchoStructure", json!({"n": -1}), "n is -1"),
        ("Send", json!({"type": "word", "value": 1}), "type is word"),
        ("Send", json!({"type": "byte", "value": 256}), "from 0 to 255"),
        ("Send", json!({"type": "int"}), "value or content"),
        ("Send", json!({"type": "int", "value": 1, "content": "fixed"}), "exclude"),
        ("Send", json!({"type": "int[]", "content": "fixed"}), "count is missing"),
        ("Send", json!({"type": "int[]", "content": "fixed", "count": 16_777_217}), "count is 16777217"),
        ("Send", json!({"type": "int", "content": "bmp"}), "not for int"),
        ("Send", json!({"type": "float", "value": "0x123"}), "8 hexadecimal digits"),
        ("Send", json!({"type": "object", "value": {"ID": 1}}), "FirstName"),
        ("EchoString", json!({"content": "noise", "count": 1}), "content is"),
    ];
    for (name, arguments, part) in cases {
        match read(name, &arguments) {
            Err(ArgumentError::Wrong(message)) => assert!(message.contains(part), "{name} {arguments}: {message}"),
            other => panic!("{name} {arguments}: {other:?}"),
        }
    }
}

#[test]
fn a_lone_surrogate_cannot_be_carried() {
    let lone = read("EchoString", &json!({"value": {"utf16": [55348]}}));
    assert!(matches!(lone, Err(ArgumentError::CannotCarry(_))), "{lone:?}");
}

proptest! {
    /// Except for byte arrays: canonical JSON has only their digest.
    #[test]
    fn the_canonical_form_of_a_value_reads_back(which in 0_usize..10, array: bool, seed: u64, count in 0_usize..20) {
        let (kind, name) = Kind::ALL[which];
        prop_assume!(!(kind == Kind::Byte && array));
        let made = generate::value(kind, array, Content::Random(seed), count).expect("every type has it");
        let name = format!("{name}{}", if array { "[]" } else { "" });
        let back = read("Send", &json!({"type": name, "value": canonical::value(&made)}));
        prop_assert_eq!(back, Ok(Call::Send(made)));
    }

    #[test]
    fn floats_of_any_bits_read_back(bits: u32) {
        let back = read("Send", &json!({"type": "float", "value": format!("0x{bits:08x}")}));
        prop_assert!(matches!(back, Ok(Call::Send(Value::Float(it))) if it.to_bits() == bits));
    }

    #[test]
    fn no_arguments_make_it_panic(name in "(Send|Sum|EchoString|GetPersons)", key in "(type|value|content|count|seed|n|a)", text: String, number: i64) {
        let _ = read(&name, &json!({key.clone(): text}));
        let _ = read(&name, &json!({key: number, "type": "int[]", "content": "random"}));
    }
}
