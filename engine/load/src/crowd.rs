//! All the clients: herds of them, a thread each, as the kit drives them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use callbench_kit::drive::Worker;
use callbench_kit::stack::Crowd;
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call};

use crate::endpoint::Endpoint;
use crate::expected::Expected;
use crate::herd::{Herd, Shift};
use crate::request::Request;
use crate::wire::Tls;

/// What every client does.
#[derive(Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub tls: Option<Tls>,
    pub request: Request,
    pub expected: Expected,
    /// Whether a connection serves more than one call.
    pub keeps: bool,
    /// A call that has had no answer for so long has failed.
    pub timeout_ns: u64,
    /// A body of more octets is an error.
    pub most: u64,
}

/// The clients of a load, in herds of about the same size.
pub struct Herds {
    herds: Vec<Herd>,
    clients: usize,
}

impl Herds {
    /// Connects so many clients, where connections are kept; else it makes sure that the server can be connected to.
    pub fn gather(settings: &Arc<Settings>, clients: usize, threads: usize) -> Result<Self, Failure> {
        let threads = threads.min(clients);
        let numbers = Arc::new(AtomicU64::new(0));
        let shares = shares(clients, threads);
        let mut first = 0;
        let mut herds = Vec::with_capacity(threads);
        for share in shares {
            let mut herd = Herd::new(Arc::clone(settings), Arc::clone(&numbers), first, share)?;
            herd.connect(if settings.keeps { share } else { 1 })?;
            herds.push(herd);
            first += share;
        }
        Ok(Herds { herds, clients })
    }
}

/// `clients` in so many parts that differ by at most one.
fn shares(clients: usize, parts: usize) -> Vec<usize> {
    (0..parts).map(|part| clients / parts + usize::from(part < clients % parts)).collect()
}

impl Crowd for Herds {
    fn clients(&self) -> usize {
        self.clients
    }

    fn connections(&self) -> usize {
        self.herds.iter().map(Herd::connections).sum()
    }

    /// What the URL answers stands for `Hello`, so that a foreign server has its place beside the others.
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        only_hello(call)?;
        self.herds[0].call()?;
        Ok(Answer::Text("Hello World".to_owned()))
    }

    fn workers(&mut self, clients: usize, call: &Call) -> Result<Vec<Box<dyn Worker + '_>>, Failure> {
        only_hello(call)?;
        let threads = self.herds.len().min(clients);
        let shifts = self.herds.iter_mut().zip(shares(clients, threads));
        Ok(shifts.map(|(herd, clients)| Box::new(Shift { herd, clients }) as Box<dyn Worker>).collect())
    }
}

fn only_hello(call: &Call) -> Result<(), Failure> {
    match call {
        Call::Hello => Ok(()),
        other => {
            Err(Failure::new(Kind::CannotCarry, format!("the load driver knows one request, which stands for Hello, not {}", other.name())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_are_even_and_lose_nobody(clients in 1_usize..500, parts in 1_usize..20) {
            let shares = shares(clients, parts.min(clients));
            prop_assert_eq!(shares.iter().sum::<usize>(), clients);
            prop_assert!(shares.iter().all(|share| share.abs_diff(shares[0]) <= 1 && *share > 0));
        }
    }
}
