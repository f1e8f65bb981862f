//! The interface behind a session.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answers::{Counted, Done, Hello, Returned, Traced};
use super::requests::{Codec, Connect, Drive, Serve, ServeAll};
use crate::codec::Timed;
use crate::drive::Interval;
use crate::failure::{Failure, Kind};

/// Handles requests: with the stacks of a Rust adapter, or with a runner in another language. The session itself checks what is common to both:
/// lines, ids, and whether something is served.
pub trait Handler {
    fn hello(&self) -> Hello;

    /// Starts to serve and returns the endpoint. Called only if nothing is served.
    fn serve(&mut self, request: &Serve) -> Result<String, Failure>;

    fn serve_all(&mut self, _request: &ServeAll) -> Result<BTreeMap<String, String>, Failure> {
        Err(Failure::new(Kind::Unsupported, "this adapter has no serve-all: serve one of its stacks"))
    }

    /// Switches a channel of `serve_all` on or off.
    fn switch(&mut self, _channel: &str, _on: bool) -> Result<BTreeMap<String, String>, Failure> {
        Err(Failure::new(Kind::Unsupported, "this adapter has no serve-all, so it has no channels to switch"))
    }

    fn stop_serving(&mut self) -> Result<(), Failure>;

    /// The calls that the server has answered since the last request.
    fn counted(&mut self) -> Result<Counted, Failure>;

    /// Replaces the clients. Returns the number of open connections.
    fn connect(&mut self, request: &Connect) -> Result<usize, Failure>;

    fn disconnect(&mut self) -> Result<(), Failure>;

    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<Returned, Failure>;

    /// Drives the requested clients. `report` receives the intervals. It returns false if the drive must end.
    fn drive(&mut self, request: &Drive, report: &mut dyn FnMut(Interval) -> bool) -> Result<Done, Failure>;

    fn codec(&mut self, request: &Codec) -> Result<Timed, Failure> {
        Err(Failure::new(Kind::Unsupported, format!("stack {} has no codec that can be parted from its channel", request.stack)))
    }

    /// Replays a golden trace.
    fn trace(&mut self, trace: Value) -> Result<Traced, Failure>;

    /// The bytes that the runtime's heap uses.
    fn heap(&mut self) -> Result<u64, Failure>;

    /// Closes everything in the right order.
    fn stop(&mut self) -> Result<(), Failure>;

    /// Whether the handler has ended or violated its protocol, so that it cannot be used any more.
    fn broken(&self) -> bool {
        false
    }

    /// The exit code of the process if `stop` failed.
    fn exit_code(&self) -> u8 {
        1
    }
}
