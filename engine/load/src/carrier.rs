//! How the calls of an event loop travel: what the load loop asks of a protocol.

use std::sync::Arc;

use callbench_kit::Failure;

use crate::events::{Event, Events};
use crate::protocol::Protocol;
use crate::request::Values;
use crate::settings::Settings;
use crate::wishes::Wished;

/// A client, and how its call ended.
pub type Ended = (usize, Result<(), Failure>);

/// What is asked in every call, as a protocol writes it.
pub trait Asks: Send + Sync + Sized {
    /// What the core's wishes come to.
    fn of(wished: Wished, protocol: Protocol) -> Result<Self, Failure>;

    fn settings(&self) -> &Settings;
}

/// The connections of an event loop's clients, and the calls under way on them.
pub trait Carrier: Send {
    type Asked: Asks;

    /// For so many clients, of whom up to `streams` share a connection.
    fn new(asked: Arc<Self::Asked>, streams: usize, clients: usize) -> Self;

    /// Makes all further calls by this; where they go stays the same.
    fn go_by(&mut self, asked: &Arc<Self::Asked>);

    /// The body of the answer to the first client's last call, where it was to be kept.
    fn kept(&mut self) -> Vec<u8>;

    /// Octets that have come so far.
    fn received(&self) -> u64;

    /// How many connections so many clients need.
    fn needed(&self, clients: usize) -> usize;

    /// Connections that are open.
    fn connections(&self) -> usize;

    /// Begins to make a connection, for calls to come.
    fn connect(&mut self, place: usize, events: &Events) -> Result<(), Failure>;

    /// After an event, for who only connects: whether a connection has come to be there, with all that calls need.
    fn connects(&mut self, event: Event, scratch: &mut [u8]) -> Result<bool, Failure>;

    /// Begins a call. A failure ends it at once.
    fn begin(&mut self, client: usize, events: &Events, values: impl FnMut() -> Values) -> Result<(), Failure>;

    /// After an event: adds the calls that it ended.
    fn go_on(&mut self, event: Event, events: &Events, scratch: &mut [u8], ended: &mut Vec<Ended>);

    /// Told of each end of a call, also of one that its loop gave up. The connection stays where it can.
    fn end(&mut self, client: usize, result: &Result<(), Failure>);

    /// Sends what calls have left to be sent together.
    fn flush(&mut self);
}
