//! The request that the core's wishes come to, in the way each protocol writes it.

use std::sync::Arc;

use callbench_kit::{Failure, Kind};

use crate::crowd::Settings;
use crate::endpoint::Endpoint;
use crate::h2::asked::Asked;
use crate::request::{Request, Template};

/// How requests and answers travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
    /// Unary calls of gRPC, over HTTP/2.
    Grpc,
}

impl Protocol {
    /// Its name where TLS agrees on one.
    #[must_use]
    pub fn in_tls(self) -> &'static str {
        if self == Protocol::Http1 { "http/1.1" } else { "h2" }
    }
}

/// What is to be asked, whatever the protocol.
#[derive(Debug, Default)]
pub struct Draft {
    /// None: `POST` with a body, `GET` without one.
    pub method: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
    /// Whether `{number}` and its like stand for something.
    pub variables: bool,
    pub keep_alive: bool,
}

/// Headers that are about a connection of HTTP/1.1.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "keep-alive", "proxy-connection", "upgrade"];
/// Headers that follow from what is sent.
const OUR_OWN: [&str; 2] = ["content-length", "transfer-encoding"];

impl Draft {
    /// As HTTP/1.1 has it.
    pub fn http1(&self, endpoint: &Endpoint) -> Result<Request, Failure> {
        let method = self.method()?;
        let mut lines = vec![format!("{method} {} HTTP/1.1", endpoint.target)];
        if self.header("host").is_none() {
            lines.push(format!("Host: {}", endpoint.authority));
        }
        if self.header("user-agent").is_none() {
            lines.push("User-Agent: callbench".to_owned());
        }
        if !self.keep_alive && self.header("connection").is_none() {
            lines.push("Connection: close".to_owned());
        }
        for (name, value) in self.checked()? {
            lines.push(format!("{name}: {value}"));
        }
        let head = lines.join("\r\n") + "\r\n";
        let body = self.body_of(method).map(|octets| self.template(&octets));
        Ok(Request::new(self.template(head.as_bytes()), body, method == "HEAD"))
    }

    /// As HTTP/2 has it, or gRPC.
    pub fn http2(&self, settings: Arc<Settings>, protocol: Protocol) -> Result<Asked, Failure> {
        let grpc = protocol == Protocol::Grpc;
        let method = self.method_of(protocol)?;
        let endpoint = &settings.endpoint;
        let authority = self.header("host").unwrap_or(&endpoint.authority);
        let scheme = if endpoint.secure { "https" } else { "http" };
        let pseudo = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", &endpoint.target)];
        let mut fields: Vec<(String, Template)> =
            pseudo.iter().map(|(name, value)| ((*name).to_owned(), self.template(value.as_bytes()))).collect();
        let own: &[(&str, &str)] = if grpc {
            &[("te", "trailers"), ("content-type", "application/grpc"), ("user-agent", "callbench")]
        } else {
            &[("user-agent", "callbench")]
        };
        for (name, value) in own.iter().filter(|(name, _)| self.header(name).is_none()) {
            fields.push(((*name).to_owned(), Template::fixed(value.as_bytes())));
        }
        for (name, value) in self.checked()?.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            let name = name.to_ascii_lowercase();
            if OF_THE_CONNECTION.contains(&name.as_str()) || (name == "te" && value != "trailers") {
                return Err(bad(format!("the header {name} cannot be sent through HTTP/2: it is about a connection of HTTP/1.1")));
            }
            fields.push((name, self.template(value.as_bytes())));
        }
        // A call of gRPC without a body has an empty message.
        let body = if grpc { Some(self.body.clone().unwrap_or_default()) } else { self.body_of(method) };
        let body = body.map(|octets| self.template(&octets));
        let bodiless = method == "HEAD";
        Ok(Asked::new(settings, fields, body, grpc, bodiless))
    }

    /// The method that is sent.
    pub fn method_of(&self, protocol: Protocol) -> Result<&str, Failure> {
        if protocol != Protocol::Grpc {
            return self.method();
        }
        if self.method.as_ref().is_some_and(|method| method != "POST") {
            return Err(bad("gRPC knows no methods but POST: leave the method out".to_owned()));
        }
        Ok("POST")
    }

    fn method(&self) -> Result<&str, Failure> {
        let method = self.method.as_deref().unwrap_or(if self.body.is_some() { "POST" } else { "GET" });
        if method.is_empty() || !method.bytes().all(|octet| octet.is_ascii_alphabetic() || octet == b'-') {
            return Err(bad(format!("the method {method} is no word")));
        }
        Ok(method)
    }

    /// The value of a header that was given.
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The headers that were given, if they can be sent.
    fn checked(&self) -> Result<&[(String, String)], Failure> {
        for (name, value) in &self.headers {
            let plain = |text: &str| !text.contains(['\r', '\n', '\0']);
            if name.is_empty() || name.contains([':', ' ']) || !plain(name) || !plain(value) {
                return Err(bad(format!("the header {name:?} with the value {value:?} cannot be sent: it is a name and a line of text")));
            }
            if OUR_OWN.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                return Err(bad(format!("the header {name} is the driver's own: it follows from the body")));
            }
        }
        Ok(&self.headers)
    }

    /// The body, an empty one where the method wants one.
    fn body_of(&self, method: &str) -> Option<Vec<u8>> {
        let wants_one = matches!(method, "POST" | "PUT" | "PATCH");
        self.body.clone().or_else(|| wants_one.then(Vec::new))
    }

    fn template(&self, octets: &[u8]) -> Template {
        if self.variables { Template::read(octets) } else { Template::fixed(octets) }
    }
}

fn bad(message: String) -> Failure {
    Failure::new(Kind::BadRequest, message)
}
