//! The channels that HTTP carries: its versions, over TCP, TLS or a Unix socket, and gRPC.

use super::key_log::OPTION as KEY_LOG;
use super::web::coding::{GZIP, ZSTD};
use super::web::{Carries, Keep, Place, Version, Web};

const LIMIT: &[&str] = &["limit"];
const SECURE_LIMIT: &[&str] = &["limit", KEY_LOG];

const HTTP: Web = Web {
    name: "http",
    version: Version::One,
    place: Place::Tcp,
    keep: Keep::Alive,
    carries: Carries::Messages,
    coding: None,
    options: LIMIT,
};

/// A new connection for each call, HTTP/1.1 with `Connection: close` on both sides. It shows the cost of clients that keep no connections.
pub const CLOSING: Web = Web { keep: Keep::Call, options: &["limit", "closes", "reset", "ports"], ..HTTP };
/// HTTP/1.1 with one persistent connection per client.
pub const KEPT: Web = Web { name: "http-keepalive", ..HTTP };
/// The same over a Unix socket.
pub const UNIX: Web = Web { name: "http-unix", place: Place::Unix, ..HTTP };
/// A new connection and a TLS handshake for each call.
pub const SECURE_CLOSING: Web =
    Web { name: "https", place: Place::Tls, options: &["limit", "closes", "reset", "ports", KEY_LOG], ..CLOSING };
/// HTTP/1.1 with one persistent TLS connection per client.
pub const SECURE: Web = Web { name: "https-keepalive", place: Place::Tls, options: SECURE_LIMIT, ..HTTP };
/// HTTP/2 without TLS and without negotiation (`h2c` with prior knowledge).
pub const TWO: Web = Web { name: "http2", version: Version::Two, ..HTTP };
/// HTTP/2 over TLS, agreed on by ALPN (`h2`).
pub const SECURE_TWO: Web = Web { name: "http2-tls", place: Place::Tls, options: SECURE_LIMIT, ..TWO };
/// gRPC: HTTP/2 with a path a call, a frame around each message and a status behind it.
pub const GRPC: Web = Web { name: "grpc", carries: Carries::Grpc, ..TWO };
/// The same over TLS.
pub const SECURE_GRPC: Web = Web { name: "grpc-tls", place: Place::Tls, options: SECURE_LIMIT, ..GRPC };
/// The channels that people compress, with each coding.
pub const KEPT_GZIP: Web = Web { name: "http-keepalive-gzip", coding: Some(GZIP), ..KEPT };
pub const KEPT_ZSTD: Web = Web { name: "http-keepalive-zstd", coding: Some(ZSTD), ..KEPT };
pub const SECURE_GZIP: Web = Web { name: "https-keepalive-gzip", coding: Some(GZIP), ..SECURE };
pub const SECURE_ZSTD: Web = Web { name: "https-keepalive-zstd", coding: Some(ZSTD), ..SECURE };
pub const SECURE_TWO_GZIP: Web = Web { name: "http2-tls-gzip", coding: Some(GZIP), ..SECURE_TWO };
pub const SECURE_TWO_ZSTD: Web = Web { name: "http2-tls-zstd", coding: Some(ZSTD), ..SECURE_TWO };
