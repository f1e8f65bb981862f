//! Builds the request from the options, in the form of each protocol.

use callbench_kit::{Failure, Kind};

use crate::endpoint::Endpoint;
use crate::protocol::Protocol;
use crate::request::{Name, Request, Template};

/// The parts of a request that are the same for all protocols.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// None: `POST` with a body, `GET` without one.
    pub method: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
    /// Whether variables such as `{number}` are replaced.
    pub variables: bool,
    pub keep_alive: bool,
    /// Names of values taken from answers.
    pub names: Vec<Name>,
}

/// Headers that the driver itself sets.
const SET_BY_DRIVER: [&str; 2] = ["content-length", "transfer-encoding"];

impl Draft {
    /// The request in the form of HTTP/1.1.
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
        let body = self.body_of(method).map(|bytes| self.template(&bytes));
        let closes = self.headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("connection") && names_close(value));
        let mut request = Request::new(self.template(head.as_bytes()), body, method);
        request.closes = closes;
        Ok(request)
    }

    /// The method of the request.
    pub fn method_of(&self, protocol: Protocol) -> Result<&str, Failure> {
        if protocol != Protocol::Grpc {
            return self.method();
        }
        if self.method.as_ref().is_some_and(|method| method != "POST") {
            return Err(bad("gRPC uses POST only: leave the method out".to_owned()));
        }
        Ok("POST")
    }

    fn method(&self) -> Result<&str, Failure> {
        let method = self.method.as_deref().unwrap_or(if self.body.is_some() { "POST" } else { "GET" });
        if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') {
            return Err(bad(format!("the method {method} is not a word")));
        }
        Ok(method)
    }

    /// The value of a header from the options.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The headers from the options, or an error if they cannot be sent.
    pub fn checked(&self) -> Result<&[(String, String)], Failure> {
        for (name, value) in &self.headers {
            if !is_token(name) || value.contains(['\r', '\n', '\0']) {
                return Err(bad(format!(
                    "the header {name:?} with the value {value:?} cannot be sent: it must be a name and one line of text"
                )));
            }
            if SET_BY_DRIVER.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                return Err(bad(format!("the header {name} cannot be given: the driver computes it from the body")));
            }
        }
        Ok(&self.headers)
    }

    /// The body. It is empty if the method requires a body and none was given.
    pub fn body_of(&self, method: &str) -> Option<Vec<u8>> {
        let wants_one = matches!(method, "POST" | "PUT" | "PATCH");
        self.body.clone().or_else(|| wants_one.then(Vec::new))
    }

    pub fn template(&self, bytes: &[u8]) -> Template {
        Template::named(bytes, self.variables, &self.names)
    }
}

/// Whether a `Connection` header says that the connection ends.
fn names_close(value: &str) -> bool {
    value.split(',').any(|item| item.trim().eq_ignore_ascii_case("close"))
}

/// Whether this can be the name of a header: what RFC 9110 calls a token.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

pub fn bad(message: String) -> Failure {
    Failure::new(Kind::BadRequest, message)
}
