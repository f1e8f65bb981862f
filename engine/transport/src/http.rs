//! `http`: a connection a call, HTTP/1.1 with `Connection: close` on both sides. What a client costs that keeps nothing.

use callbench_kit::Failure;
use callbench_kit::stack::{Connect, Listen, Options, Server};

use super::web::{self, Keep};
use super::{Channel, Connection, Route};

pub struct Http;

impl Channel for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn options(&self) -> &'static [&'static str] {
        &["limit", "closes", "reset", "ports"]
    }

    fn has_paths(&self) -> bool {
        true
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        web::serve(routes, at, options, Keep::Call)
    }

    fn connect(&self, path: &'static str, content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        web::connect(path, content_type, to, Keep::Call)
    }
}
