//! Connections that are up to no good, thousands of them on one thread.
//!
//! `wish` reads what is wanted; `socket` is one connection's octets; `slot` is one place for a connection and what it does there; `storm` is
//! the loop over all of them; `tally` counts what came of it. Which mischief there is, the core knows: here is only how it is done.

mod slot;
mod socket;
pub mod storm;
pub mod tally;
pub mod wish;
