//! The load driver as an adapter: clients only, of servers that somebody else runs.

use std::sync::Arc;

use callbench_kit::stack::{Adapter, Client, Connect, Crowd, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::Service;

use crate::crowd::Herds;
use crate::wishes;

pub struct Load {
    stacks: Vec<Box<dyn Stack>>,
}

impl Load {
    #[must_use]
    pub fn new() -> Self {
        Load { stacks: vec![Box::new(Http1)] }
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

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}

/// HTTP/1.1, plain or through TLS. What the URL answers stands for the service's `Hello`.
struct Http1;

impl Stack for Http1 {
    fn name(&self) -> String {
        "http1".to_owned()
    }

    fn options(&self) -> &'static [&'static str] {
        wishes::NAMES
    }

    fn serve(&self, _service: Arc<Service>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        Err(Failure::new(Kind::Unsupported, "the load driver serves nothing: name a server of your own"))
    }

    fn connect(&self, _to: &Connect) -> Result<Box<dyn Client>, Failure> {
        Err(Failure::new(Kind::Internal, "the load driver's clients come together"))
    }

    fn gather(&self, to: &Connect, clients: usize) -> Option<Result<Box<dyn Crowd>, Failure>> {
        Some(Herds::gather(to, clients).map(|herds| Box::new(herds) as Box<dyn Crowd>))
    }
}
