//! The network lab: two hosts on one machine, the cable between them, and what travels on it.

pub mod cable;
pub mod failure;
pub mod holder;
pub mod namespace;
pub mod offload;
pub mod pair;
