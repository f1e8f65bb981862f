//! The parts that all Rust adapters share. An adapter implements `stack::Stack`; the kit does the rest.
//!
//! `contract` speaks with the core; adapters call its `run`. `drive` is the load loop. `clock`, `histogram`, `heap` and `processor` measure. `codec`
//! times a message without its channel. `nothing` and `direct` are the stacks that measure the kit itself.

pub mod client;
pub mod clock;
pub mod codec;
pub mod contract;
pub mod direct;
pub mod drive;
pub mod heap;
pub mod histogram;
pub mod nothing;
pub mod panics;
pub mod processor;
pub mod stack;

pub use callbench_contract::{Failure, Kind, failure};
pub use contract::run;
