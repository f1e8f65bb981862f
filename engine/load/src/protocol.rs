//! The protocols of requests and answers.

/// The protocol of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
    /// Unary gRPC calls over HTTP/2.
    Grpc,
}

impl Protocol {
    /// The name of the protocol in the TLS negotiation (ALPN).
    #[must_use]
    pub fn in_tls(self) -> &'static str {
        if self == Protocol::Http1 { "http/1.1" } else { "h2" }
    }
}
