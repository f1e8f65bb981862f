//! What a stack must implement: serve, connect, and a function for calls. The kit has the load loop, the contract and the clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use callbench_service::service::Service;
use callbench_service::{Answer, Call};

pub use crate::contract::answers::CallCounts;
pub use callbench_contract::endpoint::{AnswerKind, Connect, LIMIT, Listen, Options, RemoteCounts, Server};

pub use crate::client::Client;
use crate::drive::Worker;
use crate::failure::Failure;

/// One thing under test.
pub trait Stack: Send + Sync {
    /// The part of the name after the slash: `soap+http`.
    fn name(&self) -> String;

    /// Why the stack cannot run on this machine, if it cannot.
    fn unavailable(&self) -> Option<String> {
        None
    }

    /// The options of this stack for `serve` and `connect`. The kit refuses all others with `bad-request`. The options of every server
    /// (`callbench_service::Service::OPTIONS`) need not be listed: the service has already applied them.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Starts to answer calls with `service`.
    fn serve(&self, service: Arc<Service>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure>;

    /// Creates a client that is ready to call.
    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure>;

    /// Creates clients that do not need a thread each. None if `connect` creates each client.
    fn connect_pool(&self, _to: &Connect, _clients: usize) -> Option<Result<Box<dyn ClientPool>, Failure>> {
        None
    }

    /// The message without its channel, if the stack can separate them.
    fn codec(&self) -> Option<&dyn Codec> {
        None
    }

    /// The message for these options. None if it is the same as that of `codec`.
    fn codec_with(&self, _options: &Options) -> Result<Option<Box<dyn Codec>>, Failure> {
        Ok(None)
    }
}

/// Many clients on few threads, based on events.
pub trait ClientPool: Send {
    fn clients(&self) -> usize;

    /// The connections of all clients that stay open between calls.
    fn connections(&self) -> usize;

    /// Makes one call with the first client, as `Client::call` does. Returns the value for the core.
    fn call(&mut self, call: &Call) -> Result<serde_json::Value, Failure>;

    /// The workers that drive the first `clients` clients with `call`.
    fn workers(&mut self, clients: usize, call: &Call) -> Result<Vec<Box<dyn Worker + '_>>, Failure>;
}

/// A message without a channel, to time its encoding separately. It has both sides of both directions.
pub trait Codec: Send + Sync {
    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure>;
    fn decode_request(&self, bytes: &[u8]) -> Result<Call, Failure>;
    /// `call` is the call that is answered.
    fn encode_answer(&self, call: &Call, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure>;
    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure>;
}

/// All stacks of an adapter, and what `hello` says about it.
pub trait Adapter: Send + Sync {
    /// The part of a stack's name before the slash.
    fn name(&self) -> &'static str;

    /// Libraries with versions, for `hello`.
    fn libraries(&self) -> Vec<(&'static str, String)>;

    fn stacks(&self) -> &[Box<dyn Stack>];

    /// Whether its clients are driven by the kit's load loop, which can replay golden traces.
    fn supports_traces(&self) -> bool {
        true
    }

    /// Whether `serve_all` is supported. `hello` must say so.
    fn supports_serve_all(&self) -> bool {
        false
    }

    /// Serves every endpoint in one process, for users with their own clients. None if the adapter does not support it.
    fn serve_all(&self, _at: Listen, _channels: &[String]) -> Option<Result<Box<dyn AllEndpoints>, Failure>> {
        None
    }
}

/// All endpoints of an adapter. Each channel can be switched on and off. Dropping it ends them all.
pub trait AllEndpoints: Send {
    /// Full stack names and endpoints of the channels that are on.
    fn endpoints(&self) -> Vec<(String, String)>;

    fn switch(&mut self, channel: &str, on: bool) -> Result<(), Failure>;

    /// By full stack name: the answered calls since the last request. Those of channels that were switched off since then are among them.
    fn counted(&self) -> BTreeMap<String, CallCounts>;
}
