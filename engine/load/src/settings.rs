//! What all clients of a load have in common.

use crate::endpoint::Endpoint;
use crate::expected::Expected;
use crate::wire::Tls;

/// What every client does.
#[derive(Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub tls: Option<Tls>,
    pub expected: Expected,
    /// Whether a connection serves more than one call.
    pub keeps: bool,
    /// A call that has had no answer for so long has failed.
    pub timeout_ns: u64,
    /// A body of more octets is an error.
    pub most: u64,
}
