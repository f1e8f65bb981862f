//! All clients of a load, on event loops with a thread each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use callbench_kit::drive::Worker;
use callbench_kit::stack::{ClientPool, Connect};
use callbench_kit::{Failure, Kind};
use callbench_service::Call;
use serde_json::Value;

use crate::carrier::{Asks, Carrier};
use crate::event_loop::{EventLoop, LoopTask};
use crate::mistaken;
use crate::protocol::Protocol;
use crate::wishes;

/// The clients of a load, spread evenly over event loops.
pub struct EventLoops<C: Carrier> {
    all: Vec<EventLoop<C>>,
    clients: usize,
    to: Connect,
    protocol: Protocol,
    /// How they call where the request stands for `Hello`.
    hello: Arc<C::Asked>,
    /// What `FindItems` of so many items answered when the core looked at it: every later answer is held against it.
    seen: BTreeMap<i32, Vec<u8>>,
}

impl<C: Carrier> EventLoops<C> {
    /// Connects so many clients, where connections are kept; else it makes sure that the server can be connected to.
    pub fn gather(to: &Connect, protocol: Protocol, clients: usize) -> Result<Self, Failure> {
        let wished = wishes::read(to, protocol, None)?;
        let (threads, streams) = (wished.threads.min(clients), wished.streams);
        let hello = Arc::new(C::Asked::of(wished, protocol)?);
        let numbers = Arc::new(AtomicU64::new(0));
        let shares = shares(clients, threads);
        let mut first = 0;
        let mut event_loops = Vec::with_capacity(threads);
        for share in shares {
            let mut event_loop = EventLoop::new(&hello, streams, Arc::clone(&numbers), first, share)?;
            let settings = hello.settings();
            event_loop
                .connect(if settings.keeps { share } else { 1 })
                .map_err(|failure| mistaken::explained(&settings.endpoint, failure))?;
            event_loops.push(event_loop);
            first += share;
        }
        Ok(EventLoops { all: event_loops, clients, to: to.clone(), protocol, hello, seen: BTreeMap::new() })
    }

    /// How all clients call from now on.
    fn go_by(&mut self, asked: &Arc<C::Asked>) {
        self.all.iter_mut().for_each(|event_loop| event_loop.go_by(asked));
    }

    /// One call, before any is measured.
    fn first_call(&mut self) -> Result<(), Failure> {
        let endpoint = &self.hello.settings().endpoint;
        self.all[0].call().map_err(|failure| mistaken::explained(endpoint, failure))
    }

    /// Asks for so many items once, and gives the answer's body as a text, for the core to judge.
    fn find_items(&mut self, n: i32) -> Result<Value, Failure> {
        let mut wished = wishes::read(&self.to, self.protocol, Some(n))?;
        wished.expected(|expected| expected.keeps = true);
        self.go_by(&Arc::new(C::Asked::of(wished, self.protocol)?));
        self.first_call()?;
        let body = self.all[0].kept();
        let text = String::from_utf8(body.clone()).map_err(|error| Failure::protocol(format!("the body is no text: {error}")))?;
        self.seen.insert(n, body);
        Ok(Value::String(text))
    }

    /// How `FindItems` is driven: each answer must be the one that the core has looked at.
    fn as_seen(&self, n: i32) -> Result<C::Asked, Failure> {
        let mut wished = wishes::read(&self.to, self.protocol, Some(n))?;
        let seen = self.seen.get(&n).ok_or_else(|| {
            let message = format!("FindItems of {n} items is driven before it was called: its answers are held against that one's");
            Failure::new(Kind::BadRequest, message)
        })?;
        wished.expected(|expected| {
            // What the server says anew in each answer is checked by what is in it.
            if expected.checks.is_empty() {
                expected.body.get_or_insert_with(|| seen.clone());
            }
        });
        C::Asked::of(wished, self.protocol)
    }
}

/// `clients` in so many parts that differ by at most one.
fn shares(clients: usize, parts: usize) -> Vec<usize> {
    (0..parts).map(|part| clients / parts + usize::from(part < clients % parts)).collect()
}

impl<C: Carrier> ClientPool for EventLoops<C> {
    fn clients(&self) -> usize {
        self.clients
    }

    fn connections(&self) -> usize {
        self.all.iter().map(EventLoop::connections).sum()
    }

    /// What the URL answers stands for `Hello`, so that a foreign server has its place beside the others.
    fn call(&mut self, call: &Call) -> Result<Value, Failure> {
        match call {
            Call::Hello => {
                self.go_by(&Arc::clone(&self.hello));
                self.first_call()?;
                Ok(Value::String("Hello World".to_owned()))
            }
            Call::FindItems { n } => self.find_items(*n),
            other => Err(stands_for_neither(other)),
        }
    }

    fn workers(&mut self, clients: usize, call: &Call) -> Result<Vec<Box<dyn Worker + '_>>, Failure> {
        let asked = match call {
            Call::Hello => Arc::clone(&self.hello),
            Call::FindItems { n } => Arc::new(self.as_seen(*n)?),
            other => return Err(stands_for_neither(other)),
        };
        self.go_by(&asked);
        let threads = self.all.len().min(clients);
        let shifts = self.all.iter_mut().zip(shares(clients, threads)).enumerate();
        let task = |(place, (event_loop, own))| LoopTask { event_loop, clients: own, place, event_loops: threads, of: clients };
        Ok(shifts.map(|it| Box::new(task(it)) as Box<dyn Worker>).collect())
    }
}

fn stands_for_neither(call: &Call) -> Failure {
    Failure::new(Kind::CannotCarry, format!("the load driver knows one request, which stands for Hello or FindItems, not {}", call.name()))
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
