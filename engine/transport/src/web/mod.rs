//! HTTP/1.1, for `http` and `http-keepalive`: they differ in whether a connection lasts longer than a call.

mod client;
mod dial;
mod server;
#[cfg(test)]
mod tests;

pub use client::connect;
pub use server::serve;

/// How long a connection is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// For one call; both sides say `Connection: close`.
    Call,
    Alive,
}
