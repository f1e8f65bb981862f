//! The load driver: any HTTP server, under as many clients as wanted, driven by events from one thread or a few.
//!
//! `wishes` reads what the core wants of the requests; `endpoint` says where they go; `request` writes them, `answer` takes answers apart as
//! they come and `expected` judges them. `wire` is a connection's bytes, plain or through TLS; `client` what one client is doing; `events`
//! asks the kernel what is ready; `herd` is the load loop over all of them, `crowd` hands herds to the kit, and `adapter` the whole to the
//! contract.

pub mod adapter;
pub mod answer;
mod asking;
mod carrier;
mod client;
pub mod crowd;
mod endpoint;
mod events;
mod expected;
pub mod h2;
mod herd;
mod hpack;
pub mod request;
mod tls;
mod wire;
mod wishes;
