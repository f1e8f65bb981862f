//! Converts a panic in a stack to a failure of that stack, so that the adapter continues.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::failure::{Failure, Kind};

/// Runs `work`. A panic becomes a failure of kind `internal`.
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // The state that the panic may have damaged belongs to the stack. It is dropped with the connection or the server.
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Failure::new(Kind::Internal, format!("the stack panicked: {}", sentence(&*panic)))))
}

fn sentence(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_internal_failure() {
        let failure = catch_panic::<()>(|| panic!("no {}", "luck")).expect_err("a failure");
        assert_eq!((failure.kind, failure.message.as_str()), (Kind::Internal, "the stack panicked: no luck"));
        assert_eq!(catch_panic(|| Ok(3)), Ok(3));
    }
}
