//! The network lab: two hosts on one machine, the cable between them, and what travels on it.

pub mod account;
pub mod cable;
pub mod capture;
pub mod daemon;
pub mod emulator;
pub mod examine;
pub mod failure;
pub mod file;
pub mod half;
pub mod hosts;
pub mod namespace;
pub mod offload;
pub mod packet;
pub mod pair;
pub mod shaper;
mod tap;
