//! `supertcp`: it behaves like `RemObjects`' `SuperTCP`, with our own bytes. The vendor's format is not public.
//!
//! Each client has one persistent connection, which begins with a greeting that contains the client's GUID. Packages have ids, and many can be
//! outstanding. Answers are matched by id. Every package is acknowledged: with the next package if there is one soon, otherwise separately. Without
//! an acknowledgement, a package is repeated after ten seconds; a repeated request is recognised by its id and not executed again. A quiet connection
//! sends pings. The size of a package is limited. Nagle's algorithm is off. A lost connection is replaced for the next call. The server push of
//! `SuperTCP` is not implemented.
//!
//! Options: `limit` (bytes, both sides), `resend_ms` (both sides), `acknowledge` (the client's). `package` defines the format.

mod client;
mod inbox;
mod outbox;
mod package;
mod server;
#[cfg(test)]
mod tests;

use std::time::Duration;

use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use callbench_contract::{Failure, Kind};

use super::acceptor::Acceptor;
use super::network::listen;
use super::{Channel, Connection, Route, only};
use callbench_contract::endpoint::LIMIT;

pub use client::Client;

pub struct SuperTcp;

/// The options, understood.
#[derive(Clone, Copy, Debug)]
struct Settings {
    limit: usize,
    resend: Duration,
    acknowledge: bool,
}

impl Settings {
    fn of(options: &Options) -> Result<Self, Failure> {
        let number = |name: &str, otherwise: u64, greatest: u64| match options.get(name) {
            None => Ok(otherwise),
            Some(value) => value.as_u64().filter(|value| (1..=greatest).contains(value)).ok_or_else(|| {
                Failure::new(Kind::BadRequest, format!("option {name} is {value}: it must be a whole number from 1 to {greatest}"))
            }),
        };
        let acknowledge = match options.get("acknowledge") {
            None => true,
            Some(value) => value
                .as_bool()
                .ok_or_else(|| Failure::new(Kind::BadRequest, format!("option acknowledge is {value}: it must be true or false")))?,
        };
        let limit = number("limit", LIMIT as u64, u64::from(u32::MAX))? as usize;
        Ok(Settings { limit, resend: Duration::from_millis(number("resend_ms", 10_000, 3_600_000)?), acknowledge })
    }
}

impl Channel for SuperTcp {
    fn name(&self) -> &'static str {
        "supertcp"
    }

    fn options(&self) -> &'static [&'static str] {
        &["limit", "resend_ms", "acknowledge"]
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        let (settings, handler) = (Settings::of(options)?, only(routes, "supertcp")?.handler);
        let listener = listen(at)?;
        let endpoint = listener.local_addr()?.to_string();
        Acceptor::start(endpoint, listener, move |socket, ending| {
            // How a connection ended is its client's to know.
            let _ = server::host(&socket, &*handler, settings, ending);
        })
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        Ok(Box::new(Client::connect(to)?))
    }
}
