//! `http-keepalive`: HTTP/1.1 over one connection a client, which lasts.

use callbench_kit::Failure;
use callbench_kit::stack::{Connect, Listen, Options, Server};

use super::web::{self, Keep};
use super::{Channel, Connection, Route};

pub struct HttpKeepalive;

impl Channel for HttpKeepalive {
    fn name(&self) -> &'static str {
        "http-keepalive"
    }

    fn options(&self) -> &'static [&'static str] {
        &["limit"]
    }

    fn has_paths(&self) -> bool {
        true
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        web::serve(routes, at, options, Keep::Alive)
    }

    fn connect(&self, path: &'static str, content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        web::connect(path, content_type, to, Keep::Alive)
    }
}
