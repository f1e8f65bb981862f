//! The request that the core's wishes come to, in the way each protocol writes it.

use callbench_kit::{Failure, Kind};

use crate::endpoint::Endpoint;
use crate::protocol::Protocol;
use crate::request::{Request, Template};

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
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The headers that were given, if they can be sent.
    pub fn checked(&self) -> Result<&[(String, String)], Failure> {
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
    pub fn body_of(&self, method: &str) -> Option<Vec<u8>> {
        let wants_one = matches!(method, "POST" | "PUT" | "PATCH");
        self.body.clone().or_else(|| wants_one.then(Vec::new))
    }

    pub fn template(&self, octets: &[u8]) -> Template {
        if self.variables { Template::read(octets) } else { Template::fixed(octets) }
    }
}

pub fn bad(message: String) -> Failure {
    Failure::new(Kind::BadRequest, message)
}
