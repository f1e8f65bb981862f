//! What every call sends, and what its answer must be.

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_kit::drive::EndpointStats;

use super::block::{Block, Field, Table, Value, common};
use super::exchange::Call;
use super::frame::{self, Head};
use super::grpc;
use crate::carrier::Spec;
use crate::connect_options::ConnectOptions;
use crate::draft::{Draft, bad};
use crate::endpoint::Endpoint;
use crate::protocol::Protocol;
use crate::request::Template;
use crate::script::{self, Build, Script, Step, Uses, take};
use crate::settings::Settings;

/// Headers that apply to an HTTP/1.1 connection only.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "keep-alive", "proxy-connection", "upgrade"];

/// The requests of HTTP/2 or gRPC, and how they are called.
#[derive(Debug)]
pub struct CallSpec {
    pub settings: Arc<Settings>,
    pub script: Script<Request>,
    /// Whether the bodies of requests and answers are gRPC messages.
    pub grpc: bool,
    /// The names of the headers of answers that later requests use, in lower case.
    pub wanted: Arc<[Vec<u8>]>,
}

impl Spec for CallSpec {
    fn of(parsed: ConnectOptions, protocol: Protocol) -> Result<Self, Failure> {
        let settings = parsed.settings;
        let secure = settings.endpoint.secure;
        let form = |draft: &Draft, endpoint: &Endpoint| Parts::of(draft, endpoint, secure, protocol);
        let script = match &parsed.script {
            Some(wanted) => {
                let build = Build { endpoint: &settings.endpoint, protocol, form: &form };
                script::read(wanted, &parsed.draft, &build)?
            }
            None => Script::single(form(&parsed.draft, &settings.endpoint)?, settings.expected.clone()),
        };
        let stored = common(script.requests().map(|request| request.fields.as_slice()));
        let fields = script.steps.iter().flat_map(|step| &step.expected.fields);
        let mut wanted: Vec<Vec<u8>> = fields.map(take::Field::header_name).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let script = script.map(|parts| parts.request(&stored));
        Ok(CallSpec { settings, script, grpc: protocol == Protocol::Grpc, wanted: wanted.into() })
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn endpoints(&self) -> Vec<EndpointStats> {
        self.script.endpoints()
    }
}

impl CallSpec {
    pub(super) fn step(&self, call: &Call) -> &Step<Request> {
        &self.script.steps[call.step]
    }

    pub(super) fn request(&self, call: &Call) -> &Request {
        &self.step(call).requests[call.request]
    }

    /// How the server's table is used.
    pub(super) fn table(&self) -> Table {
        if self.script.requests().all(|request| request.block.fits_table()) { Table::Empty } else { Table::Unused }
    }
}

/// A request before its header block is encoded, which depends on the other requests.
struct Parts {
    fields: Vec<Field>,
    path: Template,
    headers: Vec<Template>,
    body: Option<Template>,
    whole: Option<Vec<u8>>,
    grpc: bool,
    bodiless: bool,
}

impl Uses for Parts {
    fn in_path(&self, slot: usize) -> bool {
        self.path.uses(slot)
    }

    fn in_head(&self, slot: usize) -> bool {
        self.in_path(slot) || self.headers.iter().any(|value| value.uses(slot))
    }
}

impl Parts {
    /// The request in the form of HTTP/2 or gRPC: header fields with names in lower case, pseudo-fields first, and the body or the message.
    fn of(draft: &Draft, endpoint: &Endpoint, secure: bool, protocol: Protocol) -> Result<Self, Failure> {
        let grpc = protocol == Protocol::Grpc;
        let method = draft.method_of(protocol)?;
        let authority = draft.header("host").unwrap_or(&endpoint.authority);
        let scheme = if secure { "https" } else { "http" };
        let path = draft.template(endpoint.target.as_bytes());
        let pseudo = [(":method", method), (":scheme", scheme), (":authority", authority)];
        let mut fields: Vec<(String, Template)> =
            pseudo.iter().map(|(name, value)| ((*name).to_owned(), draft.template(value.as_bytes()))).collect();
        fields.push((":path".to_owned(), path.clone()));
        let own: &[(&str, &str)] = if grpc {
            &[("te", "trailers"), ("content-type", "application/grpc"), ("user-agent", "callbench")]
        } else {
            &[("user-agent", "callbench")]
        };
        for (name, value) in own.iter().filter(|(name, _)| draft.header(name).is_none()) {
            fields.push(((*name).to_owned(), Template::fixed(value.as_bytes())));
        }
        for (name, value) in draft.checked()?.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            let name = name.to_ascii_lowercase();
            if OF_THE_CONNECTION.contains(&name.as_str()) || (name == "te" && value != "trailers") {
                return Err(bad(format!("the header {name} cannot be sent through HTTP/2: it applies to HTTP/1.1 connections")));
            }
            fields.push((name, draft.template(value.as_bytes())));
        }
        // A gRPC call without a body sends an empty message.
        let body = if grpc { Some(draft.body.clone().unwrap_or_default()) } else { draft.body_of(method) };
        let body = body.map(|bytes| draft.template(&bytes));
        if grpc && body.as_ref().is_some_and(Template::uses_any) {
            let why = "a message of gRPC has lengths in it, so a value of an answer cannot stand there: use it in a header";
            return Err(bad(why.to_owned()));
        }
        let headers = fields.iter().map(|(_, value)| value.clone()).collect();
        let fields = fields.into_iter().map(|(name, value)| (name.into_bytes(), Value::Template(value))).collect();
        let wrap = |bytes: Vec<u8>| if grpc { grpc::wrapped(&bytes) } else { bytes };
        let whole = body.as_ref().and_then(Template::constant).map(wrap);
        let parts = Parts { fields, path, headers, body, whole, grpc, bodiless: method == "HEAD" };
        Ok(parts.with_length())
    }

    /// With the field for the length of the body. gRPC libraries send none.
    fn with_length(mut self) -> Self {
        let length = match (&self.whole, &self.body) {
            _ if self.grpc => return self,
            (Some(bytes), _) => Value::Template(Template::fixed(bytes.len().to_string().as_bytes())),
            (None, Some(_)) => Value::Length,
            (None, None) => return self,
        };
        self.fields.push((b"content-length".to_vec(), length));
        self
    }

    /// The request on a connection where the server's table contains these fields.
    fn request(self, stored: &[(Vec<u8>, Vec<u8>)]) -> Request {
        let Parts { fields, body, whole, grpc, bodiless, .. } = self;
        Request { block: Block::new(fields, stored), body, whole, grpc, bodiless }
    }
}

/// A request that is sent repeatedly.
#[derive(Debug)]
pub struct Request {
    block: Block,
    body: Option<Template>,
    /// The body of every request, if it is always the same.
    whole: Option<Vec<u8>>,
    grpc: bool,
    /// Whether the answer to this request never has a body.
    pub bodiless: bool,
}

impl Request {
    /// The body of a call, if there is one. A body with variables is written to `filled`.
    pub(super) fn body<'a>(&'a self, call: &Call, filled: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        if self.whole.is_some() {
            return self.whole.as_deref();
        }
        filled.clear();
        self.body.as_ref()?.fill_with(&call.values, &call.taken, filled);
        if self.grpc {
            *filled = grpc::wrapped(filled);
        }
        Some(filled)
    }

    /// Writes the frames of the request's header fields. `length` is the length of the body; None: no body follows.
    pub(super) fn write_head(&self, stream: u32, table: Table, call: &Call, length: Option<usize>, out: &mut Vec<u8>) {
        let ends = if length.is_none() { frame::END_STREAM } else { 0 };
        let start = out.len();
        let head = |length, flags| Head { length, kind: frame::HEADERS, flags, stream };
        head(0, 0).write(out);
        self.block.write(table, (&call.values, &call.taken), length.unwrap_or_default(), out);
        let bytes = out.len() - start - frame::HEAD;
        if bytes <= frame::MOST {
            let mut written = Vec::with_capacity(frame::HEAD);
            head(bytes, ends | frame::END_HEADERS).write(&mut written);
            out[start..start + frame::HEAD].copy_from_slice(&written);
            return;
        }
        let block = out.split_off(start + frame::HEAD);
        out.truncate(start);
        let last = block.len().div_ceil(frame::MOST) - 1;
        for (place, part) in block.chunks(frame::MOST).enumerate() {
            let end = if place == last { frame::END_HEADERS } else { 0 };
            let (kind, flags) = if place == 0 { (frame::HEADERS, ends | end) } else { (frame::CONTINUATION, end) };
            frame::write(kind, flags, stream, part, out);
        }
    }
}
