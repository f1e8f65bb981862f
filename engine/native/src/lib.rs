//! Every message over every channel, natively: `message` x `channel`, multiplied by `stack`, offered by `adapter`.

pub mod adapter;
pub mod channel;
pub mod message;
pub mod stack;
