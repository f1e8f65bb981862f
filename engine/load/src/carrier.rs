//! What the event loop requires from a protocol.

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_kit::drive::EndpointStats;

use crate::connect_options::ConnectOptions;
use crate::events::{Event, Events};
use crate::protocol::Protocol;
use crate::request::Values;
use crate::settings::Settings;

/// The index of a client, and the result of its call.
pub type Ended = (usize, Result<(), Failure>);

/// What every call sends and expects, prepared for a protocol.
pub trait Spec: Send + Sync + Sized {
    /// Prepares the options that the core has sent.
    fn of(parsed: ConnectOptions, protocol: Protocol) -> Result<Self, Failure>;

    fn settings(&self) -> &Settings;

    /// Statistics of each endpoint, for one drive; none if there is only one.
    fn endpoints(&self) -> Vec<EndpointStats> {
        Vec::new()
    }
}

/// The connections of an event loop's clients, and their calls.
pub trait Carrier: Send {
    type CallSpec: Spec;

    /// Up to `streams` clients share a connection.
    fn new(spec: Arc<Self::CallSpec>, streams: usize, clients: usize) -> Self;

    /// Uses this specification for all further calls. The endpoint stays the same.
    fn use_spec(&mut self, spec: &Arc<Self::CallSpec>);

    /// The body of the last answer to the first client, if it was to be kept.
    fn kept_body(&mut self) -> Vec<u8>;

    /// The bytes received so far.
    fn received(&self) -> u64;

    /// The bytes sent so far.
    fn sent(&self) -> u64;

    /// How many calls were sent again so far, because the server had closed their kept connection.
    fn sent_again(&self) -> u64 {
        0
    }

    /// How many answers so far came in pieces with a long pause between two; None where one cannot tell, as where calls share a connection.
    fn held_back(&self) -> Option<u64> {
        None
    }

    /// How many connections this number of clients needs.
    fn connections_needed(&self, clients: usize) -> usize;

    /// The number of open connections.
    fn connections(&self) -> usize;

    /// Starts to connect, before any call.
    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure>;

    /// Handles an event while connecting. Returns whether a connection has become ready for calls.
    fn continue_connect(&mut self, event: Event, events: &Events, scratch: &mut [u8]) -> Result<bool, Failure>;

    /// Starts a call. An error ends the call immediately.
    fn begin(&mut self, client: usize, events: &Events, values: impl FnMut() -> Values) -> Result<(), Failure>;

    /// Handles an event. Appends the calls that have ended.
    fn handle_event(&mut self, event: Event, events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>);

    /// Called at the end of each call, also if the event loop gave it up. The connection is reused if possible.
    fn end(&mut self, client: usize, result: &Result<(), Failure>);

    /// The step of the script that the client calls, or called last.
    fn step_of(&self, _client: usize) -> usize {
        0
    }

    /// How many sessions there are, each to be tried before anything is measured.
    fn sessions(&self) -> usize {
        1
    }

    /// The first client begins this session with its next call.
    fn enter(&mut self, _session: usize) {}

    /// Whether the first client has come to the end of its session.
    fn is_between(&self) -> bool {
        true
    }

    /// Sends the requests that were collected to be sent together.
    fn flush(&mut self);
}
