//! The events of a session.

/// An event of a session.
pub enum Event {
    Line(Line),
    End,
    /// The handler has ended by itself.
    HandlerEnded,
}

/// A line from the core.
#[derive(Debug, PartialEq)]
pub enum Line {
    Whole(Vec<u8>),
    /// The line was longer than the contract allows. It is not stored.
    TooLong,
}
