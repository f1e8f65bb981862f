//! The addresses of a host name. They are tried in turn, from the one that worked last. Where that is silent, the first to answer is found (`race`).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use callbench_kit::{Failure, Kind};

use crate::race;

#[derive(Clone, Debug)]
pub struct Addresses {
    /// At least one, each once.
    all: Arc<[SocketAddr]>,
    preferred: Arc<AtomicUsize>,
    /// Whether one of them has answered.
    reached: Arc<AtomicBool>,
}

/// The attempts of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempts {
    first: usize,
    failed: usize,
}

impl Addresses {
    /// None: there is no address.
    pub fn of(addresses: impl IntoIterator<Item = SocketAddr>) -> Option<Self> {
        let mut all: Vec<SocketAddr> = Vec::new();
        for address in addresses {
            if !all.contains(&address) {
                all.push(address);
            }
        }
        (!all.is_empty()).then(|| Addresses { all: all.into(), preferred: Arc::default(), reached: Arc::default() })
    }

    /// All addresses, in the order of the name.
    #[must_use]
    pub fn all(&self) -> &[SocketAddr] {
        &self.all
    }

    /// The attempts of a new connection.
    #[must_use]
    pub fn begin(&self) -> Attempts {
        Attempts { first: self.preferred.load(Relaxed), failed: 0 }
    }

    /// The address that is tried now.
    #[must_use]
    pub fn current(&self, attempts: Attempts) -> SocketAddr {
        self.all[(attempts.first + attempts.failed) % self.all.len()]
    }

    /// Later connections begin with the address that is tried now.
    pub fn connected(&self, attempts: Attempts) {
        self.reached.store(true, Relaxed);
        if attempts.failed > 0 {
            self.preferred.store((attempts.first + attempts.failed) % self.all.len(), Relaxed);
        }
    }

    /// How long to wait for the first connection before the other addresses are asked; None: there are none, or one has answered.
    #[must_use]
    pub fn patience(&self) -> Option<Duration> {
        (self.all.len() > 1 && !self.reached.load(Relaxed)).then_some(race::ATTEMPT_DELAY)
    }

    /// Later connections begin with the address that answers first. Returns whether there is one.
    #[must_use]
    pub fn prefer_first_to_answer(&self, limit: Duration) -> bool {
        let first = race::first_to_answer(self, limit);
        if let Some(place) = first {
            self.preferred.store(place, Relaxed);
            self.reached.store(true, Relaxed);
        }
        first.is_some()
    }

    /// Goes on to the next address, since no connection to this one could be made. Fails after the last.
    pub fn next(&self, attempts: &mut Attempts, failure: Failure) -> Result<(), Failure> {
        // Where the server broke or refused an established connection, it was the right one.
        if matches!(failure.kind, Kind::Reset | Kind::Closed | Kind::Certificate | Kind::Protocol) {
            return Err(failure);
        }
        attempts.failed += 1;
        match self.all.len() {
            count if attempts.failed < count => Ok(()),
            1 => Err(failure),
            count => {
                let last = self.current(Attempts { failed: attempts.failed - 1, ..*attempts });
                let why =
                    format!("none of the {count} addresses of this name can be connected to; the last one, {last}: {}", failure.message);
                Err(Failure::new(failure.kind, why))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> Failure {
        Failure::new(Kind::Refused, "no server listens on this port")
    }

    #[test]
    fn every_address_is_tried_once_and_the_one_that_works_is_remembered() {
        let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let (six, four) = (address("[::1]:80"), address("127.0.0.1:80"));
        let addresses = Addresses::of([six, four, six]).expect("addresses");
        let mut attempts = addresses.begin();
        assert_eq!(addresses.current(attempts), six);
        addresses.next(&mut attempts, refused()).expect("another address");
        assert_eq!(addresses.current(attempts), four);
        addresses.connected(attempts);
        let mut later = addresses.begin();
        assert_eq!(addresses.current(later), four);
        addresses.next(&mut later, refused()).expect("the first address");
        assert_eq!(addresses.current(later), six);
        let failure = addresses.next(&mut later, refused()).expect_err("no further address");
        assert_eq!(failure.kind, Kind::Refused);
        assert!(failure.message.contains("none of the 2 addresses") && failure.message.contains("[::1]:80"), "{}", failure.message);
    }

    #[test]
    fn a_broken_connection_is_no_reason_for_another_address() {
        let addresses = Addresses::of(["[::1]:80", "127.0.0.1:80"].map(|text| text.parse().expect("an address"))).expect("addresses");
        let reset = Failure::new(Kind::Reset, "the server reset the connection");
        assert_eq!(addresses.next(&mut addresses.begin(), reset).expect_err("the end").kind, Kind::Reset);
    }
}
