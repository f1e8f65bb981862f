//! The adapter of the load driver: clients only, for servers that are started elsewhere.

use std::sync::Arc;

use callbench_kit::stack::{Adapter, Client, ClientPool, Connect, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::Service;

use crate::client;
use crate::client_pool::EventLoops;
use crate::connect_options;
use crate::h2;
use crate::protocol::Protocol;

pub struct Load {
    stacks: Vec<Box<dyn Stack>>,
}

impl Load {
    #[must_use]
    pub fn new() -> Self {
        let stack = |name, protocol| Box::new(Http { name, protocol }) as Box<dyn Stack>;
        Load { stacks: vec![stack("http1", Protocol::Http1), stack("h2", Protocol::Http2), stack("grpc", Protocol::Grpc)] }
    }
}

impl Default for Load {
    fn default() -> Self {
        Load::new()
    }
}

impl Adapter for Load {
    fn name(&self) -> &'static str {
        "load"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn supports_traces(&self) -> bool {
        false
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}

/// HTTP in one of its versions, with or without TLS. A request to the URL counts as the call `Hello` of the service.
struct Http {
    name: &'static str,
    protocol: Protocol,
}

impl Stack for Http {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn options(&self) -> &'static [&'static str] {
        connect_options::NAMES
    }

    fn serve(&self, _service: Arc<Service>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        Err(Failure::new(Kind::Unsupported, "the load driver has no servers: give the URL of a server"))
    }

    fn connect(&self, _to: &Connect) -> Result<Box<dyn Client>, Failure> {
        Err(Failure::new(Kind::Internal, "the load driver creates all its clients at once"))
    }

    fn connect_pool(&self, to: &Connect, clients: usize) -> Option<Result<Box<dyn ClientPool>, Failure>> {
        Some(if self.protocol == Protocol::Http1 {
            EventLoops::<client::Clients>::connect_pool(to, self.protocol, clients)
                .map(|event_loops| Box::new(event_loops) as Box<dyn ClientPool>)
        } else {
            EventLoops::<h2::Clients>::connect_pool(to, self.protocol, clients)
                .map(|event_loops| Box::new(event_loops) as Box<dyn ClientPool>)
        })
    }
}
