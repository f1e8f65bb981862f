//! JSON-RPC as its specification has it.

use callbench_service::{Answer, Call};

use crate::message;

/// The answer to a request, in which `Sum` would be 5.
fn answer(request: &str) -> serde_json::Value {
    let (reply, call) = message("json").decode_request(request.as_bytes());
    let mut out = Vec::new();
    message("json").encode_answer(&reply, &call.map(|_| Answer::Number(5)), &mut out);
    serde_json::from_slice(&out).expect("it is JSON")
}

fn code(request: &str) -> i64 {
    answer(request)["error"]["code"].as_i64().expect("it is an error")
}

#[test]
fn members_in_any_order_and_parameters_by_name_or_position() {
    for request in [
        r#"{"jsonrpc":"2.0","method":"Sum","params":{"a":2,"b":3},"id":1}"#,
        r#"{"id":1,"params":{"b":3,"a":2},"method":"Sum","jsonrpc":"2.0"}"#,
        r#" {"jsonrpc" : "2.0", "method":"S\u0075m", "params":[2,3],"id":1, "more":[{}]} "#,
    ] {
        assert_eq!(message("json").decode_request(request.as_bytes()).1, Ok(Call::Sum { a: 2, b: 3 }), "{request}");
    }
    for params in ["", r#","params":{}"#, r#","params":[]"#] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"Hello"{params},"id":1}}"#);
        assert_eq!(message("json").decode_request(request.as_bytes()).1, Ok(Call::Hello), "{request}");
    }
}

#[test]
fn the_id_comes_back_whatever_it_is() {
    for id in ["1", "-7", "1.5", "\"a\\u0062\"", "null", "18446744073709551616", "{\"a\":[1]}", "-0"] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"Sum","params":[2,3],"id":{id}}}"#);
        let expected: serde_json::Value = serde_json::from_str(id).unwrap();
        assert_eq!(answer(&request)["id"], expected);
        assert_eq!(answer(&request.replace("Sum", "Sun"))["id"], expected);
        assert_eq!(answer(&request.replace("[2,3]", "[2]"))["id"], expected);
    }
    assert!(answer(r#"{"jsonrpc":"2.0","method":"Sum","params":[2,3]}"#)["id"].is_null());
}

#[test]
fn each_mistake_has_its_code() {
    assert_eq!(code(r#"{"jsonrpc":"2.0","method":"Sum","params":[2,3],"id":1"#), -32700);
    assert_eq!(code("nonsense"), -32700);
    assert_eq!(code(r#"[{"jsonrpc":"2.0","method":"Sum","params":[2,3],"id":1}]"#), -32600);
    assert_eq!(code("7"), -32600);
    assert_eq!(code(r#"{"jsonrpc":"1.0","method":"Sum","params":[2,3],"id":1}"#), -32600);
    assert_eq!(code(r#"{"jsonrpc":"2.0","method":7,"params":[2,3],"id":1}"#), -32600);
    assert_eq!(code(r#"{"jsonrpc":"2.0","method":"Sun","params":[2,3],"id":1}"#), -32601);
    for params in ["[2]", "[2,3,4]", "{\"a\":2}", "[2,\"3\"]", "[2,4294967296]", "7"] {
        assert_eq!(code(&format!(r#"{{"jsonrpc":"2.0","method":"Sum","params":{params},"id":1}}"#)), -32602, "{params}");
    }
}

#[test]
fn a_fault_of_the_service_is_a_server_error() {
    let (reply, _) = message("json").decode_request(br#"{"jsonrpc":"2.0","method":"Sum","params":[2,3],"id":"x"}"#);
    let mut out = Vec::new();
    let fault = callbench_service::Fault { message: "no \"more\"".to_owned() };
    message("json").encode_answer(&reply, &Err(fault), &mut out);
    let expected = serde_json::json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": "no \"more\""}, "id": "x"});
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).unwrap(), expected);
}

#[test]
fn nesting_has_a_limit() {
    let deep = format!(r#"{{"jsonrpc":"2.0","method":"Sum","x":{}1{},"id":1}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(message("json").decode_request(deep.as_bytes()).1.is_err());
}
