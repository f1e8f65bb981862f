//! A client's connection: the addresses of the name are tried in turn, then TLS.

use callbench_kit::{Failure, Kind};

use super::{Client, Doing};
use crate::events::{Event, Events};
use crate::settings::Settings;
use crate::wire::Wire;

impl Client {
    /// Starts to connect.
    pub(super) fn connect(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        self.attempts = settings.endpoint.addresses.begin();
        self.kept = false;
        self.try_address(settings, events)
    }

    /// Starts to connect to the first further address with which that is possible.
    fn try_address(&mut self, settings: &Settings, events: &Events) -> Result<(), Failure> {
        let addresses = &settings.endpoint.addresses;
        loop {
            self.generation = self.generation.wrapping_add(1);
            match Wire::connect(addresses.current(self.attempts), settings.tls.as_ref()) {
                Ok(wire) => {
                    events.watch(&wire, self.token())?;
                    self.wire = Some(wire);
                    self.doing = Doing::Connecting;
                    return Ok(());
                }
                Err(failure) => addresses.next(&mut self.attempts, failure)?,
            }
        }
    }

    /// Handles the first event of a connection. Returns whether it is established; if not, the next address is tried.
    pub(super) fn is_established(&mut self, settings: &Settings, events: &Events) -> Result<bool, Failure> {
        let addresses = &settings.endpoint.addresses;
        let Some(failure) = self.wire.as_mut().and_then(Wire::connecting_failed) else {
            addresses.connected(self.attempts);
            return Ok(true);
        };
        addresses.next(&mut self.attempts, failure)?;
        self.try_address(settings, events)?;
        Ok(false)
    }

    /// Handles an event while connecting. Returns whether the connection is ready, including TLS.
    pub(super) fn continue_connect(&mut self, event: Event, settings: &Settings, events: &Events) -> Result<bool, Failure> {
        let connecting = self.doing == Doing::Connecting && (event.token >> 32) as u32 == self.generation;
        if !connecting || !self.is_established(settings, events)? {
            return Ok(false);
        }
        let Some(wire) = self.wire.as_mut() else { return Ok(false) };
        let connected = wire.continue_handshake()?;
        if connected {
            self.doing = Doing::Nothing;
            // The server's end may come with the same event. No other event tells of it.
            if event.ended() {
                self.close();
            }
        } else if event.ended() {
            return Err(Failure::new(Kind::Closed, "the server closed the connection before it was established"));
        }
        Ok(connected)
    }
}
