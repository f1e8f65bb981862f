//! What every channel must do, run over each of them; what one alone does is in a file of its own.

mod every;
mod garbage;
mod memory;

use std::sync::Arc;
use std::time::Duration;

use callbench_contract::endpoint::{Connect, Listen, Options, Server};

use super::{AnswerKind, Channel, Connection, Handler, Route};

/// Answers with the request, waiting first for as many milliseconds as a request `wait N` says.
pub struct Echo;

impl Handler for Echo {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        if let Some(time) = request.strip_prefix(b"wait ") {
            std::thread::sleep(Duration::from_millis(String::from_utf8_lossy(time).parse().unwrap()));
        }
        out.extend_from_slice(request);
        if request == b"fault" { AnswerKind::Fault } else { AnswerKind::Answer }
    }
}

pub fn route(handler: impl Handler) -> Route {
    Route {
        path: "echo",
        content_type: "application/octet-stream",
        fault_status: 500,
        description: Arc::new(|url| Some(("text/plain", format!("echo at {url}")))),
        handler: Arc::new(handler),
    }
}

pub const HERE: Listen = Listen { host: std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), port: 0 };
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn options(pairs: &[(&str, serde_json::Value)]) -> Options {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// Every channel but the library, which holds a service and not a handler of ours; `engine/library` tests it.
pub fn channels() -> Vec<Arc<dyn Channel>> {
    super::all().into_iter().filter(|channel| channel.name() != "library").filter(|channel| channel.unavailable().is_none()).collect()
}

/// A server of echoes.
pub fn serve(channel: &dyn Channel) -> Box<dyn Server> {
    serve_with(channel, Echo)
}

/// A server of this handler. Message queues are few: with a depth of 1 the tests share a user's with whatever else runs.
pub fn serve_with(channel: &dyn Channel, handler: impl Handler) -> Box<dyn Server> {
    let options = if channel.name() == "mqueue" { options(&[("depth", 1.into())]) } else { Options::new() };
    channel.serve(vec![route(handler)], HERE, &options).unwrap()
}

pub fn connect(channel: &dyn Channel, server: &dyn Server, timeout: Duration) -> Box<dyn Connection> {
    let to = Connect { endpoint: server.endpoint(), timeout, options: Options::new() };
    channel.connect("echo", "application/octet-stream", &to).unwrap()
}

/// Bytes that differ from one place to the next, so that a part that went astray shows.
pub fn pattern(size: usize) -> Vec<u8> {
    (0..size as u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).take(size).collect()
}
