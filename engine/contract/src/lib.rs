//! What channels and the kit share of `contract/CONTRACT.md`.
//!
//! No type of a message is here, so the channels do not depend on the calls: for another service of the user's own they are not compiled again.

pub mod endpoint;
pub mod failure;
pub mod operations;

pub use failure::{Failure, Kind};
