//! What the Rust adapters share. A stack brings `stack::Stack`; the kit brings the rest.
//!
//! `contract` talks to the core and is entered by `run`; `drive` is the load loop; `clock`, `histogram`, `heap` and `processor` measure;
//! `codec` times a message without its channel; `nothing` and `direct` are the stacks that measure the kit itself.

pub mod client;
pub mod clock;
pub mod codec;
pub mod contract;
pub mod direct;
pub mod drive;
pub mod failure;
pub mod heap;
pub mod histogram;
pub mod nothing;
pub mod panics;
pub mod processor;
pub mod stack;

pub use contract::run;
pub use failure::{Failure, Kind};
