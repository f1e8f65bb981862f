//! What the core wants of requests and answers: the options of `connect`.

use std::fs;
use std::string::FromUtf8Error;
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::stack::{Connect, Options};
use callbench_kit::{Failure, Kind};
use serde::Deserialize;
use serde_json::Value;

use crate::crowd::Settings;
use crate::endpoint::Endpoint;
use crate::expected::Expected;
use crate::request::{Request, Template};
use crate::tls::{self, Trust};

/// The names of the options.
pub const NAMES: &[&str] = &[
    "method",
    "headers",
    "body",
    "body_file",
    "variables",
    "expect_status",
    "expect_body",
    "expect_body_file",
    "keep_alive",
    "threads",
    "certificates",
    "insecure",
    "most_octets",
];

const MOST_THREADS: usize = 64;
/// Stands for the argument of the call that the request stands for, where it has one.
const ARGUMENT: &str = "{n}";

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Wishes {
    method: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_file: Option<String>,
    /// Whether `{number}` and its like stand for something.
    variables: bool,
    expect_status: Vec<u16>,
    expect_body: Option<String>,
    expect_body_file: Option<String>,
    /// False: a connection for each call.
    keep_alive: bool,
    threads: usize,
    /// A file of those who may sign a server's certificate.
    certificates: Option<String>,
    /// Every certificate is taken.
    insecure: bool,
    /// A longer body is an error.
    most_octets: u64,
}

impl Default for Wishes {
    fn default() -> Self {
        Wishes {
            method: "GET".to_owned(),
            headers: Vec::new(),
            body: None,
            body_file: None,
            variables: true,
            expect_status: Vec::new(),
            expect_body: None,
            expect_body_file: None,
            keep_alive: true,
            threads: 1,
            certificates: None,
            insecure: false,
            most_octets: 1 << 30,
        }
    }
}

/// The settings that the core's wishes come to, and the number of threads.
pub fn read(to: &Connect) -> Result<(Arc<Settings>, usize), Failure> {
    let threads = of(&to.options)?.threads;
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(bad(format!("threads is {threads}: it must be from 1 to {MOST_THREADS}")));
    }
    Ok((Arc::new(settings(to, None)?), threads))
}

/// Those settings, with the number of items in the place of `{n}` where one is asked for.
pub fn settings(to: &Connect, n: Option<i32>) -> Result<Settings, Failure> {
    let wishes = of(&to.options)?;
    let endpoint = Endpoint::of(&filled(&to.endpoint, n))?;
    let trust = match (&wishes.certificates, wishes.insecure) {
        (Some(_), true) => return Err(bad("certificates and insecure exclude each other".to_owned())),
        (Some(path), false) => Trust::File(path.clone()),
        (None, true) => Trust::Anybody,
        (None, false) => Trust::Machine,
    };
    let tls = if endpoint.secure { Some(tls::settings(&endpoint, &trust)?) } else { None };
    Ok(Settings {
        request: request(&wishes, &endpoint, n)?,
        expected: Expected {
            status: wishes.expect_status.clone(),
            body: octets("expect_body", wishes.expect_body.as_deref(), wishes.expect_body_file.as_deref())?,
            keeps: false,
        },
        keeps: wishes.keep_alive,
        timeout_ns: nanoseconds(to.timeout),
        most: wishes.most_octets,
        endpoint,
        tls,
    })
}

/// A text with a call's argument in the place of its name in braces.
fn filled(text: &str, n: Option<i32>) -> String {
    n.map_or_else(|| text.to_owned(), |n| text.replace(ARGUMENT, &n.to_string()))
}

fn of(options: &Options) -> Result<Wishes, Failure> {
    serde_json::from_value(Value::Object(options.clone()))
        .map_err(|error| bad(format!("the options of connect are not understood: {error}")))
}

fn request(wishes: &Wishes, endpoint: &Endpoint, n: Option<i32>) -> Result<Request, Failure> {
    if wishes.method.is_empty() || !wishes.method.bytes().all(|octet| octet.is_ascii_alphabetic() || octet == b'-') {
        return Err(bad(format!("the method {} is no word", wishes.method)));
    }
    let mut lines = vec![format!("{} {} HTTP/1.1", wishes.method, endpoint.target)];
    let given = |name: &str| wishes.headers.iter().any(|(it, _)| it.eq_ignore_ascii_case(name));
    if !given("host") {
        lines.push(format!("Host: {}", endpoint.authority));
    }
    if !given("user-agent") {
        lines.push("User-Agent: callbench".to_owned());
    }
    if !wishes.keep_alive && !given("connection") {
        lines.push("Connection: close".to_owned());
    }
    for (name, value) in &wishes.headers {
        let plain = |text: &str| !text.contains(['\r', '\n', '\0']);
        if name.is_empty() || name.contains([':', ' ']) || !plain(name) || !plain(value) {
            return Err(bad(format!("the header {name:?} with the value {value:?} cannot be sent: it is a name and a line of text")));
        }
        if name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(bad(format!("the header {name} is the driver's own: it follows from the body")));
        }
        lines.push(format!("{name}: {value}"));
    }
    let head = filled(&(lines.join("\r\n") + "\r\n"), n);
    let template = |octets: &[u8]| if wishes.variables { Template::read(octets) } else { Template::fixed(octets) };
    let body = octets("body", wishes.body.as_deref(), wishes.body_file.as_deref())?;
    // A body that is no text has no names in it.
    let body = body.map(|octets| String::from_utf8(octets).map_or_else(FromUtf8Error::into_bytes, |text| filled(&text, n).into_bytes()));
    let wants_length = matches!(wishes.method.as_str(), "POST" | "PUT" | "PATCH");
    let body = body.or_else(|| wants_length.then(Vec::new)).map(|octets| template(&octets));
    Ok(Request::new(template(head.as_bytes()), body, wishes.method == "HEAD"))
}

fn octets(what: &str, text: Option<&str>, file: Option<&str>) -> Result<Option<Vec<u8>>, Failure> {
    match (text, file) {
        (Some(_), Some(_)) => Err(bad(format!("{what} and {what}_file exclude each other"))),
        (Some(text), None) => Ok(Some(text.as_bytes().to_vec())),
        (None, Some(path)) => fs::read(path).map(Some).map_err(|error| bad(format!("{what}_file {path} cannot be read: {error}"))),
        (None, None) => Ok(None),
    }
}

fn nanoseconds(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

fn bad(message: String) -> Failure {
    Failure::new(Kind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wished(options: Value) -> Result<Arc<Settings>, Failure> {
        let Value::Object(options) = options else { panic!("an object") };
        let to = Connect { endpoint: "http://127.0.0.1:81/x".to_owned(), timeout: Duration::from_secs(1), options };
        read(&to).map(|(settings, _)| settings)
    }

    #[test]
    fn a_request_is_written_as_wished() {
        let wishes = json!({"method": "POST", "headers": [["Accept", "text/plain"]], "body": "{}", "keep_alive": false});
        let settings = wished(wishes).expect("settings");
        let text = "POST /x HTTP/1.1\r\nHost: 127.0.0.1:81\r\nUser-Agent: callbench\r\nConnection: close\r\nAccept: text/plain\r\n\
                    Content-Length: 2\r\n\r\n{}";
        assert_eq!(settings.request.whole().map(String::from_utf8_lossy), Some(text.into()));
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for options in [
            json!({"method": "GE T"}),
            json!({"headers": [["A", "b\r\nC: d"]]}),
            json!({"headers": [["Content-Length", "3"]]}),
            json!({"body": "a", "body_file": "b"}),
            json!({"body_file": "/no/such/file"}),
            json!({"threads": 0}),
            json!({"expect_status": "200"}),
            json!({"certificates": "a", "insecure": true}),
        ] {
            assert_eq!(wished(options.clone()).expect_err("a refusal").kind, Kind::BadRequest, "{options}");
        }
    }
}
