//! Listening and connecting over TCP, for every channel that goes over a network.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use callbench_contract::endpoint::Listen;
use callbench_contract::{Failure, Kind};

/// Listens, or says what is in the way.
pub fn listen(at: Listen) -> Result<TcpListener, Failure> {
    TcpListener::bind((at.host, at.port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            let sentence = format!("port {} of {} is taken: choose another, or 0 for any free one", at.port, at.host);
            Failure::new(Kind::OutOfResources, sentence)
        }
        _ => Failure::new(
            Failure::from(error).kind,
            format!("cannot listen on {} port {}: choose an address of this machine", at.host, at.port),
        ),
    })
}

/// Connects within `timeout`, with Nagle's algorithm off.
pub fn dial(endpoint: &str, timeout: Duration) -> Result<TcpStream, Failure> {
    let refused = |why: &dyn std::fmt::Display| super::line::refused(endpoint, &why);
    let address = endpoint.parse().map_err(|_| refused(&"it is no address and port"))?;
    let stream =
        TcpStream::connect_timeout(&address, timeout.max(Duration::from_millis(1))).map_err(|error| match Failure::from(error) {
            failure if failure.kind == Kind::Refused => refused(&failure.message),
            failure => failure,
        })?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
