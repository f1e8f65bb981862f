//! HTTP/2 and gRPC: many simultaneous calls on each connection.
//!
//! `frame` reads and writes frames. `block` writes the header blocks of requests, `call_spec` whole requests. `fields` reads the header blocks of
//! answers. `exchange` is one answer while it is received, `grpc` the message in it. `connection` is a connection without its socket. `clients` has
//! all connections of an event loop, with their sockets.

mod block;
pub mod call_spec;
mod clients;
pub mod connection;
mod exchange;
mod fields;
mod frame;
mod grpc;

pub use clients::Clients;
