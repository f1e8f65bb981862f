//! The native adapter: every message over every channel that carries it.

use std::collections::BTreeMap;
use std::sync::Arc;

use callbench_kit::stack::{Adapter, AllEndpoints, CallCounts, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::Service;

use crate::libraries;
use crate::stack::{MessageOverChannel, route};
use callbench_codec::{self, Message};
use callbench_own as own;
use callbench_transport::{self, Channel, OwnCalls, carry_own};

/// All stacks, composed when the program starts.
pub struct Native {
    stacks: Vec<Box<dyn Stack>>,
}

impl Native {
    #[must_use]
    pub fn new() -> Self {
        carry_own(OwnCalls { service: own::GRPC, calls: own::CALLS, first: own::FIRST_TAG as usize });
        let messages = callbench_codec::all();
        let stacks = callbench_transport::all()
            .into_iter()
            .flat_map(|channel| messages.iter().map(move |message| (Arc::clone(message), Arc::clone(&channel))))
            .filter(|(message, channel)| channel.carries(message.name()))
            .map(|(message, channel)| Box::new(MessageOverChannel::new(message, channel)) as Box<dyn Stack>)
            .collect();
        Native { stacks }
    }
}

impl Default for Native {
    fn default() -> Self {
        Native::new()
    }
}

impl Adapter for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        libraries::LIBRARIES.iter().map(|(name, version)| (*name, (*version).to_owned())).collect()
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }

    fn supports_serve_all(&self) -> bool {
        true
    }

    fn serve_all(&self, at: Listen, channels: &[String]) -> Option<Result<Box<dyn AllEndpoints>, Failure>> {
        Some(Served::start(at, channels).map(|served| Box::new(served) as Box<dyn AllEndpoints>))
    }
}

/// Every message over the channels that are on.
struct Served {
    /// The service of each endpoint that was on at some time, so that each counts for itself.
    services: BTreeMap<String, Arc<Service>>,
    /// The service that the others are made beside. It answers nothing.
    first: Service,
    at: Listen,
    on: BTreeMap<&'static str, Open>,
    /// The fixed port of each channel. It is used again when the channel is switched on again.
    ports: BTreeMap<&'static str, u16>,
}

/// The running servers of one channel, with the endpoint of each message.
struct Open {
    _servers: Vec<Box<dyn Server>>,
    endpoints: Vec<(String, String)>,
}

impl Served {
    fn start(at: Listen, channels: &[String]) -> Result<Self, Failure> {
        let mut served = Served { services: BTreeMap::new(), first: Service::default(), at, on: BTreeMap::new(), ports: BTreeMap::new() };
        for channel in channels {
            served.switch(channel, true)?;
        }
        Ok(served)
    }

    /// Channels with paths have one server for all messages, the others one per message.
    fn open(&mut self, channel: &dyn Channel) -> Result<Open, Failure> {
        let messages: Vec<_> = callbench_codec::all().into_iter().filter(|message| channel.carries(message.name())).collect();
        let name = |message: &Arc<dyn Message>| format!("native/{}+{}", message.name(), channel.name());
        let routes: Vec<_> = messages.iter().map(|message| route(message, self.service_of(name(message)))).collect();
        if channel.has_paths() {
            let port = if channel.takes_a_port() { self.fixed_port(channel.name())? } else { 0 };
            let at = Listen { port, ..self.at };
            let server = channel.serve(routes, at, &Options::new())?;
            let base = server.endpoint();
            let endpoints = messages.iter().map(|message| (name(message), channel.within(&base, message.name()))).collect();
            return Ok(Open { _servers: vec![server], endpoints });
        }
        // Fixed ports belong to HTTP: the others need one for each message.
        let at = Listen { port: 0, ..self.at };
        let mut servers = Vec::new();
        let mut endpoints = Vec::new();
        for (message, only) in messages.iter().zip(routes) {
            let server = channel.serve(vec![only], at, &Options::new())?;
            endpoints.push((name(message), server.endpoint()));
            servers.push(server);
        }
        Ok(Open { _servers: servers, endpoints })
    }

    /// The service of an endpoint: the same one again after the endpoint was off.
    fn service_of(&mut self, name: String) -> &Arc<Service> {
        let first = &self.first;
        self.services.entry(name).or_insert_with(|| Arc::new(first.beside()))
    }

    /// The port of a channel with paths: the requested one, or the next one that no other such channel has.
    fn fixed_port(&mut self, channel: &'static str) -> Result<u16, Failure> {
        if self.at.port == 0 {
            return Ok(0);
        }
        if let Some(port) = self.ports.get(channel) {
            return Ok(*port);
        }
        let port = u16::try_from(usize::from(self.at.port) + self.ports.len()).map_err(|_| {
            Failure::new(Kind::BadRequest, format!("no port is left behind {} for the channel {channel}: give a lower one", self.at.port))
        })?;
        self.ports.insert(channel, port);
        Ok(port)
    }
}

impl AllEndpoints for Served {
    fn endpoints(&self) -> Vec<(String, String)> {
        self.on.values().flat_map(|open| open.endpoints.iter().cloned()).collect()
    }

    fn switch(&mut self, channel: &str, on: bool) -> Result<(), Failure> {
        let channels = callbench_transport::all();
        let found = channels.iter().filter(|it| !it.in_process()).find(|it| it.name() == channel).ok_or_else(|| {
            let names: Vec<_> = channels.iter().filter(|it| !it.in_process()).map(|it| it.name()).collect();
            Failure::new(Kind::BadRequest, format!("{channel} is no channel that others can reach: there are {}", names.join(", ")))
        })?;
        if !on {
            self.on.remove(found.name());
        } else if !self.on.contains_key(found.name()) {
            let open = self.open(found.as_ref())?;
            self.on.insert(found.name(), open);
        }
        Ok(())
    }

    fn counted(&self) -> BTreeMap<String, CallCounts> {
        let counted = |service: &Service| service.counted().into_iter().map(|(call, count)| (call.to_owned(), count)).collect();
        self.services
            .iter()
            .map(|(name, service)| (name.clone(), counted(service)))
            .filter(|(_, calls): &(_, CallCounts)| !calls.is_empty())
            .collect()
    }
}
