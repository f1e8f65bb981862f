//! HTTP/2 and gRPC: many calls at once over each connection.
//!
//! `frame` is what travels; `block` the header blocks of requests and `asked` the whole requests; `fields` is what a header block of an answer
//! says; `exchange` one answer as it comes, `grpc` the message in it; `connection` is one connection without its socket, and `clients` all
//! connections of an event loop, with theirs.

pub mod asked;
mod block;
mod clients;
pub mod connection;
mod exchange;
mod fields;
mod frame;
mod grpc;

pub use clients::Clients;
