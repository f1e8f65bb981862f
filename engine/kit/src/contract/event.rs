//! What a session of the contract waits for.

/// What comes in.
pub enum Event {
    Line(Line),
    End,
    /// What the contract is spoken for has ended by itself.
    Gone,
}

/// One line of the core's.
#[derive(Debug, PartialEq)]
pub enum Line {
    Whole(Vec<u8>),
    /// Longer than the contract allows, and not kept.
    TooLong,
}
