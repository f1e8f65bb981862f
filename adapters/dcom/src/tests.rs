//! A server and hostile clients: whatever comes, it answers with a fault or ends the connection, and goes on serving others.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpStream};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use callbench_kit::stack::{Connect, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call, Service};
use proptest::prelude::*;

use crate::ids::{ACTIVATION, Guid, IUNKNOWN, OBJECT_EXPORTER, REM_UNKNOWN, SPEED_SERVICE};
use crate::objref::host_and_port;
use crate::pdu::bind::{Bind, Context};
use crate::pdu::call::{Request, fault_status};
use crate::pdu::{HEADER, Header, close, flag, kind};
use crate::stack::Orpc;
use crate::status;

const LOOPBACK: Listen = Listen { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 };
const PATIENCE: Duration = Duration::from_secs(30);

/// One server for all tests of this file; it lives as long as they do.
static SERVED: LazyLock<String> = LazyLock::new(|| {
    let server = serve();
    let endpoint = server.endpoint();
    std::mem::forget(server);
    endpoint
});

fn serve() -> Box<dyn Server> {
    Orpc.serve(Arc::new(Service::default()), LOOPBACK, &Options::new()).expect("a server")
}

fn connect(endpoint: &str) -> Result<Box<dyn callbench_kit::stack::Client>, Failure> {
    Orpc.connect(&Connect { endpoint: endpoint.to_owned(), timeout: PATIENCE, options: Options::new() })
}

fn still_serves(endpoint: &str) {
    let answer = connect(endpoint).and_then(|mut client| client.call(&Call::Sum { a: 1, b: 2 }));
    assert_eq!(answer, Ok(Answer::Number(3)));
}

fn dial(endpoint: &str) -> TcpStream {
    let stream = TcpStream::connect(host_and_port(endpoint).expect("an address")).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream
}

/// Everything that the server sends after these bytes, until it ends the connection.
fn exchanged(endpoint: &str, octets: &[u8]) -> Vec<u8> {
    let mut stream = dial(endpoint);
    let _ = stream.write_all(octets);
    let _ = stream.shutdown(Shutdown::Write);
    let mut said = Vec::new();
    // A connection that is reset has been ended as well.
    let _ = stream.read_to_end(&mut said);
    said
}

/// The PDUs in what a server said: type and status of a fault (0 for others).
fn pdus(mut said: &[u8]) -> Vec<(u8, u32)> {
    let mut found = Vec::new();
    while let Some(octets) = said.first_chunk::<HEADER>() {
        let header = Header::read(octets).expect("a header");
        let (pdu, rest) = said.split_at(usize::from(header.length));
        found.push((header.kind, if header.kind == kind::FAULT { fault_status(pdu).expect("a status") } else { 0 }));
        said = rest;
    }
    assert!(said.is_empty(), "{said:?}");
    found
}

fn bind(kind: u8, id: u16, interface: Guid) -> Vec<u8> {
    let mut out = Vec::new();
    let contexts = vec![Context { id, interface, version: 0, offers_ndr: true }];
    Bind { sends: 5840, takes: 5840, group: 0, contexts }.put(kind, 1, &mut out);
    out
}

fn request(context: u16, opnum: u16, object: Option<Guid>, stub: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Request { context, opnum, object }.begin(2, &mut out);
    out.extend_from_slice(stub);
    close(&mut out, 0);
    out
}

/// ORPCTHIS of this version.
fn this(major: u16, minor: u16) -> Vec<u8> {
    [&major.to_le_bytes()[..], &minor.to_le_bytes(), &[0; 28]].concat()
}

#[test]
fn what_is_not_there_has_its_own_status() {
    let endpoint = &SERVED;
    let exporter = exporter_of(endpoint);
    let nobody = Some(Guid([7; 16]));
    let speed = bind(kind::BIND, 0, SPEED_SERVICE);
    let after = |first: &[u8], second: Vec<u8>, at: &str| pdus(&exchanged(at, &[first, &second].concat())).pop();
    let fault = |status| Some((kind::FAULT, status));
    assert_eq!(after(&speed, request(0, 3, nobody, &this(5, 7)), &exporter), fault(status::DISCONNECTED));
    assert_eq!(after(&speed, request(0, 3, None, &this(5, 7)), &exporter), fault(status::DISCONNECTED));
    assert_eq!(after(&speed, request(0, 3, nobody, &this(5, 8)), &exporter), fault(status::VERSION_MISMATCH));
    assert_eq!(after(&speed, request(0, 3, nobody, &this(6, 0)), &exporter), fault(status::VERSION_MISMATCH));
    assert_eq!(after(&speed, request(9, 3, nobody, &this(5, 7)), &exporter), fault(status::UNKNOWN_INTERFACE));
    assert_eq!(after(&speed, request(0, 3, nobody, &[5, 0]), &exporter), fault(status::NDR));
    assert_eq!(after(&[], request(0, 3, nobody, &[]), &exporter), fault(status::UNKNOWN_INTERFACE));
    for (interface, opnum) in [(OBJECT_EXPORTER, 6), (ACTIVATION, 1)] {
        assert_eq!(after(&bind(kind::BIND, 0, interface), request(0, opnum, None, &[]), endpoint), fault(status::OP_RANGE));
    }
    assert_eq!(after(&bind(kind::BIND, 0, REM_UNKNOWN), request(0, 3, nobody, &this(5, 7)), &exporter), fault(status::DISCONNECTED));
}

/// The result for the one context of a `bind_ack`: the last 24 bytes are its result, reason and syntax.
#[test]
fn an_interface_that_is_not_there_is_not_bound() {
    let verdict = |octets: &[u8]| {
        let said = exchanged(&SERVED, octets);
        (said[2], said[said.len() - 24..said.len() - 20].to_vec())
    };
    assert_eq!(verdict(&bind(kind::BIND, 0, IUNKNOWN)), (kind::BIND_ACK, vec![2, 0, 1, 0]));
    assert_eq!(verdict(&bind(kind::BIND, 0, ACTIVATION)), (kind::BIND_ACK, vec![0; 4]));
    let mut other = bind(kind::BIND, 0, ACTIVATION);
    let last = other.len() - 4;
    other[last] = 1;
    assert_eq!(verdict(&other), (kind::BIND_ACK, vec![2, 0, 2, 0]));
    let mut version = bind(kind::BIND, 0, ACTIVATION);
    version[48] = 1;
    assert_eq!(verdict(&version), (kind::BIND_ACK, vec![2, 0, 1, 0]));
}

#[test]
fn another_version_of_rpc_is_told_ours() {
    let mut octets = bind(kind::BIND, 0, ACTIVATION);
    octets[0] = 4;
    let said = exchanged(&SERVED, &octets);
    assert_eq!((said[2], &said[16..21]), (kind::BIND_NAK, &[4, 0, 1, 5, 0][..]));
}

#[test]
fn authentication_is_turned_down() {
    let mut octets = bind(kind::BIND, 0, ACTIVATION);
    octets[10] = 8;
    let said = exchanged(&SERVED, &octets);
    assert_eq!((said[2], said[16]), (kind::BIND_NAK, 8));
}

#[test]
fn a_fragment_without_a_beginning_ends_the_connection() {
    let mut octets = request(0, 3, None, &[]);
    octets[3] = flag::LAST;
    assert!(exchanged(&SERVED, &octets).is_empty());
    still_serves(&SERVED);
}

/// The address of the exporter: its string binding is in the answer to an activation.
fn exporter_of(endpoint: &str) -> String {
    let mut rpc = crate::rpc::Rpc::open(endpoint, PATIENCE, crate::pdu::FRAGMENT).expect("a connection");
    let mut patience = callbench_transport::line::Patience::of(PATIENCE);
    let context = rpc.negotiate(ACTIVATION, &mut patience).expect("a context");
    let request = Request { context, opnum: crate::activation::REMOTE_ACTIVATION, object: None };
    let stub = rpc.call(&request, &mut patience, |out| {
        crate::activation::put_request(Guid([1; 16]), &IUNKNOWN, out);
    });
    crate::activation::get_answer(stub.expect("an answer")).expect("an object").exporter.0.remove(0)
}

#[test]
fn a_server_that_goes_leaves_calls_closed() {
    let server = serve();
    let mut client = connect(&server.endpoint()).expect("a client");
    assert_eq!(client.call(&Call::Hello), Ok(Answer::Text("Hello World".to_owned())));
    drop(server);
    assert_eq!(client.call(&Call::Hello).map_err(|failure| failure.kind), Err(Kind::Closed));
    assert_eq!(client.call(&Call::Hello).map_err(|failure| failure.kind), Err(Kind::Refused));
}

#[test]
fn both_ways_of_finding_the_exporter_and_any_size_of_fragment() {
    for (fragment, resolve) in [(1432, true), (5840, false), (65_535, true)] {
        let mut options = Options::new();
        options.insert("fragment".to_owned(), fragment.into());
        let server = Orpc.serve(Arc::new(Service::default()), LOOPBACK, &options).expect("a server");
        options.insert("resolve".to_owned(), resolve.into());
        let to = Connect { endpoint: server.endpoint(), timeout: PATIENCE, options };
        let mut client = Orpc.connect(&to).expect("a client");
        let text = "0123456789äöü".repeat(9000);
        assert_eq!(client.call(&Call::EchoString(text.clone())), Ok(Answer::Text(text)));
    }
}

/// Conversations with a correct beginning, in which bytes are changed later.
fn conversation() -> Vec<u8> {
    let stub = [this(5, 7), vec![1, 0, 0, 0, 2, 0, 0, 0]].concat();
    [
        bind(kind::BIND, 0, ACTIVATION),
        request(0, 0, None, &[this(5, 7), vec![3; 60]].concat()),
        bind(kind::ALTER, 1, OBJECT_EXPORTER),
        request(1, 2, None, &[1; 40]),
        request(1, 4, None, &[1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 7, 0]),
        bind(kind::ALTER, 2, SPEED_SERVICE),
        bind(kind::ALTER, 3, REM_UNKNOWN),
        request(2, 4, Some(Guid([7; 16])), &stub),
        request(3, 3, Some(Guid([7; 16])), &stub),
    ]
    .concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn spoiled_conversations_crash_nothing(
        spoils in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        exporter in any::<bool>(),
    ) {
        let at = if exporter { EXPORTER.as_str() } else { SERVED.as_str() };
        let mut octets = conversation();
        for (place, value) in spoils {
            let place = place.index(octets.len());
            octets[place] = value;
        }
        let length = cut.index(2 * octets.len()).min(octets.len());
        let answers = pdus(&exchanged(at, &octets[..length]));
        prop_assert!(answers.iter().all(|(kind, _)| [kind::BIND_ACK, kind::BIND_NAK, kind::ALTER_ANSWER, kind::FAULT, kind::RESPONSE].contains(kind)));
    }

    #[test]
    fn garbage_crashes_nothing(octets in prop::collection::vec(any::<u8>(), 0..400)) {
        exchanged(&SERVED, &octets);
    }
}

proptest! {
    /// Answers as long as real ones, beginning as they do, so that more than the first word is read.
    #[test]
    fn what_a_server_says_may_be_garbage(octets in prop::collection::vec(prop_oneof![3 => Just(0), 2 => 1_u8..4, 1 => any::<u8>()], 0..300)) {
        let _ = crate::activation::get_answer(&octets);
        let _ = crate::remunknown::get_query(&mut crate::ndr::Reader::new(&octets));
        let _ = crate::resolver::get_resolve(&octets);
        let _ = crate::resolver::get_complex_ping(&octets);
        let _ = crate::resolver::get_alive(&octets);
        let _ = crate::pdu::bind::Answer::read(&octets);
        let _ = crate::orpc::get_that(&mut crate::ndr::Reader::new(&octets));
        let _ = crate::error_info::words(&octets);
        let _ = crate::objref::ObjectReference::read(&[&b"MEOW\x01\0\0\0"[..], &octets].concat());
    }
}

static EXPORTER: LazyLock<String> = LazyLock::new(|| exporter_of(&SERVED));

#[test]
fn it_still_serves_after_all_that() {
    still_serves(&SERVED);
}
