//! `tcp`: by its behaviour `RemObjects`' `SuperTCP`, by its bytes our own (that one's are not public, and nothing here talks to it).
//!
//! One persistent connection a client, set up by a greeting with the client's GUID; packages with ids, of which many can be
//! outstanding, answers being matched by id; every package acknowledged (the acknowledgement rides on the next package where there is
//! one soon, otherwise it goes alone) and sent again where that has not come for ten seconds, while a request that came before is
//! recognised by its id and not carried out again; pings on a quiet connection; a limit on the size of a package; Nagle's algorithm
//! off. A connection that was lost is made anew for the next call. Not there: what `SuperTCP` calls server push.
//!
//! Options: `limit` (bytes, both sides), `resend_ms` (both sides), `acknowledge` (the client's). The form of a package is in `package`.

mod client;
mod inbox;
mod outbox;
mod package;
mod server;
#[cfg(test)]
mod tests;

use std::time::Duration;

use callbench_kit::stack::{Connect, Listen, Options, Server};
use callbench_kit::{Failure, Kind};

use super::acceptor::Acceptor;
use super::{Channel, Connection, Route, only};
use callbench_kit::stack::LIMIT;

pub use client::Client;
pub use server::listen;

pub struct Tcp;

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

impl Channel for Tcp {
    fn name(&self) -> &'static str {
        "tcp"
    }

    fn options(&self) -> &'static [&'static str] {
        &["limit", "resend_ms", "acknowledge"]
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        let (settings, handler) = (Settings::of(options)?, only(routes, "tcp")?.handler);
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
