use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use callbench_kit::stack::{Connect, Options};

use super::*;
use crate::addresses::Addresses;
use crate::connect_options;
use crate::event_loop::EventLoop;
use crate::h2;
use crate::race::silent;

/// An address where nobody listens.
fn dead() -> SocketAddr {
    TcpListener::bind("127.0.0.78:0").and_then(|listener| listener.local_addr()).expect("an address")
}

/// Answers whatever is sent with these bytes.
fn answering(bytes: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) && stream.write_all(bytes).is_ok() {});
        }
    });
    address
}

/// A loop of two clients of a name with these addresses.
fn connected<C: Carrier>(protocol: Protocol, addresses: &[SocketAddr]) -> Result<EventLoop<C>, Failure> {
    let to = Connect { endpoint: "http://127.0.0.1:1/".to_owned(), timeout: Duration::from_secs(20), options: Options::new() };
    let mut parsed = connect_options::read(&to, protocol, None)?;
    let settings = Arc::get_mut(&mut parsed.settings).expect("settings of nobody else");
    settings.endpoint.addresses = Addresses::of(addresses.iter().copied()).expect("addresses");
    let spec = Arc::new(C::CallSpec::of(parsed, protocol)?);
    let mut event_loop = EventLoop::new(&spec, 1, Arc::default(), 0, 2)?;
    event_loop.connect(2)?;
    Ok(event_loop)
}

#[test]
fn a_refused_address_is_followed_by_the_next() {
    let addresses = [dead(), dead(), answering(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")];
    let mut event_loop = connected::<Clients>(Protocol::Http1, &addresses).expect("connections");
    assert_eq!(event_loop.connections(), 2);
    for _ in 0..3 {
        event_loop.call().expect("an answer over a new connection");
    }
    let why = connected::<Clients>(Protocol::Http1, &[dead(), dead()]).err().expect("a refusal");
    assert!(why.kind == Kind::Refused && why.message.contains("none of the 2 addresses"), "{}", why.message);
}

#[test]
fn an_address_that_is_silent_is_not_waited_for() {
    let (silent, _queue) = silent();
    let answering = answering(b"HTTP/1.1 204 No Content\r\n\r\n");
    let mut event_loop = connected::<Clients>(Protocol::Http1, &[silent, dead(), answering]).expect("connections");
    assert_eq!(event_loop.connections(), 2);
    event_loop.call().expect("an answer");
    let settings = self::answering(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
    assert_eq!(connected::<h2::Clients>(Protocol::Http2, &[silent, settings]).expect("connections").connections(), 2);
}

#[test]
fn a_refused_address_is_followed_by_the_next_with_http2() {
    let settings = answering(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
    let event_loop = connected::<h2::Clients>(Protocol::Http2, &[dead(), settings]).expect("connections");
    assert_eq!(event_loop.connections(), 2);
    assert!(connected::<h2::Clients>(Protocol::Http2, &[dead(), dead()]).is_err());
}
