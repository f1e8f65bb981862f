//! `tcp`: one connection a client over TCP, Nagle's algorithm off. A message is its length, four bytes with the greatest first, and its
//! bytes; nothing else goes over the wire.

use std::net::TcpStream;
use std::time::Duration;

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use nix::sys::socket::{setsockopt, sockopt};

use super::acceptor::Acceptor;
use super::line::{Caller, answer_all};
use super::network::{dial, listen};
use super::stream::{End, Prefix, Socket, even_slice};
use super::{Channel, Connection, Route, only};

pub struct Tcp;

impl Channel for Tcp {
    fn name(&self) -> &'static str {
        "tcp"
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        let handler = only(routes, "tcp")?.handler;
        let listener = listen(at)?;
        let endpoint = listener.local_addr()?.to_string();
        Acceptor::start(endpoint, listener, move |socket, ending| {
            // How a connection ended is its client's to know.
            if setsockopt(&socket, sockopt::TcpNoDelay, &true).is_ok() {
                answer_all(&mut End::new(Socket(socket), Prefix::Big, Duration::ZERO), &*handler, ending);
            }
        })
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let place = to.clone();
        let reach = move || {
            let slice = even_slice(place.timeout);
            let stream = dial(&place.endpoint, place.timeout)?;
            stream.set_read_timeout(Some(slice))?;
            stream.set_write_timeout(Some(slice))?;
            Ok(End::new(stream, Prefix::Big, slice))
        };
        Ok(Box::new(Caller::<End<TcpStream>, _>::new(to.timeout, reach)?))
    }
}
