//! Misbehaving connections, thousands of them on one thread.
//!
//! `settings` reads the request; `socket` reads and writes the bytes of one connection; `slot` holds the state of one connection; `attack` is the
//! event loop; `counts` counts the results. The core defines the kinds of attacks.

pub mod attack;
pub mod counts;
pub mod settings;
mod slot;
mod socket;
