//! Errors: a kind for the core, and one sentence for people.

use nix::errno::Errno;

/// Kinds that the core tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The kernel or a container refuses network namespaces.
    NoNamespaces,
    /// The kernel refuses a packet socket, so nothing can be captured or emulated.
    NoPackets,
    /// The request is wrong.
    BadRequest,
    /// An address, an interface or a port is already in use.
    Taken,
    /// A disk that is full, or a file that cannot be written.
    File,
    /// Any other error of the kernel.
    Kernel,
}

impl Kind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::NoNamespaces => "no-namespaces",
            Kind::NoPackets => "no-packets",
            Kind::BadRequest => "bad-request",
            Kind::Taken => "taken",
            Kind::File => "file",
            Kind::Kernel => "kernel",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Failure { kind, message: message.into() }
    }

    pub fn bad(message: impl Into<String>) -> Self {
        Failure::new(Kind::BadRequest, message)
    }

    /// An error of the kernel while doing `what`.
    pub fn kernel(what: impl std::fmt::Display, error: Errno) -> Self {
        let kind = if matches!(error, Errno::EEXIST | Errno::EADDRINUSE) { Kind::Taken } else { Kind::Kernel };
        Failure::new(kind, format!("{what}: {}", error.desc()))
    }

    /// As `kernel`, for errors of the standard library.
    pub fn io(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(code) => Failure::kernel(what, Errno::from_raw(code)),
            None => Failure::new(Kind::Kernel, format!("{what}: {error}")),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}
