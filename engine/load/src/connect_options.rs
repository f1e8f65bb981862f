//! The options of `connect`: what the core requests for calls and answers.

use std::fs;
use std::string::FromUtf8Error;
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::stack::{Connect, Options};
use callbench_kit::{Failure, Kind};
use serde::Deserialize;
use serde_json::Value;

use crate::checks::{Checks, RawChecks};
use crate::draft::Draft;
use crate::endpoint::Endpoint;
use crate::expected::Expected;
use crate::limits::Limits;
use crate::protocol::Protocol;
use crate::script;
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
    "script",
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
    "max_body_bytes",
    "max_head_bytes",
];

const MAX_THREADS: usize = 64;
const MAX_STREAMS: usize = 100_000;
/// The placeholder for the argument of `FindItems`.
const ARGUMENT: &str = "{n}";

/// What a request is, and which of its answers are right.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct RequestOptions {
    method: Option<String>,
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_file: Option<String>,
    /// Bytes as two hexadecimal digits each.
    body_hex: Option<String>,
    /// Whether variables such as `{number}` are replaced.
    variables: bool,
    expect_status: Vec<u16>,
    expect_body: Option<String>,
    expect_body_file: Option<String>,
    expect_body_hex: Option<String>,
    #[serde(flatten)]
    wanted: RawChecks,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct RawOptions {
    #[serde(flatten)]
    asking: RequestOptions,
    /// Several requests instead of the one above.
    script: Option<script::RawScript>,
    /// False: a new connection for each call.
    keep_alive: bool,
    /// For HTTP/2: how many clients share a connection.
    streams: usize,
    threads: usize,
    /// A file of trusted certificates.
    certificates: Option<String>,
    /// Every certificate is accepted.
    insecure: bool,
    /// A longer body is an error.
    max_body_bytes: u64,
    /// As is a longer head.
    max_head_bytes: usize,
}

impl Default for RequestOptions {
    fn default() -> Self {
        RequestOptions {
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
            wanted: RawChecks::default(),
        }
    }
}

impl Default for RawOptions {
    fn default() -> Self {
        RawOptions {
            asking: RequestOptions::default(),
            script: None,
            keep_alive: true,
            streams: 1,
            threads: 1,
            certificates: None,
            insecure: false,
            max_body_bytes: Limits::default().body_bytes,
            max_head_bytes: Limits::default().head_bytes,
        }
    }
}

/// The parsed options.
pub struct ConnectOptions {
    pub settings: Arc<Settings>,
    pub draft: Draft,
    pub script: Option<script::RawScript>,
    pub threads: usize,
    pub streams: usize,
}

impl ConnectOptions {
    /// Changes the expected answer. Possible only before the settings are shared.
    pub fn expected(&mut self, change: impl FnOnce(&mut Expected)) {
        if let Some(settings) = Arc::get_mut(&mut self.settings) {
            change(&mut settings.expected);
        }
    }
}

/// Parses the options for a protocol, with `{n}` replaced by the number of items if one is given. Fails with `bad-request` and a complete sentence.
pub fn read(to: &Connect, protocol: Protocol, n: Option<i32>) -> Result<ConnectOptions, Failure> {
    let connect_options = of(&to.options)?;
    check(&connect_options, protocol)?;
    let endpoint = Endpoint::of(&filled(&to.endpoint, n))?;
    let trust = match (&connect_options.certificates, connect_options.insecure) {
        (Some(_), true) => return Err(bad("certificates and insecure exclude each other".to_owned())),
        (Some(path), false) => Trust::File(path.clone()),
        (None, true) => Trust::Anyone,
        (None, false) => Trust::Machine,
    };
    let tls = if endpoint.secure { Some(tls::settings(&endpoint, &trust, protocol.in_tls())?) } else { None };
    let RawOptions { asking, script, keep_alive, threads, streams, .. } = connect_options;
    let (draft, expected) = drafted(&asking, n)?;
    if script.is_some() && n.is_some() {
        return Err(bad("several requests, or sessions, stand for Hello alone".to_owned()));
    }
    check_expected(&expected, protocol)?;
    let draft = Draft { keep_alive, ..draft };
    let request = format!("{} {}", draft.method_of(protocol)?, endpoint.target);
    let settings = Settings {
        expected: Expected { request, ..expected },
        keep_alive,
        timeout_ns: nanoseconds(to.timeout),
        limits: Limits { head_bytes: connect_options.max_head_bytes, body_bytes: connect_options.max_body_bytes },
        endpoint,
        tls,
    };
    Ok(ConnectOptions { settings: Arc::new(settings), draft, script, threads, streams })
}

/// The request and what its answers must be, but for where it goes.
pub fn drafted(asking: &RequestOptions, n: Option<i32>) -> Result<(Draft, Expected), Failure> {
    let body = bytes("body", asking.body.as_deref(), asking.body_file.as_deref(), asking.body_hex.as_deref())?;
    let expected =
        bytes("expect_body", asking.expect_body.as_deref(), asking.expect_body_file.as_deref(), asking.expect_body_hex.as_deref())?;
    let checks = Checks::of(&asking.wanted)?;
    // A body that is not text contains no placeholders.
    let body = body.map(|bytes| String::from_utf8(bytes).map_or_else(FromUtf8Error::into_bytes, |text| filled(&text, n).into_bytes()));
    let headers = asking.headers.iter().map(|(name, value)| (filled(name, n), filled(value, n))).collect();
    let draft = Draft { method: asking.method.clone(), headers, body, variables: asking.variables, ..Draft::default() };
    Ok((draft, Expected { status: asking.expect_status.clone(), body: expected, checks, ..Expected::default() }))
}

/// The text with the placeholder replaced by the argument of the call.
fn filled(text: &str, n: Option<i32>) -> String {
    n.map_or_else(|| text.to_owned(), |n| text.replace(ARGUMENT, &n.to_string()))
}

fn check(connect_options: &RawOptions, protocol: Protocol) -> Result<(), Failure> {
    let RawOptions { threads, streams, .. } = connect_options;
    if !(1..=MAX_THREADS).contains(threads) {
        return Err(bad(format!("threads is {threads}: it must be from 1 to {MAX_THREADS}")));
    }
    if !(1..=MAX_STREAMS).contains(streams) {
        return Err(bad(format!("streams is {streams}: it must be from 1 to {MAX_STREAMS}")));
    }
    if *streams > 1 && protocol == Protocol::Http1 {
        return Err(bad("HTTP/1.1 makes one call at a time on a connection: streams are for HTTP/2 and gRPC".to_owned()));
    }
    if *streams > 1 && !connect_options.keep_alive {
        return Err(bad("with a connection for each call, several streams are not possible".to_owned()));
    }
    Ok(())
}

/// Whether answers of this protocol can be like this.
pub fn check_expected(expected: &Expected, protocol: Protocol) -> Result<(), Failure> {
    if protocol != Protocol::Grpc {
        return Ok(());
    }
    // Logs of gRPC have the status 200 of HTTP, which every answer has.
    if !matches!(expected.status[..], [] | [200]) {
        return Err(bad("a gRPC call is correct if its grpc-status is 0: no other status can be expected".to_owned()));
    }
    if expected.checks.needs_json() {
        return Err(bad("an answer of gRPC is not JSON: expect its bytes, or a regular expression".to_owned()));
    }
    Ok(())
}

fn of(options: &Options) -> Result<RawOptions, Failure> {
    serde_json::from_value(Value::Object(options.clone()))
        .map_err(|error| bad(format!("the options of connect are not understood: {error}")))
}

fn bytes(what: &str, text: Option<&str>, file: Option<&str>, hex: Option<&str>) -> Result<Option<Vec<u8>>, Failure> {
    match (text, file, hex) {
        (None, None, None) => Ok(None),
        (Some(text), None, None) => Ok(Some(text.as_bytes().to_vec())),
        (None, Some(path), None) => fs::read(path).map(Some).map_err(|error| bad(format!("{what}_file {path} cannot be read: {error}"))),
        (None, None, Some(digits)) => match parse_hex(digits) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(bad(format!("{what}_hex {digits:?} is not made of pairs of hexadecimal digits"))),
        },
        _ => Err(bad(format!("{what}, {what}_file and {what}_hex exclude each other"))),
    }
}

/// The bytes of pairs of hexadecimal digits. Spaces between them are ignored.
fn parse_hex(text: &str) -> Option<Vec<u8>> {
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
    use crate::carrier::Spec;
    use serde_json::json;

    fn parsed(options: Value, protocol: Protocol) -> Result<ConnectOptions, Failure> {
        let Value::Object(options) = options else { panic!("an object") };
        let to = Connect { endpoint: "http://127.0.0.1:81/x".to_owned(), timeout: Duration::from_secs(1), options };
        read(&to, protocol, None)
    }

    #[test]
    fn a_request_is_written_as_wished() {
        let options = json!({"method": "POST", "headers": [["Accept", "text/plain"]], "body": "{}", "keep_alive": false});
        let read = parsed(options, Protocol::Http1).expect("settings");
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
            let read = parsed(options, Protocol::Http1).expect("settings");
            assert_eq!(read.settings.expected.request, method);
            let request = read.draft.http1(&read.settings.endpoint).expect("a request");
            let head = request.whole().map(String::from_utf8_lossy).unwrap_or_default();
            assert!(head.starts_with(&format!("{method} HTTP/1.1")), "{head}");
        }
    }

    #[test]
    fn octets_are_given_as_text_or_digits() {
        let body = |options| parsed(options, Protocol::Grpc).map(|it| (it.draft.body, it.settings.expected.body.clone()));
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
            (Protocol::Http1, json!({"headers": [["A\tB", "c"]]})),
            (Protocol::Http2, json!({"headers": [["A(B)", "c"]]})),
            (Protocol::Http1, json!({"headers": [["Content-Length", "3"]]})),
            (Protocol::Http2, json!({"headers": [["Connection", "close"]]})),
            (Protocol::Http1, json!({"body": "a", "body_file": "b"})),
            (Protocol::Http1, json!({"body_file": "/no/such/file"})),
            (Protocol::Grpc, json!({"body_hex": "abc"})),
            (Protocol::Grpc, json!({"body_hex": "xy"})),
            (Protocol::Grpc, json!({"expect_status": [404]})),
            (Protocol::Grpc, json!({"method": "GET"})),
            (Protocol::Http1, json!({"threads": 0})),
            (Protocol::Http2, json!({"streams": 0})),
            (Protocol::Http1, json!({"streams": 2})),
            (Protocol::Http2, json!({"streams": 2, "keep_alive": false})),
            (Protocol::Http1, json!({"expect_status": "200"})),
            (Protocol::Http2, json!({"expect_json": {"user": 1}})),
            (Protocol::Grpc, json!({"expect_path": ["$.id"]})),
            (Protocol::Http1, json!({"script": {"sessions": []}})),
            (Protocol::Http1, json!({"certificates": "a", "insecure": true})),
        ] {
            let spec = parsed(options.clone(), protocol).and_then(|it| match protocol {
                Protocol::Http1 => crate::client::CallSpec::of(it, protocol).map(drop),
                _ => crate::h2::call_spec::CallSpec::of(it, protocol).map(drop),
            });
            assert_eq!(spec.expect_err("a refusal").kind, Kind::BadRequest, "{options}");
        }
    }
}
