//! Finds out whether a server expects TLS although the URL says HTTP, or the other way round. It is used once after a failed first call, because most
//! servers close such a connection without an error message.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use callbench_kit::{Failure, Kind};
use rustls::ClientConnection;

use crate::endpoint::Endpoint;
use crate::tls::{self, Trust};

/// The time that a server has to react.
const LIMIT: Duration = Duration::from_secs(1);
const BAD_REQUEST: &str = "status 400";

/// Adds a remedy to the error of a first call if the URL has the wrong scheme.
pub fn with_tls_hint(endpoint: &Endpoint, failure: Failure) -> Failure {
    if !suspicious(&failure) {
        return failure;
    }
    let hint = if endpoint.secure {
        speaks_plain(endpoint).then_some("the server speaks HTTP without TLS there: is its URL http://...?")
    } else {
        speaks_tls(endpoint).then_some("the server speaks TLS there: is its URL https://...?")
    };
    match hint {
        Some(hint) => Failure::new(failure.kind, format!("{hint} The error was: {}", failure.message)),
        None => failure,
    }
}

/// Whether the wrong scheme could cause this error.
fn suspicious(failure: &Failure) -> bool {
    let refused = failure.kind == Kind::Status && failure.message.contains(BAD_REQUEST);
    refused || matches!(failure.kind, Kind::Closed | Kind::Reset | Kind::Timeout | Kind::Protocol)
}

/// Whether the server reacts to a TLS handshake, even with an alert.
fn speaks_tls(endpoint: &Endpoint) -> bool {
    let Ok(tls) = tls::settings(endpoint, &Trust::Anyone, "http/1.1") else { return false };
    let Ok(mut connection) = ClientConnection::new(tls.config, tls.name) else { return false };
    let mut hello = Vec::new();
    if connection.write_tls(&mut hello).is_err() {
        return false;
    }
    matches!(answer(endpoint, &hello), Some([0x15 | 0x16, 3, ..]))
}

fn speaks_plain(endpoint: &Endpoint) -> bool {
    let request = format!("OPTIONS * HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", endpoint.authority);
    answer(endpoint, request.as_bytes()).is_some_and(|begin| begin == *b"HTTP/")
}

/// The first bytes that the server sends back.
fn answer(endpoint: &Endpoint, bytes: &[u8]) -> Option<[u8; 5]> {
    let mut stream = endpoint.addresses.all().iter().find_map(|address| TcpStream::connect_timeout(address, LIMIT).ok())?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    stream.set_write_timeout(Some(LIMIT)).ok()?;
    stream.write_all(bytes).ok()?;
    let mut begin = [0; 5];
    stream.read_exact(&mut begin).ok()?;
    Some(begin)
}
