//! DCOM (MS-DCOM) over TCP, without Windows: a server and a client.
//!
//! From below: `ids` and `status` are the documents' numbers; `ndr` marshals; `pdu` and `wire` are RPC's packets and their way; `orpc`,
//! `error_info` and `objref` are what objects add to RPC; `connection`, `resolver` (with `activation`, `pings`), `exporter`, `remunknown` and
//! `skeleton` are the server; `rpc`, `pinger` and `client` are the client; `speed` is the service's interface; `stack` shows it to the kit.

mod activation;
mod client;
mod connection;
mod error_info;
mod exporter;
mod ids;
mod ndr;
mod objref;
mod orpc;
mod pdu;
mod pinger;
mod pings;
mod remunknown;
mod resolver;
mod rpc;
mod server;
mod settings;
mod skeleton;
mod speed;
pub mod stack;
mod status;
mod wire;

#[cfg(test)]
mod tests;
