//! `BinMessage` to the byte: vectors that the vendor's own client wrote and read.

use callbench_codec::{Client, Mark, Reply};
use callbench_kit::Kind;
use callbench_service::{Answer, Call, Octets, Person, Value};

use crate::message;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

const HEADER: &str = "524f313037 00 00 0000000000 33221100554477668899aabbccddeeff";

#[test]
fn the_request_that_the_vendors_client_writes() {
    let golden = bytes(&format!("{HEADER} 0c000000 537065656453657276696365 03000000 53756d 02000000 03000000"));
    let mut written = Vec::new();
    message("bin").encode_request(&Call::Sum { a: 2, b: 3 }, &mut written).unwrap();
    assert_eq!((written.len(), &written), (59, &golden));
    let (reply, call) = message("bin").decode_request(&golden);
    assert_eq!(call, Ok(Call::Sum { a: 2, b: 3 }));
    assert_eq!(reply.mark, Mark::Client(Client(golden[12..28].try_into().unwrap())));
}

/// The form of the vendor's array of one struct, with our record in it.
#[test]
fn an_array_of_structs() {
    let answer = Answer::Persons(vec![Person { id: 33, first_name: "Ann".to_owned(), last_name: "Lee".to_owned() }]);
    let mut written = Vec::new();
    message("bin").encode_answer(&Reply { operation: "GetPersons", ..Reply::default() }, &Ok(answer), &mut written);
    let strings = "0c000000 537065656453657276696365 0a000000 476574506572736f6e73";
    let array = "01 01000000 01 06000000 506572736f6e 21000000 03000000 416e6e 03000000 4c6565";
    assert_eq!(written, bytes(&format!("{HEADER} {strings} {array}")));
}

#[test]
fn each_type_has_its_width() {
    let cases = [
        (Value::Boolean(true), "01000000"),
        (Value::Byte(255), "ff000000"),
        (Value::Char(65535), "ffff0000"),
        (Value::Short(-2), "feffffff"),
        (Value::Int(-2), "feffffff"),
        (Value::Long(-2), "feffffffffffffff"),
        (Value::Float(0.5), "000000000000e03f"),
        (Value::Double(0.5), "000000000000e03f"),
        (Value::Text("ä".to_owned()), "02000000 c3a4"),
        (Value::Bytes(Octets(vec![1, 2])), "01 02000000 0102"),
        (Value::Ints(vec![7]), "01 01000000 07000000"),
        (Value::Ints(vec![]), "01 00000000"),
    ];
    for (value, expected) in cases {
        let mut written = Vec::new();
        let start = 28 + 4 + "SpeedService".len() + 4 + value.operation().len();
        message("bin").encode_request(&Call::Send(value.clone()), &mut written).unwrap();
        assert_eq!(written[start..], bytes(expected), "{value:?}");
    }
}

#[test]
fn null_structs_are_refused_and_null_arrays_are_empty() {
    let call = |operation: &str, rest: &str| {
        let mut request = bytes(&format!("{HEADER} 0c000000 537065656453657276696365"));
        request.extend((operation.len() as i32).to_le_bytes());
        request.extend(operation.as_bytes());
        request.extend(bytes(rest));
        message("bin").decode_request(&request).1
    };
    assert!(call("SendObject", "00").unwrap_err().message.contains("null"));
    assert_eq!(call("SendIntArray", "00"), Ok(Call::Send(Value::Ints(vec![]))));
    assert_eq!(call("SendByteArray", "00"), Ok(Call::Send(Value::Bytes(Octets(vec![])))));
    assert!(call("SendObject", "01 04000000 54686174 00000000 00000000 00000000").unwrap_err().message.contains("That"));
}

#[test]
fn an_exception_has_a_class_and_a_message() {
    let fault = bytes("524f313037 00 01 0000000000 33221100554477668899aabbccddeeff 01000000 45 02000000 6e6f");
    let failure = message("bin").decode_answer(&Call::Hello, &fault).unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (Kind::Fault, "no"));
}

#[test]
fn bodies_above_4096_bytes_are_compressed_and_flagged() {
    let flag_and_length = |size: usize| {
        // A text's length is its own and the two strings', and three lengths'.
        let around = 4 + "SpeedService".len() + 4 + "SendString".len() + 4;
        let mut written = Vec::new();
        message("bincomp").encode_request(&Call::Send(Value::Text("a".repeat(size - around))), &mut written).unwrap();
        assert!(message("bincomp").decode_request(&written).1.is_ok());
        assert_eq!(message("bin").decode_request(&written).1.is_ok(), written[5] == 0);
        (written[5], written.len())
    };
    assert_eq!(flag_and_length(4096), (0, 28 + 4096));
    let (flag, length) = flag_and_length(4097);
    assert_eq!(flag, 1);
    assert!(length < 200);
}

#[test]
fn a_compressed_body_ends_where_it_says() {
    let mut written = Vec::new();
    message("bincomp").encode_request(&Call::Send(Value::Text("a".repeat(5000))), &mut written).unwrap();
    for length in 28..written.len() {
        assert!(message("bincomp").decode_request(&written[..length]).1.is_err());
    }
    written.push(0);
    assert!(message("bincomp").decode_request(&written).1.is_err());
}
