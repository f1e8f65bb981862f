use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use callbench_contract::Kind;
use callbench_contract::endpoint::{Connect, Server};

use super::super::Channel as _;
use super::super::http::{CLOSING, KEPT};
use super::super::tests::{Echo, HERE, PATIENCE, options, route};
use super::super::{AnswerKind, Handler, Route};

fn two_routes(limit: u64) -> Box<dyn Server> {
    let plain = Route { path: "plain", description: Arc::new(|_| None), fault_status: 200, ..route(Echo) };
    KEPT.serve(vec![route(Echo), plain], HERE, &options(&[("limit", limit.into())])).unwrap()
}

/// Sends `request` as it stands and reads to the end.
fn raw(server: &dyn Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.endpoint().trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

fn asked(server: &dyn Server, line: &str, body: &str) -> String {
    raw(server, &format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

#[test]
fn paths_methods_and_descriptions_are_told_apart() {
    let server = two_routes(100);
    let lines = [
        ("POST /echo", "hello", "HTTP/1.1 200", "hello"),
        ("POST /plain", "fault", "HTTP/1.1 200", "fault"),
        ("POST /echo", "fault", "HTTP/1.1 500", "fault"),
        ("POST /other", "hello", "HTTP/1.1 404", "/echo, /plain"),
        ("GET /echo", "", "HTTP/1.1 405", "allow: POST"),
        ("GET /echo?wsdl", "", "HTTP/1.1 200", "echo at http://127.0.0.1:"),
        ("GET /plain?wsdl", "", "HTTP/1.1 404", "no description"),
    ];
    for (line, body, status, holds) in lines {
        let answer = asked(&*server, line, body);
        assert!(answer.starts_with(status) && answer.contains(holds), "{line}: {answer}");
    }
}

#[test]
fn a_request_beyond_the_limit_is_refused() {
    let server = two_routes(100);
    assert!(
        raw(&*server, "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n")
            .starts_with("HTTP/1.1 413")
    );
    let chunked = format!(
        "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n65\r\n{}\r\n0\r\n\r\n",
        "x".repeat(101)
    );
    assert!(raw(&*server, &chunked).starts_with("HTTP/1.1 413"));
    let to = Connect { endpoint: server.endpoint(), timeout: PATIENCE, options: options(&[]) };
    let mut client = KEPT.connect("echo", "text/plain", &to).unwrap();
    assert_eq!(client.call(&[b'x'; 101]).unwrap_err().kind, Kind::TooLarge);
    assert_eq!(client.call(&[b'x'; 100]).unwrap(), [b'x'; 100]);
}

#[test]
fn what_is_no_http_does_no_harm() {
    let server = two_routes(100);
    for request in ["\0\0\0\x10binary", "POST /echo HTTP/1.1\r\ncontent-length: 5\r\n\r\nhal", "GET", "", "POST /echo HTTP/9.9\r\n\r\n"] {
        let mut stream = TcpStream::connect(server.endpoint().trim_start_matches("http://")).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
    }
    assert!(asked(&*server, "POST /echo", "fine").ends_with("fine"));
}

#[test]
fn a_connection_lasts_as_long_as_the_channel_says() {
    for (channel, count) in [(CLOSING, 0), (KEPT, 1)] {
        let server = channel.serve(vec![route(Echo)], HERE, &options(&[])).unwrap();
        assert!(server.endpoint().ends_with("/echo"));
        let to = Connect { endpoint: server.endpoint(), timeout: PATIENCE, options: options(&[]) };
        let mut client = channel.connect("ignored", "text/plain", &to).unwrap();
        for _ in 0..3 {
            assert_eq!(client.call(b"x").unwrap(), b"x");
            assert_eq!(client.connections(), count);
        }
    }
}

const HELD: &[u8] = b"held";

/// Holds the calls that say so until it is opened.
#[derive(Default)]
struct Gate {
    /// How many calls it holds, and whether it is open.
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    fn change(&self, change: impl FnOnce(&mut (usize, bool))) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    /// Waits until this holds. False if it does not within the tests' patience.
    fn wait_for(&self, holds: impl Fn(usize, bool) -> bool) -> bool {
        let not_yet = |state: &mut (usize, bool)| !holds(state.0, state.1);
        !self.changed.wait_timeout_while(self.state.lock().unwrap(), PATIENCE, not_yet).unwrap().1.timed_out()
    }
}

impl Handler for Arc<Gate> {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        if request == HELD {
            self.change(|state| state.0 += 1);
            self.wait_for(|_, open| open);
        }
        Echo.answer(request, out)
    }
}

#[test]
fn a_service_that_waits_keeps_no_other_client_waiting() {
    let gate = Arc::new(Gate::default());
    let server = KEPT.serve(vec![route(Arc::clone(&gate))], HERE, &options(&[("delay_us", 1.into())])).unwrap();
    let to = Connect { endpoint: server.endpoint(), timeout: PATIENCE, options: options(&[]) };
    let mut quick = KEPT.connect("echo", "text/plain", &to).unwrap();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let slow: Vec<_> = (0..=workers)
            .map(|_| {
                let mut client = KEPT.connect("echo", "text/plain", &to).unwrap();
                scope.spawn(move || client.call(HELD).map(<[u8]>::len).unwrap())
            })
            .collect();
        assert!(gate.wait_for(|held, _| held == slow.len()), "a call waits until another has been answered");
        assert_eq!(quick.call(b"quick").unwrap(), b"quick");
        assert!(slow.iter().all(|call| !call.is_finished()));
        gate.change(|state| state.1 = true);
    });
}

const TIME_WAIT: &str = "06";
const LISTEN: &str = "0A";

/// The connections of a port whose state is such a one: those whose server's end it is, and those whose client's end it is.
fn connections(port: u16, is: impl Fn(&str) -> bool) -> (usize, usize) {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let place = format!(":{port:04X}");
    let fields = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    fields.filter(|line| is(line[3])).fold((0, 0), |(server, client), line| {
        (server + usize::from(line[1].ends_with(&place)), client + usize::from(line[2].ends_with(&place)))
    })
}

/// The connections of a port that wait in TIME-WAIT, once none of it is open or about to close.
fn lingering(port: u16) -> (usize, usize) {
    let begun = Instant::now();
    while connections(port, |state| state != TIME_WAIT && state != LISTEN) != (0, 0) {
        assert!(begun.elapsed() < PATIENCE, "a connection stays");
        thread::sleep(Duration::from_millis(5));
    }
    connections(port, |state| state == TIME_WAIT)
}

/// A server and its port, at which no earlier server's connections wait: the kernel keeps those for a minute and gives
/// their port to the next server.
fn at_a_port_of_its_own() -> (Box<dyn Server>, u16) {
    loop {
        let server = CLOSING.serve(vec![route(Echo)], HERE, &options(&[])).unwrap();
        let port = server.endpoint().rsplit(':').next().and_then(|it| it.split('/').next()?.parse().ok()).unwrap();
        if lingering(port) == (0, 0) {
            return (server, port);
        }
    }
}

#[test]
fn the_side_that_closes_first_is_the_one_that_lingers() {
    // Some of many: a client may be held up between the end that it sends and the reset.
    const CALLS: usize = 100;
    let of = |pairs: &[(&str, serde_json::Value)]| {
        let (server, port) = at_a_port_of_its_own();
        let to = Connect { endpoint: server.endpoint(), timeout: PATIENCE, options: options(pairs) };
        let mut client = CLOSING.connect("echo", "text/plain", &to).unwrap();
        for _ in 0..CALLS {
            assert_eq!(client.call(b"x").unwrap(), b"x");
        }
        drop(client);
        lingering(port)
    };
    let (server, client) = of(&[]);
    assert!(server + client >= CALLS - 1, "{server} of the server, {client} of the client");
    let (server, client) = of(&[("closes", "client".into())]);
    assert!(client >= CALLS - 1 && server == 0, "{server} of the server, {client} of the client");
    let (server, client) = of(&[("closes", "client".into()), ("reset", true.into())]);
    assert!(client + server < CALLS, "{server} of the server, {client} of the client");
}

#[test]
fn a_client_with_few_ports_waits_for_them_to_come_back() {
    let server = CLOSING.serve(vec![route(Echo)], HERE, &options(&[])).unwrap();
    let few = options(&[("closes", "client".into()), ("ports", 2.into())]);
    let to = Connect { endpoint: server.endpoint(), timeout: Duration::from_millis(50), options: few };
    let mut client = CLOSING.connect("echo", "text/plain", &to).unwrap();
    let made = (0..4).map(|_| client.call(b"x").map(<[u8]>::len)).collect::<Vec<_>>();
    assert!(made.iter().any(|call| call.as_ref().is_err_and(|failure| failure.kind == Kind::Timeout)), "{made:?}");
    for (name, value) in [("ports", 0.into()), ("ports", "x".into()), ("closes", "both".into()), ("reset", 1.into())] {
        let to = Connect { options: options(&[(name, value)]), ..to.clone() };
        assert_eq!(CLOSING.connect("echo", "text/plain", &to).err().map(|it| it.kind), Some(Kind::BadRequest), "{name}");
    }
}
