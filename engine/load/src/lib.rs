//! The load driver: drives any HTTP server with any number of clients. It is based on events and uses one or a few threads.
//!
//! `connect_options` reads the options of the core, `endpoint` parses the URL, whose `addresses` are tried in turn, and `draft` builds the request for each protocol. `script` has several
//! requests, in sessions. For HTTP/1.1, `request` writes requests, `answer` parses answers within `limits` and `client` is the state of one client. `h2` does
//! the same for HTTP/2 and gRPC, with `hpack` for header fields. `expected` checks an answer: `body` compares its bytes, and `checks` looks at
//! the content of bodies that always differ. `wire` is a connection, with or without TLS. `tls_mismatch` finds out whether a URL has the wrong
//! scheme. `events` waits for ready connections. `event_loop` is the load loop over a `carrier`, which is one of the protocols. `client_pool`
//! passes event loops to the kit, and `adapter` speaks the contract.

pub mod adapter;
mod addresses;
pub mod answer;
pub mod body;
mod carrier;
pub mod checks;
mod client;
pub mod client_pool;
mod connect_options;
mod draft;
mod endpoint;
mod event_loop;
mod events;
pub mod expected;
pub mod h2;
mod hpack;
pub mod limits;
mod printable;
mod protocol;
mod race;
pub mod request;
mod script;
mod settings;
mod tls;
mod tls_mismatch;
mod wire;
