//! HTTP, for every channel that it carries: `Web` says in which version, over what, and how a message lies in it.

mod body;
mod client;
pub mod coding;
mod dial;
pub mod grpc;
mod place;
mod server;
#[cfg(test)]
mod tests;

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};

use super::{Channel, Connection, Route};

/// The messages that channels with a coding carry: those that people compress. The manifest says the same.
const COMPRESSED: &[&str] = &["soap", "json", "avro", "protobuf"];

/// A channel of HTTP.
#[derive(Clone, Copy, Debug)]
pub struct Web {
    pub name: &'static str,
    pub version: Version,
    pub place: Place,
    pub keep: Keep,
    pub carries: Carries,
    /// How bodies are compressed, if they are.
    pub coding: Option<&'static dyn coding::Coding>,
    pub options: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.1.
    One,
    /// HTTP/2.
    Two,
}

/// What lies below HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tcp,
    Tls,
    /// An abstract Unix socket.
    Unix,
}

/// How long a connection is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// For one call; both sides say `Connection: close`.
    Call,
    Alive,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// The message as it is.
    Messages,
    /// A frame of gRPC, which has the call in its path and no envelope.
    Grpc,
}

impl Channel for Web {
    fn name(&self) -> &'static str {
        self.name
    }

    fn options(&self) -> &'static [&'static str] {
        self.options
    }

    fn has_paths(&self) -> bool {
        true
    }

    fn within(&self, base: &str, path: &str) -> String {
        // gRPC has the path of each call in its own request.
        if self.carries == Carries::Grpc { base.to_owned() } else { place::within(base, path) }
    }

    fn takes_a_port(&self) -> bool {
        self.place != Place::Unix
    }

    fn carries(&self, message: &str) -> bool {
        match (self.carries, self.coding) {
            (Carries::Grpc, _) => message == grpc::MESSAGE,
            (Carries::Messages, None) => true,
            (Carries::Messages, Some(_)) => COMPRESSED.contains(&message),
        }
    }

    fn compresses(&self) -> bool {
        self.coding.is_some()
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        server::serve(*self, routes, at, options)
    }

    fn connect(&self, path: &'static str, content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        client::connect(*self, path, content_type, to)
    }
}
