//! Which address of a name answers first, where the one that is tried swallows packets: RFC 8305 ("happy eyeballs"), section 5.
//!
//! A driver keeps its connections, so that this is asked once, and only if the first address is silent.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::addresses::Addresses;
use crate::wire::Wire;

/// How long an address has before the next one is tried, too: what RFC 8305 recommends.
pub const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// The place of the first address to which a connection is established within `limit`; each begins a delay after the one before it, or as soon as
/// that has failed. The connections are closed again.
pub fn first_to_answer(addresses: &Addresses, limit: Duration) -> Option<usize> {
    let start = Instant::now();
    let mut waiting = addresses.all().iter().enumerate();
    let mut tried: Vec<(usize, Wire)> = Vec::new();
    let mut next = start;
    loop {
        let now = Instant::now();
        if now >= next || tried.is_empty() {
            if let Some((place, address)) = waiting.next() {
                tried.extend(Wire::connect(*address, None).ok().map(|wire| (place, wire)));
                next = now + ATTEMPT_DELAY;
                continue;
            }
            next = start + limit;
        }
        if tried.is_empty() || now >= start + limit {
            return None;
        }
        let until = next.min(start + limit).saturating_duration_since(now);
        let mut polled: Vec<PollFd> = tried.iter().map(|(_, wire)| PollFd::new(wire.as_fd(), PollFlags::POLLOUT)).collect();
        // Rounded up, so that it does not spin for the rest of a millisecond.
        let _ = poll(&mut polled, PollTimeout::try_from(until + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX));
        let ready: Vec<bool> = polled.iter().map(|it| it.any().unwrap_or(false)).collect();
        for at in (0..tried.len()).rev().filter(|at| ready[*at]) {
            match tried[at].1.connecting_failed() {
                None => return Some(tried[at].0),
                Some(_) => drop(tried.remove(at)),
            }
        }
    }
}

/// An address whose packets are swallowed, as long as what comes with it lives: the queue of its listener is full.
#[cfg(test)]
pub fn silent() -> (std::net::SocketAddr, impl Sized) {
    use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage};
    use std::os::fd::AsRawFd;

    let listener = socket::socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).expect("a socket");
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().expect("an address");
    socket::bind(listener.as_raw_fd(), &SockaddrStorage::from(any)).expect("a port");
    socket::listen(&listener, Backlog::new(0).expect("a backlog")).expect("a listener");
    let listener = std::net::TcpListener::from(listener);
    let address = listener.local_addr().expect("an address");
    let filling: Vec<Wire> = (0..4).map(|_| Wire::connect(address, None).expect("an attempt")).collect();
    (address, (listener, filling))
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener};

    use super::*;

    fn answering() -> (SocketAddr, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        (listener.local_addr().expect("an address"), listener)
    }

    fn dead() -> SocketAddr {
        TcpListener::bind("127.0.0.79:0").and_then(|listener| listener.local_addr()).expect("an address")
    }

    #[test]
    fn the_first_address_that_answers_wins_however_many_are_silent_or_dead() {
        let (silent, _queue) = silent();
        let (answering, _listener) = answering();
        let limit = Duration::from_secs(20);
        for (all, winner) in [
            (vec![silent, answering], Some(1)),
            (vec![dead(), silent, dead(), answering], Some(3)),
            (vec![answering, silent], Some(0)),
            (vec![dead(), dead()], None),
        ] {
            assert_eq!(first_to_answer(&Addresses::of(all.iter().copied()).expect("addresses"), limit), winner, "{all:?}");
        }
        let only = Addresses::of([silent]).expect("addresses");
        assert_eq!(first_to_answer(&only, Duration::from_millis(300)), None);
    }
}
