//! The client of a stack, as the load loop uses it.

use callbench_service::{Answer, Call};

use crate::failure::Failure;

/// A client. Only one thread uses it at a time.
pub trait Client: Send {
    /// Makes one call and waits for its answer. An error that the server reports is a `Failure` of kind `Fault`.
    fn call(&mut self, call: &Call) -> Result<Answer, Failure>;

    /// The connections that stay open between calls.
    fn connections(&self) -> usize {
        1
    }
}
