//! The server side of a session: what is served, and the counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use callbench_service::Service;

use super::checks::{cannot_run_here, service_of, stack_named};
use super::requests::{Serve, ServeAll, bad};
use crate::failure::{Failure, Kind};
use crate::panics;
use crate::processor::{self, Usage};
use crate::stack::{Adapter, AllEndpoints, Listen, Server};

/// A server and its service.
pub(super) struct Serving {
    what: What,
    service: Arc<Service>,
}

enum What {
    One(Box<dyn Server>),
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
        Ok(Serving { what: What::One(server), service })
    }

    pub(super) fn all(adapter: &dyn Adapter, request: &ServeAll) -> Result<Self, Failure> {
        let service = Arc::new(Service::default());
        let at = Listen { host: request.host, port: request.port };
        let everything = panics::catch_panic(|| {
            adapter.serve_all(Arc::clone(&service), at, &request.channels).unwrap_or_else(|| Err(no_everything(adapter)))
        })?;
        Ok(Serving { what: What::All(everything), service })
    }

    /// The endpoint of the only server.
    pub(super) fn endpoint(&self) -> String {
        match &self.what {
            What::One(server) => server.endpoint(),
            What::All(_) => String::new(),
        }
    }

    /// The endpoints of all channels that are on.
    pub(super) fn endpoints(&self) -> BTreeMap<String, String> {
        match &self.what {
            What::One(_) => BTreeMap::new(),
            What::All(everything) => everything.endpoints().into_iter().collect(),
        }
    }

    pub(super) fn switch(&mut self, channel: &str, on: bool) -> Result<(), Failure> {
        match &mut self.what {
            What::One(_) => Err(bad("one stack is served, which has no channels to switch: say serve-all first".to_owned())),
            What::All(everything) => panics::catch_panic(|| everything.switch(channel, on)),
        }
    }

    /// The answered calls by name since the last request, and the processor time of the server process.
    pub(super) fn counted(&self) -> Result<(BTreeMap<String, u64>, Usage), Failure> {
        let mut counts: BTreeMap<String, u64> = self.service.counted().into_iter().map(|(call, count)| (call.to_owned(), count)).collect();
        if let What::One(server) = &self.what {
            let elsewhere = panics::catch_panic(|| server.remote_counts())?;
            for (call, count) in elsewhere.calls {
                *counts.entry(call).or_default() += count;
            }
            if let Some(processor) = elsewhere.processor {
                return Ok((counts, processor));
            }
        }
        Ok((counts, processor::usage()))
    }
}

fn no_everything(adapter: &dyn Adapter) -> Failure {
    Failure::new(Kind::Unsupported, format!("the adapter {} has no serve-all: serve one of its stacks", adapter.name()))
}
