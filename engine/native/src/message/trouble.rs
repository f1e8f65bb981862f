//! What the serde formats of this crate fail with.

use std::fmt::Display;

use callbench_kit::{Failure, Kind};
use serde::{de, ser};

/// One sentence, and whether it is the form that cannot hold the value.
#[derive(Debug)]
pub struct Trouble {
    pub kind: Kind,
    pub message: String,
}

impl Trouble {
    pub fn protocol(message: impl Into<String>) -> Self {
        Trouble { kind: Kind::Protocol, message: message.into() }
    }

    pub fn cannot_carry(message: impl Into<String>) -> Self {
        Trouble { kind: Kind::CannotCarry, message: message.into() }
    }
}

impl Display for Trouble {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.message)
    }
}

impl std::error::Error for Trouble {}

impl ser::Error for Trouble {
    fn custom<T: Display>(message: T) -> Self {
        Trouble::cannot_carry(message.to_string())
    }
}

impl de::Error for Trouble {
    fn custom<T: Display>(message: T) -> Self {
        Trouble::protocol(message.to_string())
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Failure::new(trouble.kind, trouble.message)
    }
}
