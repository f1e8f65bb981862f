use super::*;
use crate::call::Value;
use crate::generate::{self, Content, Kind};
use crate::records::{Octets, Person};
use proptest::prelude::*;

/// Converts to text and back, as between host and runner.
fn through_text(form: &Json) -> Json {
    serde_json::from_str(&form.to_string()).expect("JSON")
}

fn call_back(call: &Call) -> Call {
    read_call(call.operation(), &through_text(&parameters(call))).expect("a call")
}

fn answer_back(operation: &str, given: &Answer) -> Answer {
    read_answer(operation, &through_text(&answer(given))).expect("an answer")
}

fn sent(value: Value) -> Json {
    parameters(&Call::Send(value))["value"].clone()
}

#[test]
fn each_type_has_its_form() {
    let person = Person { id: -1, first_name: "A".to_owned(), last_name: "é".to_owned() };
    let cases = [
        (Value::Boolean(true), json!(true)),
        (Value::Byte(255), json!(255)),
        (Value::Char(0xD800), json!(55296)),
        (Value::Short(-1), json!(-1)),
        (Value::Int(i32::MIN), json!(-2_147_483_648)),
        (Value::Long(i64::MIN), json!("-9223372036854775808")),
        (Value::Float(0.1), json!(0.1)),
        (Value::Float(-0.0), json!("-0")),
        (Value::Double(f64::NAN), json!("NaN")),
        (Value::Doubles(vec![f64::INFINITY, f64::NEG_INFINITY, 1.0]), json!(["Infinity", "-Infinity", 1.0])),
        (Value::Bytes(Octets(vec![0, 255, 1, 2])), json!("AP8BAg==")),
        (Value::Text("a\u{0}𝄞".to_owned()), json!("a\u{0}𝄞")),
        (Value::Objects(vec![person]), json!([{"ID": -1, "FirstName": "A", "LastName": "é"}])),
    ];
    for (value, form) in cases {
        assert_eq!(sent(value), form);
    }
    assert_eq!(answer(&Answer::Nothing), Json::Null);
    assert_eq!(parameters(&Call::Sum { a: 1, b: -2 }), json!({"a": 1, "b": -2}));
    assert_eq!(parameters(&Call::Hello), json!({}));
    assert_eq!(parameters(&Call::EchoStructure(generate::structure(1).into()))["structure"]["users"][0]["created"], json!("1167609600000"));
}

#[test]
fn numbers_and_strings_stand_for_each_other_where_the_type_is_known() {
    assert_eq!(read_answer("Sum", &json!("-3")), Ok(Answer::Number(-3)));
    assert_eq!(read_call("SendLong", &json!({"value": 5})), Ok(Call::Send(Value::Long(5))));
    assert_eq!(read_call("SendFloat", &json!({"value": "0.1"})), Ok(Call::Send(Value::Float(0.1))));
    assert_eq!(read_call("SendDouble", &json!({"value": 2})), Ok(Call::Send(Value::Double(2.0))));
    assert_eq!(read_call("EchoString", &json!({"value": {"utf16": [233, 55348, 56606]}})), Ok(Call::EchoString("é𝄞".to_owned())));
}

#[test]
fn what_is_of_another_type_is_named() {
    for (operation, value, part) in [
        ("Sum", json!("three"), "\"three\" is not a whole number"),
        ("Sum", json!(3.5), "3.5 is not a whole number"),
        ("Sum", json!(2_147_483_648_u64), "2147483648"),
        ("Empty", json!(1), "answers nothing"),
        ("GetPersons", json!([{"ID": 1, "FirstName": "A", "LastName": null}]), "LastName"),
        ("GetPersons", Json::Null, "null is not a list"),
        ("GetBinaryData", json!("%"), "this is no answer of GetBinaryData"),
        ("Dance", json!(1), "no operation Dance"),
    ] {
        let message = read_answer(operation, &value).expect_err("a sentence");
        assert!(message.contains(part), "{operation} {value}: {message}");
    }
    assert!(read_call("SendDouble", &json!({"value": "infinity"})).is_err());
}

#[test]
fn absent_members_are_left_out_and_null_is_absent() {
    let found = Answer::Found(Box::new(generate::search_response(12)));
    let mut form = answer(&found);
    let item = &mut form["searchResult"]["item"][3];
    assert!(item.get("postalCode").is_none());
    item["postalCode"] = Json::Null;
    item["unknown"] = json!({"more": [1]});
    assert_eq!(read_answer("FindItems", &form), Ok(found));
}

#[test]
fn a_lone_surrogate_passes_as_its_units() {
    let lone = json!({"utf16": [97, 55296]});
    let echo = Payload::of("EchoString", json!({"value": lone}).as_object().expect("an object")).expect("a payload");
    assert_eq!(echo, Payload { operation: "EchoString", arguments: json!({"value": lone}), answer: Ok(lone.clone()) });
    assert_eq!(canonical("EchoString", &lone), Ok(lone.clone()));
    assert_eq!(canonical("EchoString", &json!({"utf16": [97]})), Ok(json!("a")));
    let list = json!({"type": "string[]", "value": ["a", lone, "b"]});
    let list = Payload::of("Send", list.as_object().expect("an object")).expect("a payload");
    assert_eq!((list.operation, &list.arguments["value"][1], list.answer), ("SendStringArray", &lone, Ok(Json::Null)));
    let wrong = json!({"type": "string[]", "value": [lone, 3]});
    assert!(matches!(Payload::of("Send", wrong.as_object().expect("an object")), Err(ArgumentError::Wrong(_))));
}

#[test]
fn a_payload_has_the_answer_or_the_refusal() {
    let of = |name, arguments: Json| Payload::of(name, arguments.as_object().expect("an object")).expect("a payload");
    assert_eq!(of("Sum", json!({"a": 1, "b": 2})).answer, Ok(json!(3)));
    assert_eq!(of("Send", json!({"type": "int", "value": 1})).operation, "SendInt");
    assert_eq!(of("GetPersons", json!({"n": -1})).answer, Err("n is -1: it must be from 0 to 1000000".to_owned()));
}

#[test]
fn everything_that_is_generated_comes_back() {
    for (kind, name) in Kind::ALL {
        for array in [false, true] {
            let call = Call::Send(generate::value(kind, array, Content::Random(9), 20).expect(name));
            assert_eq!(call_back(&call), call);
        }
    }
    let structure = generate::structure(30);
    assert_eq!(call_back(&Call::EchoStructure(structure.clone().into())), Call::EchoStructure(structure.clone().into()));
    for (operation, given) in [
        ("EchoStructure", Answer::Structure(structure.into())),
        ("FindItems", Answer::Found(generate::search_response(60).into())),
        ("GetPersons", Answer::Persons(generate::persons(300))),
        ("GetBinaryData", Answer::Octets(Octets(generate::binary(999, crate::Fill::Random)))),
        ("Hello", Answer::Text("Hello World".to_owned())),
        ("SendInt", Answer::Nothing),
    ] {
        assert_eq!(answer_back(operation, &given), given);
        assert_eq!(canonical(operation, &answer(&given)), Ok(canonical::answer(&given)));
    }
}

proptest! {
    #[test]
    fn floats_keep_their_value(bits: u32) {
        let value = f32::from_bits(bits);
        let Call::Send(Value::Float(back)) = call_back(&Call::Send(Value::Float(value))) else { panic!("a float") };
        prop_assert!(back.to_bits() == bits || (back.is_nan() && value.is_nan()), "{value} {back}");
        let form = sent(Value::Float(value));
        prop_assert!(form.is_string() || form.to_string().trim_end_matches(".0").len() <= 24, "{form}");
    }

    #[test]
    fn doubles_keep_their_value(bits: u64) {
        let value = f64::from_bits(bits);
        let Call::Send(Value::Double(back)) = call_back(&Call::Send(Value::Double(value))) else { panic!("a double") };
        prop_assert!(back.to_bits() == bits || (back.is_nan() && value.is_nan()), "{value} {back}");
    }

    #[test]
    fn whole_numbers_text_and_octets_come_back(long: i64, int: i32, texts: Vec<String>, octets: Vec<u8>, units: Vec<u16>) {
        for value in [
            Value::Long(long), Value::Ints(vec![int, -1]), Value::Texts(texts), Value::Bytes(Octets(octets)), Value::Chars(units.clone()),
        ] {
            let call = Call::Send(value);
            prop_assert_eq!(call_back(&call), call);
        }
        let spelt = json!({"utf16": units});
        let expected = String::from_utf16(&units).map_or_else(|_| spelt.clone(), Json::String);
        prop_assert_eq!(canonical("EchoString", &spelt), Ok(expected));
    }

    #[test]
    fn no_plain_value_makes_it_panic(operation in prop::sample::select(&crate::call::OPERATIONS[..]), text: String, number: f64) {
        for value in [json!(text), json!(number), json!([text]), json!({"value": text, "n": number}), json!({"utf16": [number]})] {
            let _ = read_answer(operation, &value);
            let _ = read_call(operation, &value);
            let _ = canonical(operation, &value);
        }
    }
}

#[test]
fn random_values_rotate_and_others_do_not() {
    let of = |name, arguments: Json| rotation(name, arguments.as_object().expect("an object")).expect("payloads");
    let random = of("Send", json!({"type": "int", "content": "random", "seed": "18446744073709551615"}));
    assert_eq!(random.len(), 16);
    assert_eq!(random[2], of("Send", json!({"type": "int", "content": "random", "seed": 1}))[0]);
    assert_eq!(of("Send", json!({"type": "int", "content": "fixed"})).len(), 1);
    assert_eq!(of("Sum", json!({"a": 1, "b": 2, "content": "random"})).len(), 1);
    let long = of("EchoString", json!({"content": "random", "count": 16 << 20}));
    assert!((2..8).contains(&long.len()), "{}", long.len());
}
