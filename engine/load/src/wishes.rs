//! What the core wants of requests and answers: the options of `connect`.

use std::fs;
use std::string::FromUtf8Error;
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::stack::{Connect, Options};
use callbench_kit::{Failure, Kind};
use serde::Deserialize;
use serde_json::Value;

use crate::checks::{Checks, Wanted};
use crate::draft::Draft;
use crate::endpoint::Endpoint;
use crate::expected::Expected;
use crate::protocol::Protocol;
use crate::settings::Settings;
use crate::tls::{self, Trust};

/// The names of the options.
pub const NAMES: &[&str] = &[
    "method",
    "headers",
    "body",
    "body_file",
    "body_hex",
    "variables",
    "expect_status",
    "expect_body",
    "expect_body_file",
    "expect_body_hex",
    "expect_json",
    "expect_path",
    "expect_match",
    "expect_schema",
    "expect_schema_file",
    "keep_alive",
    "streams",
    "threads",
    "certificates",
    "insecure",
    "most_octets",
];

const MOST_THREADS: usize = 64;
const MOST_STREAMS: usize = 100_000;
/// Stands for the argument of the call that the request stands for, where it has one.
const ARGUMENT: &str = "{n}";

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Wishes {
    method: Option<String>,
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_file: Option<String>,
    /// Octets, two digits each.
    body_hex: Option<String>,
    /// Whether `{number}` and its like stand for something.
    variables: bool,
    expect_status: Vec<u16>,
    expect_body: Option<String>,
    expect_body_file: Option<String>,
    expect_body_hex: Option<String>,
    #[serde(flatten)]
    wanted: Wanted,
    /// False: a connection for each call.
    keep_alive: bool,
    /// Of HTTP/2: so many clients share a connection.
    streams: usize,
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
            method: None,
            headers: Vec::new(),
            body: None,
            body_file: None,
            body_hex: None,
            variables: true,
            expect_status: Vec::new(),
            expect_body: None,
            expect_body_file: None,
            expect_body_hex: None,
            wanted: Wanted::default(),
            keep_alive: true,
            streams: 1,
            threads: 1,
            certificates: None,
            insecure: false,
            most_octets: 1 << 30,
        }
    }
}

/// What the core's wishes come to.
pub struct Wished {
    pub settings: Arc<Settings>,
    pub draft: Draft,
    pub threads: usize,
    pub streams: usize,
}

impl Wished {
    /// Changes what is expected, before anybody goes by it.
    pub fn expected(&mut self, change: impl FnOnce(&mut Expected)) {
        if let Some(settings) = Arc::get_mut(&mut self.settings) {
            change(&mut settings.expected);
        }
    }
}

/// Reads the wishes, for a protocol, with the number of items in the place of `{n}` where one is asked for. Fails as `bad-request` in a
/// sentence.
pub fn read(to: &Connect, protocol: Protocol, n: Option<i32>) -> Result<Wished, Failure> {
    let wishes = of(&to.options)?;
    check(&wishes, protocol)?;
    let endpoint = Endpoint::of(&filled(&to.endpoint, n))?;
    let trust = match (&wishes.certificates, wishes.insecure) {
        (Some(_), true) => return Err(bad("certificates and insecure exclude each other".to_owned())),
        (Some(path), false) => Trust::File(path.clone()),
        (None, true) => Trust::Anybody,
        (None, false) => Trust::Machine,
    };
    let tls = if endpoint.secure { Some(tls::settings(&endpoint, &trust, protocol.in_tls())?) } else { None };
    let body = octets("body", wishes.body.as_deref(), wishes.body_file.as_deref(), wishes.body_hex.as_deref())?;
    let expected =
        octets("expect_body", wishes.expect_body.as_deref(), wishes.expect_body_file.as_deref(), wishes.expect_body_hex.as_deref())?;
    let checks = Checks::of(&wishes.wanted)?;
    if protocol == Protocol::Grpc && checks.want_json() {
        return Err(bad("an answer of gRPC is no JSON: expect its octets, or a regular expression".to_owned()));
    }
    // A body that is no text has no names in it.
    let body = body.map(|octets| String::from_utf8(octets).map_or_else(FromUtf8Error::into_bytes, |text| filled(&text, n).into_bytes()));
    let headers = wishes.headers.iter().map(|(name, value)| (filled(name, n), filled(value, n))).collect();
    let Wishes { variables, keep_alive, threads, streams, .. } = wishes;
    let draft = Draft { method: wishes.method, headers, body, variables, keep_alive };
    let request = format!("{} {}", draft.method_of(protocol)?, endpoint.target);
    let settings = Settings {
        expected: Expected { status: wishes.expect_status, body: expected, checks, keeps: false, request },
        keeps: wishes.keep_alive,
        timeout_ns: nanoseconds(to.timeout),
        most: wishes.most_octets,
        endpoint,
        tls,
    };
    Ok(Wished { settings: Arc::new(settings), draft, threads, streams })
}

/// A text with a call's argument in the place of its name in braces.
fn filled(text: &str, n: Option<i32>) -> String {
    n.map_or_else(|| text.to_owned(), |n| text.replace(ARGUMENT, &n.to_string()))
}

fn check(wishes: &Wishes, protocol: Protocol) -> Result<(), Failure> {
    let Wishes { threads, streams, .. } = wishes;
    if !(1..=MOST_THREADS).contains(threads) {
        return Err(bad(format!("threads is {threads}: it must be from 1 to {MOST_THREADS}")));
    }
    if !(1..=MOST_STREAMS).contains(streams) {
        return Err(bad(format!("streams is {streams}: it must be from 1 to {MOST_STREAMS}")));
    }
    if *streams > 1 && protocol == Protocol::Http1 {
        return Err(bad("HTTP/1.1 makes one call at a time on a connection: streams are of HTTP/2 and gRPC".to_owned()));
    }
    if *streams > 1 && !wishes.keep_alive {
        return Err(bad("a connection for each call has no room for several streams".to_owned()));
    }
    if protocol == Protocol::Grpc && !wishes.expect_status.is_empty() {
        return Err(bad("a call of gRPC is right where its grpc-status is 0: no other status can be expected".to_owned()));
    }
    Ok(())
}

fn of(options: &Options) -> Result<Wishes, Failure> {
    serde_json::from_value(Value::Object(options.clone()))
        .map_err(|error| bad(format!("the options of connect are not understood: {error}")))
}

fn octets(what: &str, text: Option<&str>, file: Option<&str>, hex: Option<&str>) -> Result<Option<Vec<u8>>, Failure> {
    match (text, file, hex) {
        (None, None, None) => Ok(None),
        (Some(text), None, None) => Ok(Some(text.as_bytes().to_vec())),
        (None, Some(path), None) => fs::read(path).map(Some).map_err(|error| bad(format!("{what}_file {path} cannot be read: {error}"))),
        (None, None, Some(digits)) => match of_hex(digits) {
            Some(octets) => Ok(Some(octets)),
            None => Err(bad(format!("{what}_hex {digits:?} is not made of pairs of hexadecimal digits"))),
        },
        _ => Err(bad(format!("{what}, {what}_file and {what}_hex exclude each other"))),
    }
}

/// The octets of pairs of digits; spaces between them mean nothing.
fn of_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().filter(|it| !it.is_ascii_whitespace()).map(|it| it.to_digit(16)).collect();
    let (pairs, []) = digits.as_ref()?.as_chunks::<2>() else { return None };
    Some(pairs.iter().map(|[high, low]| (high << 4 | low) as u8).collect())
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

    fn wished(options: Value, protocol: Protocol) -> Result<Wished, Failure> {
        let Value::Object(options) = options else { panic!("an object") };
        let to = Connect { endpoint: "http://127.0.0.1:81/x".to_owned(), timeout: Duration::from_secs(1), options };
        read(&to, protocol, None)
    }

    #[test]
    fn a_request_is_written_as_wished() {
        let options = json!({"method": "POST", "headers": [["Accept", "text/plain"]], "body": "{}", "keep_alive": false});
        let read = wished(options, Protocol::Http1).expect("settings");
        let text = "POST /x HTTP/1.1\r\nHost: 127.0.0.1:81\r\nUser-Agent: callbench\r\nConnection: close\r\nAccept: text/plain\r\n\
                    Content-Length: 2\r\n\r\n{}";
        let request = read.draft.http1(&read.settings.endpoint).expect("a request");
        assert_eq!(request.whole().map(String::from_utf8_lossy), Some(text.into()));
    }

    #[test]
    fn a_body_without_a_method_is_posted() {
        for (options, method) in [
            (json!({}), "GET /x"),
            (json!({"body": "{}"}), "POST /x"),
            (json!({"body_hex": ""}), "POST /x"),
            (json!({"body": "{}", "method": "PUT"}), "PUT /x"),
        ] {
            let read = wished(options, Protocol::Http1).expect("settings");
            assert_eq!(read.settings.expected.request, method);
            let request = read.draft.http1(&read.settings.endpoint).expect("a request");
            let head = request.whole().map(String::from_utf8_lossy).unwrap_or_default();
            assert!(head.starts_with(&format!("{method} HTTP/1.1")), "{head}");
        }
    }

    #[test]
    fn octets_are_given_as_text_or_digits() {
        let body = |options| wished(options, Protocol::Grpc).map(|it| (it.draft.body, it.settings.expected.body.clone()));
        assert_eq!(body(json!({"body_hex": "0a 0B", "expect_body_hex": ""})), Ok((Some(vec![10, 11]), Some(vec![]))));
        assert_eq!(body(json!({"body": "ab"})), Ok((Some(b"ab".to_vec()), None)));
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for (protocol, options) in [
            (Protocol::Http1, json!({"method": "GE T"})),
            (Protocol::Http2, json!({"method": ""})),
            (Protocol::Http1, json!({"headers": [["A", "b\r\nC: d"]]})),
            (Protocol::Http2, json!({"headers": [["A", "b\r\nC: d"]]})),
            (Protocol::Http1, json!({"headers": [["Content-Length", "3"]]})),
            (Protocol::Http2, json!({"headers": [["Connection", "close"]]})),
            (Protocol::Http1, json!({"body": "a", "body_file": "b"})),
            (Protocol::Http1, json!({"body_file": "/no/such/file"})),
            (Protocol::Grpc, json!({"body_hex": "abc"})),
            (Protocol::Grpc, json!({"body_hex": "xy"})),
            (Protocol::Grpc, json!({"expect_status": [200]})),
            (Protocol::Grpc, json!({"method": "GET"})),
            (Protocol::Http1, json!({"threads": 0})),
            (Protocol::Http2, json!({"streams": 0})),
            (Protocol::Http1, json!({"streams": 2})),
            (Protocol::Http2, json!({"streams": 2, "keep_alive": false})),
            (Protocol::Http1, json!({"expect_status": "200"})),
            (Protocol::Http2, json!({"expect_json": {"user": 1}})),
            (Protocol::Grpc, json!({"expect_path": ["$.id"]})),
            (Protocol::Http1, json!({"certificates": "a", "insecure": true})),
        ] {
            let asked = wished(options.clone(), protocol).and_then(|it| match protocol {
                Protocol::Http1 => it.draft.http1(&it.settings.endpoint).map(drop),
                _ => crate::h2::asked::of_draft(&it.draft, it.settings, protocol).map(drop),
            });
            assert_eq!(asked.expect_err("a refusal").kind, Kind::BadRequest, "{options}");
        }
    }
}
