use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use callbench_contract::Kind as FailureKind;
use callbench_contract::endpoint::{Connect, Server};
use proptest::prelude::{any, prop};
use proptest::{prop_assert, proptest};

use super::super::tests::{Echo, HERE, PATIENCE, options, pattern, route};
use super::super::{AnswerKind, Channel, Connection, Handler};
use super::package::{GREETING, HEADER, Header, Kind};
use super::{Client, SuperTcp};

/// Counts how often it was really asked.
struct Counting(Arc<AtomicUsize>);

impl Handler for Counting {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        self.0.fetch_add(1, Ordering::SeqCst);
        Echo.answer(request, out)
    }
}

fn serve(settings: &[(&str, serde_json::Value)]) -> (Box<dyn Server>, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    (SuperTcp.serve(vec![route(Counting(Arc::clone(&count)))], HERE, &options(settings)).unwrap(), count)
}

fn client(endpoint: String, settings: &[(&str, serde_json::Value)]) -> Client {
    Client::connect(&Connect { endpoint, timeout: PATIENCE, options: options(settings) }).unwrap()
}

/// A side of the connection written out by hand.
struct Hand(TcpStream);

impl Hand {
    fn send(&mut self, kind: Kind, wants: bool, id: u32, body: &[u8]) {
        self.0.write_all(&[&Header { length: body.len(), kind, acknowledged: None, wants, id }.encode()[..], body].concat()).unwrap();
    }

    fn receive(&mut self) -> (Header, Vec<u8>) {
        let mut bytes = [0; HEADER];
        self.0.read_exact(&mut bytes).unwrap();
        let header = Header::decode(&bytes).unwrap().unwrap();
        let mut body = vec![0; header.length];
        self.0.read_exact(&mut body).unwrap();
        (header, body)
    }

    fn greeted(endpoint: &str, wants: bool) -> Self {
        let stream = TcpStream::connect(endpoint).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut hand = Hand(stream);
        hand.send(Kind::Hello, wants, 0, &[&GREETING[..], &[7; 16]].concat());
        let (header, body) = hand.receive();
        assert_eq!((header.kind, &body[..16]), (Kind::Welcome, &[7; 16][..]));
        hand
    }
}

/// A server by hand for one client: greets and hands the connection to `then`.
fn by_hand(then: impl FnOnce(Hand) + Send + 'static) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = listener.local_addr().unwrap().to_string();
    let thread = thread::spawn(move || {
        let mut hand = Hand(listener.accept().unwrap().0);
        let (_, hello) = hand.receive();
        hand.send(Kind::Welcome, false, 0, &[&hello[8..], &1_000_000_u64.to_le_bytes()].concat());
        then(hand);
    });
    (endpoint, thread)
}

#[test]
fn sixty_four_calls_are_outstanding_at_once() {
    for acknowledge in [true, false] {
        let (server, count) = serve(&[]);
        let mut client = client(server.endpoint(), &[("acknowledge", acknowledge.into())]);
        let requests: Vec<Vec<u8>> = (0..64).map(|number| pattern(number * 5000)).collect();
        let all: Vec<&[u8]> = requests.iter().map(Vec::as_slice).collect();
        for _ in 0..3 {
            assert!(client.call_many(&all).unwrap() == requests);
        }
        assert_eq!(client.call(b"one more").unwrap(), b"one more");
        assert_eq!(count.load(Ordering::SeqCst), 3 * 64 + 1);
    }
}

#[test]
fn answers_are_matched_by_id() {
    let (endpoint, thread) = by_hand(|mut hand| {
        let mut requests: Vec<_> = (0..64).map(|_| hand.receive()).collect();
        requests.reverse();
        for (header, body) in requests {
            hand.send(Kind::Answer, false, header.id, &body);
        }
    });
    let requests: Vec<Vec<u8>> = (0..64_u8).map(|number| vec![number; 10]).collect();
    let all: Vec<&[u8]> = requests.iter().map(Vec::as_slice).collect();
    assert_eq!(client(endpoint, &[("acknowledge", false.into())]).call_many(&all).unwrap(), requests);
    thread.join().unwrap();
}

#[test]
fn a_request_that_comes_twice_is_carried_out_once() {
    let (server, count) = serve(&[]);
    let mut hand = Hand::greeted(&server.endpoint(), true);
    for _ in 0..2 {
        hand.send(Kind::Request, true, 1, b"once");
        let (header, body) = hand.receive();
        assert_eq!((header.kind, header.id, header.acknowledged, &body[..]), (Kind::Answer, 1, Some(1), &b"once"[..]));
    }
    // Once the answer has been acknowledged, it is not even sent again.
    let acknowledgement = Header { length: 0, kind: Kind::Acknowledgement, acknowledged: Some(1), wants: false, id: 0 };
    hand.0.write_all(&acknowledgement.encode()).unwrap();
    hand.send(Kind::Request, true, 1, b"once");
    assert_eq!(hand.receive().0.kind, Kind::Acknowledgement);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn an_answer_that_is_not_acknowledged_comes_again() {
    let (server, count) = serve(&[("resend_ms", 50.into())]);
    let mut hand = Hand::greeted(&server.endpoint(), true);
    hand.send(Kind::Request, true, 1, b"again");
    for _ in 0..3 {
        assert_eq!(hand.receive().1, b"again");
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn a_request_that_is_not_acknowledged_goes_again() {
    let (endpoint, thread) = by_hand(|mut hand| {
        let first = hand.receive();
        let second = hand.receive();
        assert_eq!(first, second);
        hand.send(Kind::Answer, true, first.0.id, b"heard");
        // The client says nothing more, so that its acknowledgement comes alone.
        let (header, _) = hand.receive();
        assert_eq!((header.kind, header.acknowledged), (Kind::Acknowledgement, Some(first.0.id)));
    });
    let mut client = client(endpoint, &[("resend_ms", 50.into())]);
    assert_eq!(client.call(b"hello?").unwrap(), b"heard");
    thread.join().unwrap();
}

#[test]
fn a_slow_answer_is_acknowledged_before_it_comes() {
    let (server, count) = serve(&[]);
    let mut hand = Hand::greeted(&server.endpoint(), true);
    hand.send(Kind::Request, true, 1, b"wait 1500");
    let (header, _) = hand.receive();
    assert_eq!((header.kind, header.acknowledged), (Kind::Acknowledgement, Some(1)));
    assert_eq!(hand.receive().0.kind, Kind::Answer);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn a_ping_is_answered() {
    let (server, _) = serve(&[]);
    let mut hand = Hand::greeted(&server.endpoint(), true);
    hand.send(Kind::Ping, false, 9, b"");
    let (header, _) = hand.receive();
    assert_eq!((header.kind, header.id), (Kind::Pong, 9));
}

#[test]
fn both_sides_keep_to_the_limit() {
    let (server, _) = serve(&[("limit", 1000.into())]);
    let mut client = client(server.endpoint(), &[]);
    assert_eq!(client.call(&[1; 1001]).unwrap_err().kind, FailureKind::TooLarge);
    assert_eq!(client.call(&[1; 1000]).unwrap(), [1; 1000]);
    let mut hand = Hand::greeted(&server.endpoint(), true);
    hand.send(Kind::Request, true, 5, &[1; 1001]);
    let (header, sentence) = hand.receive();
    assert_eq!((header.kind, header.id), (Kind::Refusal, 5));
    assert!(String::from_utf8(sentence).unwrap().contains("1001"));
}

#[test]
fn a_taken_port_is_named() {
    let (server, _) = serve(&[]);
    let port = server.endpoint().rsplit(':').next().unwrap().parse().unwrap();
    for channel in super::super::all().iter().filter(|channel| ["supertcp", "http", "http-keepalive"].contains(&channel.name())) {
        let at = callbench_contract::endpoint::Listen { port, ..HERE };
        let failure = channel.serve(vec![route(Echo)], at, &options(&[])).map(drop).unwrap_err();
        assert_eq!(failure.kind, FailureKind::OutOfResources);
        assert!(failure.message.contains(&port.to_string()));
    }
}

#[test]
fn wrong_options_are_refused() {
    for wrong in [("limit", 0.into()), ("limit", "much".into()), ("acknowledge", 1.into()), ("resend_ms", (-1).into())] {
        assert_eq!(SuperTcp.serve(vec![route(Echo)], HERE, &options(&[wrong])).map(drop).unwrap_err().kind, FailureKind::BadRequest);
    }
}

#[test]
fn garbage_does_no_harm() {
    let (server, count) = serve(&[]);
    let endpoint = server.endpoint();
    let half = Header { length: 100, kind: Kind::Hello, acknowledged: None, wants: true, id: 0 }.encode();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 64], &half, &half[..7], &[0; 16], b""] {
        TcpStream::connect(&endpoint).unwrap().write_all(bytes).unwrap();
    }
    let mut late = Hand::greeted(&endpoint, true);
    late.send(Kind::Welcome, false, 1, b"a client does not send this");
    assert_eq!(client(endpoint, &[]).call(b"fine").unwrap(), b"fine");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn a_server_of_something_else_is_no_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = listener.local_addr().unwrap().to_string();
    let thread = thread::spawn(move || listener.accept().unwrap().0.write_all(b"220 smtp.example.org here, at your service\r\n").unwrap());
    let to = Connect { endpoint, timeout: Duration::from_secs(5), options: options(&[]) };
    let failure = Client::connect(&to).map(drop).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::Protocol | FailureKind::Closed), "{failure}");
    thread.join().unwrap();
}

proptest! {
    #[test]
    fn headers_come_out_as_they_went_in(length in any::<u32>(), acknowledged in any::<Option<u32>>(), wants in any::<bool>(), id in any::<u32>()) {
        let header = Header { length: length as usize, kind: Kind::Request, acknowledged, wants, id };
        prop_assert!(Header::decode(&header.encode()).unwrap() == Some(header));
    }

    #[test]
    fn any_bytes_are_a_header_or_a_refusal(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(Some(header)) = Header::decode(&bytes) {
            prop_assert!(bytes.len() >= HEADER && header.encode()[..4] == bytes[..4]);
        }
    }
}
