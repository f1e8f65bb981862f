//! Every message over every channel, natively: `message` x `channel`, multiplied by `stack`, offered by `adapter`; and `echo`, a channel
//! without a message.

#[cfg(unix)]
pub mod adapter;
pub mod echo;
pub mod libraries;
pub mod stack;
