//! One file a channel. Adding one: write it, name it in `all`, add it to `adapter.toml`.

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_kit::stack::{Connect, Listen, Options, Server};

/// What a server does with a request: turns its bytes into the answer's. `out` comes empty.
pub trait Handler: Send + Sync + 'static {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>);
}

/// One message's place on a server. Channels without paths have exactly one.
#[derive(Clone)]
pub struct Route {
    /// `soap`, `xmlrpc` ...: the path over HTTP, the name given to the library.
    pub path: &'static str,
    pub content_type: &'static str,
    /// Media type and text served at `PATH?wsdl`, given the endpoint's own URL.
    pub description: fn(&str) -> Option<(&'static str, String)>,
    pub handler: Arc<dyn Handler>,
}

/// How bytes travel.
pub trait Channel: Send + Sync + 'static {
    /// The name in a stack's name.
    fn name(&self) -> &'static str;

    /// Why it cannot run on this machine, if it cannot.
    fn unavailable(&self) -> Option<String> {
        None
    }

    /// Serves `routes`; more than one only where the channel has paths.
    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure>;

    fn connect(&self, path: &'static str, content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure>;
}

/// A client's end of a channel.
pub trait Connection: Send {
    /// Sends a request and waits for its answer, which is good until the next call.
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure>;

    /// Connections open between calls.
    fn connections(&self) -> usize {
        1
    }
}
