//! All clients of a load, on one event loop per thread.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use callbench_kit::drive::Worker;
use callbench_kit::stack::{ClientPool, Connect};
use callbench_kit::{Failure, Kind};
use callbench_service::Call;
use serde_json::Value;

use crate::carrier::{Carrier, Spec};
use crate::connect_options;
use crate::event_loop::{EventLoop, LoopTask};
use crate::protocol::Protocol;
use crate::tls_mismatch;

/// The clients of a load, spread evenly over event loops.
pub struct EventLoops<C: Carrier> {
    all: Vec<EventLoop<C>>,
    clients: usize,
    to: Connect,
    protocol: Protocol,
    /// The specification of the call `Hello`.
    hello: Arc<C::CallSpec>,
    /// The answers to `FindItems`, by number of items, that the core has checked. Every later answer is compared with them.
    seen: BTreeMap<i32, Vec<u8>>,
}

impl<C: Carrier> EventLoops<C> {
    /// Connects all clients. If connections are not kept, it only checks that the server accepts one.
    pub fn connect_pool(to: &Connect, protocol: Protocol, clients: usize) -> Result<Self, Failure> {
        let parsed = connect_options::read(to, protocol, None)?;
        let (threads, streams) = (parsed.threads.min(clients), parsed.streams);
        let hello = Arc::new(C::CallSpec::of(parsed, protocol)?);
        let numbers = Arc::new(AtomicU64::new(0));
        let shares = shares(clients, threads);
        let mut first = 0;
        let mut event_loops = Vec::with_capacity(threads);
        for share in shares {
            let mut event_loop = EventLoop::new(&hello, streams, Arc::clone(&numbers), first, share)?;
            let settings = hello.settings();
            event_loop
                .connect(if settings.keep_alive { share } else { 1 })
                .map_err(|failure| tls_mismatch::with_tls_hint(&settings.endpoint, failure))?;
            event_loops.push(event_loop);
            first += share;
        }
        Ok(EventLoops { all: event_loops, clients, to: to.clone(), protocol, hello, seen: BTreeMap::new() })
    }

    /// Uses this specification for all further calls.
    fn use_spec(&mut self, spec: &Arc<C::CallSpec>) {
        self.all.iter_mut().for_each(|event_loop| event_loop.use_spec(spec));
    }

    /// Makes one call before the measurement.
    fn first_call(&mut self) -> Result<(), Failure> {
        let endpoint = &self.hello.settings().endpoint;
        self.all[0].call().map_err(|failure| tls_mismatch::with_tls_hint(endpoint, failure))
    }

    /// Requests this number of items once, and returns the body as text. The core checks it.
    fn find_items(&mut self, n: i32) -> Result<Value, Failure> {
        let mut parsed = connect_options::read(&self.to, self.protocol, Some(n))?;
        parsed.expected(|expected| expected.keep_body = true);
        self.use_spec(&Arc::new(C::CallSpec::of(parsed, self.protocol)?));
        self.first_call()?;
        let body = self.all[0].kept_body();
        let text = String::from_utf8(body.clone()).map_err(|error| Failure::protocol(format!("the body is not text: {error}")))?;
        self.seen.insert(n, body);
        Ok(Value::String(text))
    }

    /// The specification with which `FindItems` is driven: each answer must equal the one that the core has checked.
    fn expecting_seen_body(&self, n: i32) -> Result<C::CallSpec, Failure> {
        let mut parsed = connect_options::read(&self.to, self.protocol, Some(n))?;
        let seen = self.seen.get(&n).ok_or_else(|| {
            let message = format!(
                "FindItems of {n} items is driven before it was called: call it first, because its answers are compared with that one"
            );
            Failure::new(Kind::BadRequest, message)
        })?;
        parsed.expected(|expected| {
            // If the body differs in every answer, its checks are used instead.
            if expected.checks.is_empty() {
                expected.body.get_or_insert_with(|| seen.clone());
            }
        });
        C::CallSpec::of(parsed, self.protocol)
    }
}

/// Splits `clients` into parts that differ by at most one.
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

    /// A request to the URL counts as `Hello`, so that any server can be compared with the stacks.
    fn call(&mut self, call: &Call) -> Result<Value, Failure> {
        match call {
            Call::Hello => {
                self.use_spec(&Arc::clone(&self.hello));
                self.first_call()?;
                Ok(Value::String("Hello World".to_owned()))
            }
            Call::FindItems { n } => self.find_items(*n),
            other => Err(unsupported_call(other)),
        }
    }

    fn workers(&mut self, clients: usize, call: &Call) -> Result<Vec<Box<dyn Worker + '_>>, Failure> {
        let spec = match call {
            Call::Hello => Arc::clone(&self.hello),
            Call::FindItems { n } => Arc::new(self.expecting_seen_body(*n)?),
            other => return Err(unsupported_call(other)),
        };
        self.use_spec(&spec);
        let threads = self.all.len().min(clients);
        let tasks = self.all.iter_mut().zip(shares(clients, threads)).enumerate();
        let task = |(place, (event_loop, own))| LoopTask { event_loop, clients: own, place, event_loops: threads, of: clients };
        Ok(tasks.map(|it| Box::new(task(it)) as Box<dyn Worker>).collect())
    }
}

fn unsupported_call(call: &Call) -> Failure {
    Failure::new(Kind::CannotCarry, format!("the load driver has one request, for Hello or FindItems, not for {}", call.name()))
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
