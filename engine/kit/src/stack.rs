//! What a stack supplies: serve, connect, one function a call. The load loop, the contract and the clock are the kit's.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use callbench_service::service::Service;
use callbench_service::{Answer, Call};

pub use crate::client::Client;
use crate::drive::Worker;
use crate::failure::Failure;
use crate::processor::Usage;

/// The largest message in either direction, in bytes. A request beyond it is refused, not read.
pub const LIMIT: usize = 512 << 20;

/// What an answer is: some messages have HTTP say so as well (SOAP 1.1 asks for status 500).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Answer,
    Fault,
}

/// Options of `serve` and `connect` that are a stack's own, as the core sent them.
pub type Options = serde_json::Map<String, serde_json::Value>;

/// Where a server listens. Port 0: any free one.
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

/// One thing under test.
pub trait Stack: Send + Sync {
    /// The part of the name behind the slash: `soap+tcp`.
    fn name(&self) -> String;

    /// Why it cannot run on this machine, if it cannot.
    fn unavailable(&self) -> Option<String> {
        None
    }

    /// The options of its own that `serve` and `connect` understand; the kit refuses all others as a `bad-request`. Those of every
    /// server (`callbench_service::Service::OPTIONS`) come besides: the service given to `serve` has obeyed them already.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Starts to answer calls with `service`.
    fn serve(&self, service: Arc<Service>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure>;

    /// Makes one client, ready to call.
    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure>;

    /// Makes so many clients that need no thread each; None where each client is made by `connect`.
    fn gather(&self, _to: &Connect, _clients: usize) -> Option<Result<Box<dyn ClientPool>, Failure>> {
        None
    }

    /// The message alone, where the stack can part it from its channel.
    fn codec(&self) -> Option<&dyn Codec> {
        None
    }

    /// The message as a client with these options writes it; None where that is no other than `codec` gives.
    fn codec_with(&self, _options: &Options) -> Result<Option<Box<dyn Codec>>, Failure> {
        Ok(None)
    }
}

/// A running server. Dropping it ends it: listeners, connections, threads.
pub trait Server: Send {
    /// What `connect` is given, opaque to the core.
    fn endpoint(&self) -> String;

    /// What a service that is not the one given to `serve` answered since last asked.
    fn counted_elsewhere(&self) -> Result<Elsewhere, Failure> {
        Ok(Elsewhere::default())
    }
}

/// What is told by a service that is not the one given to `serve`.
#[derive(Debug, Default)]
pub struct Elsewhere {
    /// By the name of the call.
    pub calls: Vec<(String, u64)>,
    /// Of the process that answers, where that is not the adapter's own.
    pub processor: Option<Usage>,
}

/// Many clients on few threads, which live on events.
pub trait ClientPool: Send {
    fn clients(&self) -> usize;

    /// Connections open between calls, over all clients.
    fn connections(&self) -> usize;

    /// Makes one call by the first client, as `Client::call` does, and gives what the core is told was returned.
    fn call(&mut self, call: &Call) -> Result<serde_json::Value, Failure>;

    /// The threads that drive the first `clients` of them with `call`.
    fn workers(&mut self, clients: usize, call: &Call) -> Result<Vec<Box<dyn Worker + '_>>, Failure>;
}

/// A message without a channel, for timing encoding apart. Both sides of both directions.
pub trait Codec: Send + Sync {
    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure>;
    fn decode_request(&self, bytes: &[u8]) -> Result<Call, Failure>;
    /// `call` is the one that is answered.
    fn encode_answer(&self, call: &Call, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure>;
    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure>;
}

/// All the stacks of one adapter, and what the contract says of it.
pub trait Adapter: Send + Sync {
    /// The part of a stack's name before the slash.
    fn name(&self) -> &'static str;

    /// Libraries with versions, for `hello`.
    fn libraries(&self) -> Vec<(&'static str, String)>;

    fn stacks(&self) -> &[Box<dyn Stack>];

    /// Whether its clients are driven by the kit's own loop, which replays golden traces.
    fn replays(&self) -> bool {
        true
    }

    /// Whether `serve_all` gives anything: `hello` must say so before it is asked for.
    fn offers_everything(&self) -> bool {
        false
    }

    /// Every endpoint in one process, for people who bring their own clients; None where the adapter does not offer it.
    fn serve_all(&self, _service: Arc<Service>, _at: Listen, _channels: &[String]) -> Option<Result<Box<dyn Everything>, Failure>> {
        None
    }
}

/// Every endpoint of an adapter, each channel switched on and off. Dropping it ends them all.
pub trait Everything: Send {
    /// Stack name (with the adapter's) to endpoint, of the channels that are on.
    fn endpoints(&self) -> Vec<(String, String)>;

    fn switch(&mut self, channel: &str, on: bool) -> Result<(), Failure>;
}
