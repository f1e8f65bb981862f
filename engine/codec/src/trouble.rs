//! What the serde formats of this crate fail with.

use std::fmt::Display;

use callbench_kit::{Failure, Kind};
use serde::{de, ser};

/// One sentence, and whether the form cannot represent the value. Boxed, because errors are rare and every result contains this type.
#[derive(Debug)]
pub struct Trouble(Box<(Kind, String)>);

impl Trouble {
    #[cold]
    pub fn protocol(message: impl Into<String>) -> Self {
        Trouble(Box::new((Kind::Protocol, message.into())))
    }

    #[cold]
    pub fn cannot_carry(message: impl Into<String>) -> Self {
        Trouble(Box::new((Kind::CannotCarry, message.into())))
    }

    pub fn into_message(self) -> String {
        self.0.1
    }
}

impl Display for Trouble {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0.1)
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
        Failure::new(trouble.0.0, trouble.0.1)
    }
}
