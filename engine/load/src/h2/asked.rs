//! What is asked of a server in every call: the request, and what its answer must be.

use std::sync::Arc;

use callbench_kit::Failure;

use super::block::{Block, Table, Value};
use super::frame::{self, Head};
use super::grpc;
use crate::carrier::Asks;
use crate::draft::{Draft, bad};
use crate::protocol::Protocol;
use crate::request::{Template, Values};
use crate::settings::Settings;
use crate::wishes::Wished;

/// Headers that are about a connection of HTTP/1.1.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "keep-alive", "proxy-connection", "upgrade"];

/// A request, and what is said of its answers.
#[derive(Debug)]
pub struct Asked {
    pub settings: Arc<Settings>,
    block: Block,
    body: Option<Template>,
    /// The body of every request, where they are the same.
    whole: Option<Vec<u8>>,
    /// Whether the body is a message of gRPC, and so is the answer's.
    pub grpc: bool,
    /// Whether the answer to it has no body, whatever its head says.
    pub bodiless: bool,
}

impl Asks for Asked {
    fn of(wished: Wished, protocol: Protocol) -> Result<Self, Failure> {
        of_draft(&wished.draft, wished.settings, protocol)
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl Asked {
    /// `fields` are the request's, names in lower case, pseudo-fields first. With `grpc` the body is a message.
    #[must_use]
    pub fn new(settings: Arc<Settings>, fields: Vec<(String, Template)>, body: Option<Template>, grpc: bool, bodiless: bool) -> Self {
        let mut fields: Vec<(Vec<u8>, Value)> =
            fields.into_iter().map(|(name, value)| (name.into_bytes(), Value::Template(value))).collect();
        let wrap = |octets: Vec<u8>| if grpc { grpc::wrapped(&octets) } else { octets };
        let whole = body.as_ref().and_then(Template::constant).map(wrap);
        match (&whole, &body) {
            // gRPC's libraries say no length.
            _ if grpc => {}
            (Some(octets), _) => {
                let length = Template::fixed(octets.len().to_string().as_bytes());
                fields.push((b"content-length".to_vec(), Value::Template(length)));
            }
            (None, Some(_)) => fields.push((b"content-length".to_vec(), Value::Length)),
            (None, None) => {}
        }
        Asked { settings, block: Block::new(fields), body, whole, grpc, bodiless }
    }

    /// What the other side's table is of use for.
    pub(super) fn table(&self) -> Table {
        if self.block.keeps() { Table::Empty } else { Table::Unused }
    }

    /// The body with these values, if there is one; `filled` is where one that varies is written.
    pub(super) fn body<'a>(&'a self, values: &Values, filled: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        if self.whole.is_some() {
            return self.whole.as_deref();
        }
        filled.clear();
        self.body.as_ref()?.fill(values, filled);
        if self.grpc {
            *filled = grpc::wrapped(filled);
        }
        Some(filled)
    }

    /// Writes the frames of a request's head. `length` is the body's; None: no body follows.
    pub(super) fn write_head(&self, stream: u32, table: Table, values: &Values, length: Option<usize>, out: &mut Vec<u8>) {
        let ends = if length.is_none() { frame::END_STREAM } else { 0 };
        let start = out.len();
        let head = |length, flags| Head { length, kind: frame::HEADERS, flags, stream };
        head(0, 0).write(out);
        self.block.write(table, values, length.unwrap_or_default(), out);
        let octets = out.len() - start - frame::HEAD;
        if octets <= frame::MOST {
            let mut written = Vec::with_capacity(frame::HEAD);
            head(octets, ends | frame::END_HEADERS).write(&mut written);
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

/// A request as HTTP/2 has it, or gRPC.
pub fn of_draft(draft: &Draft, settings: Arc<Settings>, protocol: Protocol) -> Result<Asked, Failure> {
    let grpc = protocol == Protocol::Grpc;
    let method = draft.method_of(protocol)?;
    let endpoint = &settings.endpoint;
    let authority = draft.header("host").unwrap_or(&endpoint.authority);
    let scheme = if endpoint.secure { "https" } else { "http" };
    let pseudo = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", &endpoint.target)];
    let mut fields: Vec<(String, Template)> =
        pseudo.iter().map(|(name, value)| ((*name).to_owned(), draft.template(value.as_bytes()))).collect();
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
            return Err(bad(format!("the header {name} cannot be sent through HTTP/2: it is about a connection of HTTP/1.1")));
        }
        fields.push((name, draft.template(value.as_bytes())));
    }
    // A call of gRPC without a body has an empty message.
    let body = if grpc { Some(draft.body.clone().unwrap_or_default()) } else { draft.body_of(method) };
    let body = body.map(|octets| draft.template(&octets));
    let bodiless = method == "HEAD";
    Ok(Asked::new(settings, fields, body, grpc, bodiless))
}
