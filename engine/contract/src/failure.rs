//! The errors of calls and requests, with the kinds of the contract.

use std::fmt;

/// The error kinds of `contract/CONTRACT.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Timeout,
    Refused,
    Closed,
    Protocol,
    Fault,
    WrongAnswer,
    TooLarge,
    CannotCarry,
    OutOfResources,
    BadRequest,
    Unsupported,
    Internal,
    Reset,
    Cut,
    Certificate,
    Redirect,
    Status,
    Unresolved,
}

impl Kind {
    pub const ALL: [Kind; 18] = [
        Kind::Timeout,
        Kind::Refused,
        Kind::Closed,
        Kind::Protocol,
        Kind::Fault,
        Kind::WrongAnswer,
        Kind::TooLarge,
        Kind::CannotCarry,
        Kind::OutOfResources,
        Kind::BadRequest,
        Kind::Unsupported,
        Kind::Internal,
        Kind::Reset,
        Kind::Cut,
        Kind::Certificate,
        Kind::Redirect,
        Kind::Status,
        Kind::Unresolved,
    ];

    /// The kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Timeout => "timeout",
            Kind::Refused => "refused",
            Kind::Closed => "closed",
            Kind::Protocol => "protocol",
            Kind::Fault => "fault",
            Kind::WrongAnswer => "wrong-answer",
            Kind::TooLarge => "too-large",
            Kind::CannotCarry => "cannot-carry",
            Kind::OutOfResources => "out-of-resources",
            Kind::BadRequest => "bad-request",
            Kind::Unsupported => "unsupported",
            Kind::Internal => "internal",
            Kind::Reset => "reset",
            Kind::Cut => "cut",
            Kind::Certificate => "certificate",
            Kind::Redirect => "redirect",
            Kind::Status => "status",
            Kind::Unresolved => "unresolved",
        }
    }
}

/// An error: its kind, and one sentence that a person can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Failure { kind, message: message.into() }
    }

    pub fn protocol(message: impl fmt::Display) -> Self {
        Failure::new(Kind::Protocol, message.to_string())
    }

    /// An error that the server itself reports.
    pub fn fault(message: impl Into<String>) -> Self {
        Failure::new(Kind::Fault, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Failure {}

/// The system's error codes for missing files, buffers or space.
#[cfg(unix)]
const EXHAUSTED: [i32; 4] = [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOSPC];
/// The same codes on Windows: too many open files, not enough memory, no system resources, disk full.
#[cfg(windows)]
const EXHAUSTED: [i32; 4] = [4, 8, 1450, 112];

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind as Io;
        let kind = match error.kind() {
            Io::TimedOut | Io::WouldBlock => Kind::Timeout,
            Io::ConnectionRefused => Kind::Refused,
            Io::ConnectionReset | Io::ConnectionAborted | Io::BrokenPipe | Io::UnexpectedEof | Io::NotConnected => Kind::Closed,
            Io::AddrNotAvailable | Io::OutOfMemory | Io::QuotaExceeded => Kind::OutOfResources,
            _ => match error.raw_os_error() {
                Some(code) if EXHAUSTED.contains(&code) => Kind::OutOfResources,
                _ => Kind::Internal,
            },
        };
        Failure::new(kind, error.to_string())
    }
}
