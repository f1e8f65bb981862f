//! What the Rust adapters share. A stack brings `stack::Stack`; the kit brings the rest.

pub mod failure;
pub mod stack;

pub use failure::{Failure, Kind};
