//! The server side of a session: what is served, and the counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use callbench_service::Service;

use super::answers::{CallCounts, Counted};
use super::checks::{cannot_run_here, service_of, stack_named};
use super::requests::{Serve, ServeAll, bad};
use crate::failure::{Failure, Kind};
use crate::panics;
use crate::processor;
use crate::stack::{Adapter, AllEndpoints, Listen, Server};

pub(super) enum Serving {
    /// A server and its service.
    One(Box<dyn Server>, Arc<Service>),
    All(Box<dyn AllEndpoints>),
}

impl Serving {
    pub(super) fn one(adapter: &dyn Adapter, request: &Serve) -> Result<Self, Failure> {
        let stack = stack_named(adapter, &request.stack)?;
        if let Some(why) = stack.unavailable() {
            return Err(cannot_run_here(&request.stack, &why));
        }
        let service = Arc::new(service_of(request, stack.options())?);
        let at = Listen { host: request.host, port: request.port };
        let server = panics::catch_panic(|| stack.serve(Arc::clone(&service), at, &request.options))?;
        Ok(Serving::One(server, service))
    }

    pub(super) fn all(adapter: &dyn Adapter, request: &ServeAll) -> Result<Self, Failure> {
        let at = Listen { host: request.host, port: request.port };
        panics::catch_panic(|| adapter.serve_all(at, &request.channels).unwrap_or_else(|| Err(no_everything(adapter)))).map(Serving::All)
    }

    /// The endpoint of the only server.
    pub(super) fn endpoint(&self) -> String {
        match self {
            Serving::One(server, _) => server.endpoint(),
            Serving::All(_) => String::new(),
        }
    }

    /// The endpoints of all channels that are on.
    pub(super) fn endpoints(&self) -> BTreeMap<String, String> {
        match self {
            Serving::One(..) => BTreeMap::new(),
            Serving::All(everything) => everything.endpoints().into_iter().collect(),
        }
    }

    pub(super) fn switch(&mut self, channel: &str, on: bool) -> Result<(), Failure> {
        match self {
            Serving::One(..) => Err(bad("one stack is served, which has no channels to switch: say serve-all first".to_owned())),
            Serving::All(everything) => panics::catch_panic(|| everything.switch(channel, on)),
        }
    }

    /// The answered calls since the last request.
    pub(super) fn counted(&self) -> Result<Counted, Failure> {
        match self {
            Serving::One(server, service) => {
                let elsewhere = panics::catch_panic(|| server.remote_counts())?;
                let calls = added(service.counted().into_iter().map(|(call, count)| (call.to_owned(), count)).chain(elsewhere.calls));
                Ok(Counted { calls, endpoints: None, processor: elsewhere.processor.unwrap_or_else(processor::usage) })
            }
            Serving::All(everything) => {
                let endpoints = everything.counted();
                let calls = added(endpoints.values().flatten().map(|(call, count)| (call.clone(), *count)));
                Ok(Counted { calls, endpoints: Some(endpoints), processor: processor::usage() })
            }
        }
    }
}

fn added(counts: impl Iterator<Item = (String, u64)>) -> CallCounts {
    let mut calls = CallCounts::new();
    for (call, count) in counts {
        *calls.entry(call).or_default() += count;
    }
    calls
}

fn no_everything(adapter: &dyn Adapter) -> Failure {
    Failure::new(Kind::Unsupported, format!("the adapter {} has no serve-all: serve one of its stacks", adapter.name()))
}
