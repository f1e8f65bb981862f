//! One client of a stack, as the load loop calls it.

use callbench_service::{Answer, Call};

use crate::failure::Failure;

/// One client, used by one thread at a time.
pub trait Client: Send {
    /// Makes one call and waits for its answer. A server's fault is a `Failure` of kind `Fault`.
    fn call(&mut self, call: &Call) -> Result<Answer, Failure>;

    /// Connections open between calls.
    fn connections(&self) -> usize {
        1
    }
}
