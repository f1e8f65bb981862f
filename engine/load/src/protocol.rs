//! The protocols that requests and answers travel by.

/// How requests and answers travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
    /// Unary calls of gRPC, over HTTP/2.
    Grpc,
}

impl Protocol {
    /// Its name where TLS agrees on one.
    #[must_use]
    pub fn in_tls(self) -> &'static str {
        if self == Protocol::Http1 { "http/1.1" } else { "h2" }
    }
}
