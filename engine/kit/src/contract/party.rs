//! Whom the contract is spoken for: what does the work behind a session.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answers::{Done, Hello, Returned, Traced};
use super::requests::{Codec, Connect, Drive, Serve, ServeAll};
use crate::codec::Timed;
use crate::drive::Interval;
use crate::failure::{Failure, Kind};
use crate::processor::Usage;

/// The stacks of a Rust adapter, or a runner in another language. The session checks what is common to both: lines, ids, what is served.
pub trait Party {
    fn hello(&self) -> Hello;

    /// Starts to serve, where nothing is served, and gives the endpoint.
    fn serve(&mut self, request: &Serve) -> Result<String, Failure>;

    fn serve_all(&mut self, _request: &ServeAll) -> Result<BTreeMap<String, String>, Failure> {
        Err(Failure::new(Kind::Unsupported, "this adapter has no serve-all: serve one of its stacks"))
    }

    /// Switches a channel of what `serve_all` serves.
    fn switch(&mut self, _channel: &str, _on: bool) -> Result<BTreeMap<String, String>, Failure> {
        Err(Failure::new(Kind::Unsupported, "this adapter has no serve-all, so it has no channels to switch"))
    }

    fn stop_serving(&mut self) -> Result<(), Failure>;

    /// What the server answered since last asked, by the name of the call, and the processor time of the process that answers.
    fn counted(&mut self) -> Result<(BTreeMap<String, u64>, Usage), Failure>;

    /// Makes clients in the place of those there are, and gives how many connections are open.
    fn connect(&mut self, request: &Connect) -> Result<usize, Failure>;

    fn disconnect(&mut self) -> Result<(), Failure>;

    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<Returned, Failure>;

    /// Drives the clients that the request names; `report` hears the intervals and gives false where nobody listens any more.
    fn drive(&mut self, request: &Drive, report: &mut dyn FnMut(Interval) -> bool) -> Result<Done, Failure>;

    fn codec(&mut self, request: &Codec) -> Result<Timed, Failure> {
        Err(Failure::new(Kind::Unsupported, format!("stack {} has no codec that can be parted from its channel", request.stack)))
    }

    /// Replays a golden trace.
    fn trace(&mut self, trace: Value) -> Result<Traced, Failure>;

    /// Bytes that the runtime's heap holds.
    fn heap(&mut self) -> Result<u64, Failure>;

    /// Closes everything, in good order.
    fn stop(&mut self) -> Result<(), Failure>;

    /// Whether it has died or left its protocol, so that nothing more can be asked of it.
    fn broken(&self) -> bool {
        false
    }

    /// What the process ends with where `stop` failed.
    fn exit_code(&self) -> u8 {
        1
    }
}
