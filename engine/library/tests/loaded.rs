//! The library, loaded as the channel loads it.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::Kind;
use callbench_kit::stack::{Client, Connect, Listen, Options, Server, Stack};
use callbench_native::stack::MessageOverChannel;
use callbench_service::{Answer, Call, Service};
use callbench_transport::Channel;
use callbench_transport::library::Library;

const HERE: Listen = Listen { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 };

fn started(stack: &MessageOverChannel, options: &[(&str, u64)], timeout: Duration) -> (Box<dyn Server>, Box<dyn Client>) {
    let options: Options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let server = stack.serve(Arc::new(Service::default()), HERE, &options).unwrap();
    let client = stack.connect(&Connect { endpoint: server.endpoint(), timeout, options: Options::new() }).unwrap();
    (server, client)
}

/// A library that is unloaded after each call gives the same answers, and its calls are counted.
fn loaded_for_each_call() {
    let stack = MessageOverChannel::new(callbench_codec::all().remove(0), Arc::new(Library));
    let (server, _kept) = started(&stack, &[], Duration::from_secs(20));
    let mapped = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().filter(|line| line.contains("memfd:")).count();
    let options: Options = [("keep_loaded".to_owned(), false.into())].into_iter().collect();
    let to = Connect { endpoint: server.endpoint(), timeout: Duration::from_secs(20), options };
    let mut client = stack.connect(&to).unwrap();
    for _ in 0..3 {
        assert_eq!(client.call(&Call::Sum { a: 2, b: 3 }).unwrap(), Answer::Number(5));
        assert_eq!(client.call(&Call::GetPersons { n: -1 }).unwrap_err().kind, Kind::Fault);
        assert_eq!(mapped(), 0);
    }
    let counts = server.remote_counts().unwrap().calls;
    assert!(counts.contains(&("Sum".to_owned(), 3)) && counts.contains(&("GetPersons".to_owned(), 3)), "{counts:?}");
    let options: Options = [("keep_loaded".to_owned(), "no".into())].into_iter().collect();
    let refused = stack.connect(&Connect { options, ..to }).err().expect("a refusal");
    assert_eq!(refused.kind, Kind::BadRequest);
}

// A single test, because the library contains a single service.
#[test]
fn every_message_is_answered_and_counted() {
    let patience = Duration::from_secs(20);
    for message in callbench_codec::all() {
        let stack = MessageOverChannel::new(message, Arc::new(Library));
        assert_eq!(stack.unavailable(), None);
        let (server, mut client) = started(&stack, &[], patience);
        assert_eq!(client.call(&Call::Sum { a: 2, b: 3 }).unwrap(), Answer::Number(5), "{}", stack.name());
        let fault = client.call(&Call::GetPersons { n: -1 }).unwrap_err();
        assert_eq!(fault.kind, Kind::Fault, "{}: {fault}", stack.name());
        let counts = server.remote_counts().unwrap().calls;
        assert!(counts.contains(&("Sum".to_owned(), 1)) && counts.contains(&("GetPersons".to_owned(), 1)), "{counts:?}");
        assert!(server.remote_counts().unwrap().calls.iter().all(|(_, count)| *count == 0));
    }
    loaded_for_each_call();
    let stack = MessageOverChannel::new(callbench_codec::all().remove(0), Arc::new(Library));
    let (_server, mut client) = started(&stack, &[("delay_us", 50_000)], Duration::from_millis(20));
    assert_eq!(client.call(&Call::Empty).unwrap_err().kind, Kind::Timeout);
    let unknown = Library.connect("nonsense", "", &Connect { endpoint: "library".into(), timeout: patience, options: Options::new() });
    assert_eq!(unknown.unwrap().call(b"?").unwrap_err().kind, Kind::Unsupported);
}
