//! The settings that all clients of a load share.

use crate::endpoint::Endpoint;
use crate::expected::Expected;
use crate::limits::Limits;
use crate::wire::Tls;

/// The settings of every client.
#[derive(Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub tls: Option<Tls>,
    pub expected: Expected,
    /// Whether a connection is used for more than one call.
    pub keep_alive: bool,
    /// A call without an answer fails after this time.
    pub timeout_ns: u64,
    pub limits: Limits,
}
