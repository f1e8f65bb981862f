//! A running server: the resolver and the exporter, each on its own port, and the interval of pings.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

use callbench_kit::Failure;
use callbench_kit::stack::{Listen, Server};
use callbench_service::Service;
use callbench_transport::acceptor::Acceptor;
use callbench_transport::network;

use crate::connection::{Interfaces, Manner, host};
use crate::exporter::Exporter;
use crate::objref::Bindings;
use crate::pings::PingSets;
use crate::resolver::Resolver;
use crate::settings::Settings;
use crate::skeleton::Skeleton;

pub struct Running {
    endpoint: String,
    _servers: [Box<dyn Server>; 2],
    /// Dropped, it ends the thread that counts periods.
    stop: Option<Sender<()>>,
    periods: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start(service: Arc<Service>, at: Listen, settings: Settings) -> Result<Self, Failure> {
        let resolving = network::listen(at)?;
        let exporting = network::listen(Listen { port: 0, ..at })?;
        let (resolver_at, exporter_at) = (address(&resolving)?, address(&exporting)?);
        let (exporter, sets) = (Arc::new(Exporter::new()?), Arc::new(PingSets::new()?));
        let resolver = Resolver {
            exporter: Arc::clone(&exporter),
            sets: Arc::clone(&sets),
            exporting: Bindings(vec![exporter_at]),
            resolving: Bindings(vec![resolver_at.clone()]),
        };
        let skeleton = Skeleton { exporter: Arc::clone(&exporter), service };
        let servers = [play(resolving, resolver, settings.fragment)?, play(exporting, skeleton, settings.fragment)?];
        let (stop, stopped) = mpsc::channel();
        let periods = thread::Builder::new().name("periods".to_owned()).spawn(move || {
            while stopped.recv_timeout(settings.ping) == Err(RecvTimeoutError::Timeout) {
                exporter.tick();
                sets.tick();
            }
        })?;
        Ok(Running { endpoint: resolver_at, _servers: servers, stop: Some(stop), periods: Some(periods) })
    }
}

/// As string bindings have it: `127.0.0.1[40001]`.
fn address(listener: &TcpListener) -> Result<String, Failure> {
    let at = listener.local_addr()?;
    Ok(format!("{}[{}]", at.ip(), at.port()))
}

fn play(listener: TcpListener, interfaces: impl Interfaces, fragment: u16) -> Result<Box<dyn Server>, Failure> {
    let port = listener.local_addr()?.port().to_string();
    let manner = Manner { port: port.clone(), fragment };
    Acceptor::start(port, listener, move |socket: Arc<OwnedFd>, ending| {
        // How a connection ended is its client's to know.
        let _ = host(&socket, &interfaces, &manner, ending);
    })
}

impl Server for Running {
    fn endpoint(&self) -> String {
        self.endpoint.clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(periods) = self.periods.take() {
            let _ = periods.join();
        }
    }
}
