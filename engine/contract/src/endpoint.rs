//! Where servers listen, how clients connect, and what a server counts.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The largest message in either direction, in bytes. A longer request is refused without being read.
pub const LIMIT: usize = 512 << 20;

/// The kind of an answer. Some messages also need it for the HTTP status (SOAP 1.1 requires 500 for a fault).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    Answer,
    Fault,
}

/// Options of `serve` and `connect` for a particular stack, as the core sent them.
pub type Options = serde_json::Map<String, serde_json::Value>;

/// Where a server listens. Port 0: any free port.
#[derive(Clone, Copy, Debug)]
pub struct Listen {
    pub host: IpAddr,
    pub port: u16,
}

/// How a client connects.
#[derive(Clone, Debug)]
pub struct Connect {
    pub endpoint: String,
    pub timeout: Duration,
    pub options: Options,
}

/// A running server. Dropping it ends its listeners, connections and threads.
pub trait Server: Send {
    /// The address for `connect`. The core does not interpret it.
    fn endpoint(&self) -> String;

    /// The counts since the last request, if a different service than the one given to `serve` answers the calls.
    fn remote_counts(&self) -> Result<RemoteCounts, Failure> {
        Ok(RemoteCounts::default())
    }
}

/// The counts of such a service.
#[derive(Debug, Default)]
pub struct RemoteCounts {
    /// By the name of the call.
    pub calls: Vec<(String, u64)>,
    /// The processor time of the answering process, if that is not the adapter itself.
    pub processor: Option<Usage>,
}

/// CPU of the contract: nanoseconds in user and system mode since the process began, as decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Usage {
    pub user_ns: String,
    pub system_ns: String,
}
