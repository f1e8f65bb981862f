//! The golden vectors. The core compares them with its own Python implementation.

use callbench_service::{Call, Service, arguments, canonical};
use serde_json::Value as Json;

#[test]
fn every_vector_is_reproduced() {
    let vectors: Vec<Json> = serde_json::from_str(include_str!("../../../contract/golden/service.json")).expect("JSON");
    assert!(vectors.len() >= 60);
    let service = Service::default();
    for vector in &vectors {
        let (name, given) = (vector["call"].as_str().expect("a name"), &vector["arguments"]);
        let call = arguments::call(name, given.as_object().expect("an object")).unwrap_or_else(|misfit| panic!("{name} {given}: {misfit}"));
        match service.answer(&call) {
            Ok(answer) => assert_eq!(canonical::digest_if_large(canonical::answer(&answer)), vector["value"], "{name} {given}"),
            Err(fault) => assert_eq!(fault.message, vector["fault"]["message"], "{name} {given}"),
        }
        if let Call::Send(value) = &call {
            assert_eq!(canonical::digest_if_large(canonical::value(value)), vector["sent"], "{name} {given}");
        }
    }
}
