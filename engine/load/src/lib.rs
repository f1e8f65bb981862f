//! The load driver: any HTTP server, under as many clients as wanted, driven by events from one thread or a few.
//!
//! `wishes` reads what the core wants of the requests, `endpoint` says where they go, and `draft` makes of both the request that each
//! protocol writes. Of HTTP/1.1, `request` writes it, `answer` takes answers apart as they come, and `client` is what one client is doing;
//! `h2` is all of that for HTTP/2 and gRPC, with `hpack` for its header fields. `expected` judges an answer: `body` compares its octets, and
//! `checks` looks into it where no two are the same. `wire` is a connection's bytes, plain or through TLS, and `mistaken` finds out which of
//! both a server speaks that cannot be called; `events` asks the kernel what is ready; `event_loop` is the load loop over a `carrier`, which is
//! either protocol; `client_pool` hands event loops to the kit, and `adapter` the whole to the contract.

pub mod adapter;
pub mod answer;
pub mod body;
mod carrier;
pub mod checks;
mod client;
pub mod client_pool;
mod draft;
mod endpoint;
mod event_loop;
mod events;
pub mod expected;
pub mod h2;
mod hpack;
mod mistaken;
mod protocol;
pub mod request;
mod settings;
mod shown;
mod tls;
mod wire;
mod wishes;
