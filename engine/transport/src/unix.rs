//! `unix`: an abstract Unix stream socket. A message is its length, four bytes with the least first, and its bytes.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};

use super::acceptor::Acceptor;
use super::line::{Caller, answer_all};
use super::rendezvous::{listen, reach, same_user};
use super::stream::{End, Prefix, Socket, even_slice};
use super::{Channel, Connection, Route, only};

pub struct Unix;

impl Channel for Unix {
    fn name(&self) -> &'static str {
        "unix"
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        let handler = only(routes, "unix")?.handler;
        let (endpoint, listener) = listen("unix")?;
        Acceptor::start(endpoint, listener, move |socket, ending| {
            if same_user(&socket).is_ok() {
                answer_all(&mut End::new(Socket(socket), Prefix::Little, Duration::ZERO), &*handler, ending);
            }
        })
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let place = to.clone();
        let dial = move || {
            let slice = even_slice(place.timeout);
            let stream = reach(&place.endpoint, place.timeout)?;
            stream.set_read_timeout(Some(slice))?;
            stream.set_write_timeout(Some(slice))?;
            Ok(End::new(stream, Prefix::Little, slice))
        };
        Ok(Box::new(Caller::<End<UnixStream>, _>::new(to.timeout, dial)?))
    }
}
