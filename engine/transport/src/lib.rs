//! One file a channel. Adding one: write it, name it in `all`, add it to `adapter.toml`.
//!
//! Channels: `inproc`, `library`, `shm`, `shm_spin`, `mqueue`, `pipe`, `unix`, `tcp`, `supertcp`,
//! `tcp_tls`, and those of `http`. What several of them share: `line` (whole messages over a pair of ends, and the loops of both sides), `stream` (messages
//! with a length over a stream of bytes), `network` (TCP), `rendezvous` (how two processes agree on kernel objects), `acceptor` (a thread a
//! connection), `intake` (the bytes of a stream), `ring` and `wait` (shared memory), `tls`, `key_log` (a dissector's keys), `web` (HTTP).
//! Where the target is Windows, `inproc`, `library` and `line` are there alone, for the adapter of that system.

#[cfg(unix)]
pub mod acceptor;
#[cfg(unix)]
mod http;
pub mod inproc;
#[cfg(unix)]
pub mod intake;
#[cfg(unix)]
mod key_log;
pub mod library;
pub mod line;
#[cfg(unix)]
mod mqueue;
#[cfg(unix)]
pub mod network;
#[cfg(unix)]
mod pipe;
#[cfg(unix)]
pub mod random;
#[cfg(unix)]
mod rendezvous;
#[cfg(unix)]
mod ring;
#[cfg(unix)]
mod shm;
#[cfg(unix)]
mod shm_spin;
#[cfg(unix)]
pub mod stream;
#[cfg(unix)]
pub mod supertcp;
#[cfg(unix)]
mod tcp;
#[cfg(unix)]
mod tcp_tls;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
mod tls;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod wait;
#[cfg(unix)]
mod web;

use std::sync::Arc;

use callbench_contract::Failure;
pub use callbench_contract::endpoint::AnswerKind;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};
#[cfg(unix)]
pub use web::grpc::{OwnCalls, carry_own};

/// Every channel, in the order of the documentation: from the nearest to the farthest.
#[must_use]
#[cfg(unix)]
pub fn all() -> Vec<Arc<dyn Channel>> {
    vec![
        Arc::new(inproc::Inproc),
        Arc::new(library::Library),
        Arc::new(shm::Shm),
        Arc::new(shm_spin::ShmSpin),
        Arc::new(mqueue::Mqueue),
        Arc::new(pipe::Pipe),
        Arc::new(unix::Unix),
        Arc::new(http::UNIX),
        Arc::new(tcp::Tcp),
        Arc::new(supertcp::SuperTcp),
        Arc::new(http::CLOSING),
        Arc::new(http::KEPT),
        Arc::new(http::TWO),
        Arc::new(http::GRPC),
        Arc::new(tcp_tls::TcpTls),
        Arc::new(http::SECURE_CLOSING),
        Arc::new(http::SECURE),
        Arc::new(http::SECURE_TWO),
        Arc::new(http::SECURE_GRPC),
        Arc::new(http::KEPT_GZIP),
        Arc::new(http::KEPT_ZSTD),
        Arc::new(http::SECURE_GZIP),
        Arc::new(http::SECURE_ZSTD),
        Arc::new(http::SECURE_TWO_GZIP),
        Arc::new(http::SECURE_TWO_ZSTD),
    ]
}

/// What a server does with a request: turns its bytes into the answer's. `out` comes empty.
pub trait Handler: Send + Sync + 'static {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind;
}

/// Media type and text of a service's description, given the URL it is served at.
pub type Description = Arc<dyn Fn(&str) -> Option<(&'static str, String)> + Send + Sync>;

/// One message's place on a server. Channels without paths have exactly one.
#[derive(Clone)]
pub struct Route {
    /// `soap`, `xmlrpc` ...: the path over HTTP, the name given to the library.
    pub path: &'static str,
    pub content_type: &'static str,
    /// HTTP's status for a fault: 500 for SOAP 1.1, 200 for messages that leave HTTP out of it.
    pub fault_status: u16,
    /// Served at `PATH?wsdl`.
    pub description: Description,
    pub handler: Arc<dyn Handler>,
}

/// How bytes travel.
pub trait Channel: Send + Sync + 'static {
    /// The name in a stack's name.
    fn name(&self) -> &'static str;

    /// Why it cannot run on this machine, if it cannot.
    fn unavailable(&self) -> Option<String> {
        None
    }

    /// The options of its own that `serve` and `connect` understand; whoever calls refuses the others.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether one server holds several messages, told apart by path. Its endpoint is then the URL before the path; with a single
    /// message it is that one's whole URL. `connect` takes both.
    fn has_paths(&self) -> bool {
        false
    }

    /// The endpoint of the route at `path`, on a server of several whose endpoint is `base`.
    fn within(&self, base: &str, path: &str) -> String {
        format!("{base}/{path}")
    }

    /// Whether its server takes a port of the network.
    fn takes_a_port(&self) -> bool {
        false
    }

    /// Whether it can carry a message, by its name: gRPC has a form of its own for messages of Protocol Buffers, and none for others.
    fn carries(&self, _message: &str) -> bool {
        true
    }

    /// Whether it compresses what it carries: then a raw echo over it says nothing about the messages.
    fn compresses(&self) -> bool {
        false
    }

    /// Whether client and server are one process.
    fn in_process(&self) -> bool {
        false
    }

    /// Serves `routes`; more than one only where the channel has paths.
    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure>;

    fn connect(&self, path: &'static str, content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure>;
}

/// A client's end of a channel.
pub trait Connection: Send {
    /// Sends a request and waits for its answer, which is good until the next call.
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure>;

    /// Connections open between calls.
    fn connections(&self) -> usize {
        1
    }
}

/// The one route of a channel without paths.
pub fn only(routes: Vec<Route>, channel: &str) -> Result<Route, Failure> {
    let [route] = <[Route; 1]>::try_from(routes).map_err(|routes| {
        let sentence = format!("{channel} has no paths and serves one message at a time, not {}: serve each on its own", routes.len());
        Failure::new(callbench_contract::Kind::BadRequest, sentence)
    })?;
    Ok(route)
}
