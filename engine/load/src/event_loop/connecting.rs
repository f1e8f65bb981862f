//! The connections of an event loop, before any call.

use std::time::Duration;

use callbench_kit::{Failure, Kind, clock};

use super::EventLoop;
use crate::carrier::{Carrier, Spec};

/// The limit of simultaneous connection attempts. More could overflow the queue of a listener.
const MAX_CONNECTING: usize = 64;

impl<C: Carrier> EventLoop<C> {
    /// Connects the first `clients` clients, a few at a time.
    pub fn connect(&mut self, clients: usize) -> Result<(), Failure> {
        let wanted = self.carrier.connections_needed(clients);
        let (mut begun, mut done) = (0, 0);
        let mut last = clock::now();
        // Where the first address of a name is silent, the others are asked once.
        let patience = self.spec.settings().endpoint.addresses.patience();
        let mut race_at = patience.map(|patience| last.saturating_add(patience.as_nanos() as u64));
        while done < wanted {
            while begun < wanted && begun - done < MAX_CONNECTING {
                self.carrier.connect(begun, &self.events)?;
                begun += 1;
            }
            let give_up = last.saturating_add(self.timeout_ns());
            let count = self.events.wait_until(race_at.map_or(give_up, |at| at.min(give_up)));
            for place in 0..count {
                let event = self.events.at(place);
                if self.carrier.continue_connect(event, &self.events, &mut self.scratch)? {
                    done += 1;
                    last = clock::now();
                }
            }
            if race_at.is_some_and(|at| clock::now() >= at) {
                race_at = None;
                self.connect_elsewhere(begun)?;
            }
            if done < wanted && clock::now() >= last.saturating_add(self.timeout_ns()) {
                return Err(Failure::new(Kind::Timeout, format!("connection {} was not established in time", done + 1)));
            }
        }
        Ok(())
    }

    /// Begins the first `begun` connections again with the address that answers, if none has answered so far.
    fn connect_elsewhere(&mut self, begun: usize) -> Result<(), Failure> {
        let addresses = self.spec.settings().endpoint.addresses.clone();
        if addresses.patience().is_some() && addresses.prefer_first_to_answer(Duration::from_nanos(self.timeout_ns())) {
            (0..begun).try_for_each(|place| self.carrier.connect(place, &self.events))?;
        }
        Ok(())
    }
}
