use super::*;
use crate::records::{Octets, Person};
use proptest::prelude::*;

#[test]
fn each_kind_has_its_form() {
    let cases = [
        (Value::Boolean(true), "true"),
        (Value::Byte(255), "255"),
        (Value::Char(65535), "65535"),
        (Value::Short(-1), "-1"),
        (Value::Int(i32::MIN), "-2147483648"),
        (Value::Long(i64::MIN), "\"-9223372036854775808\""),
        (Value::Float(1.0), "\"0x3f800000\""),
        (Value::Float(-0.0), "\"0x80000000\""),
        (Value::Double(1.0), "\"0x3ff0000000000000\""),
        (Value::Double(f64::INFINITY), "\"0x7ff0000000000000\""),
        (Value::Longs(vec![1, -2]), "[\"1\",\"-2\"]"),
        (Value::Bytes(Octets(Vec::new())), "{\"bytes\":0,\"sha256\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}"),
        (
            Value::Text("\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}\u{2028}é𝄞".to_owned()),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}\u{2028}é𝄞\"",
        ),
        (
            Value::Object(Person { id: 1, first_name: "A".to_owned(), last_name: "B".to_owned() }.into()),
            "{\"FirstName\":\"A\",\"ID\":1,\"LastName\":\"B\"}",
        ),
    ];
    for (it, expected) in cases {
        assert_eq!(text(&value(&it)), expected);
    }
    assert_eq!(text(&answer(&Answer::Nothing)), "null");
}

#[test]
fn a_long_text_becomes_its_digest() {
    let longest = Json::String("A".repeat(LONGEST - 2));
    assert_eq!(digest_if_large(longest.clone()), longest);
    let longer = digest_if_large(Json::String("A".repeat(LONGEST - 1)));
    assert_eq!(longer["bytes"], 4097);
    assert_eq!(longer["sha256"].as_str().map(str::len), Some(64));
}

proptest! {
    #[test]
    fn a_text_reads_back(it: String) {
        let written = text(&answer(&Answer::Text(it.clone())));
        prop_assert_eq!(serde_json::from_str::<String>(&written).expect("JSON"), it);
    }

    #[test]
    fn floats_keep_every_bit(bits: u64) {
        let form = value(&Value::Double(f64::from_bits(bits)));
        let hex = form.as_str().and_then(|it| it.strip_prefix("0x")).expect("0x");
        prop_assert_eq!(u64::from_str_radix(hex, 16).expect("hexadecimal"), bits);
    }
}
