//! One file or folder a message. Adding one: write it, name it in `all`, add it to `adapter.toml`.

mod array_rpc;
mod avro;
mod bin;
mod bincomp;
mod cbor;
mod flatbuffers;
mod json;
mod msgpack;
mod parameters;
mod protobuf;
mod reply;
mod soap;
mod trouble;
mod xml;
mod xmlrpc;

use std::sync::Arc;

use callbench_kit::stack::{AnswerKind, LIMIT, Options};
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call, Fault};

pub use reply::{Client, Mark, Refusal, Reply};

/// The maximum nesting of a message, if its form allows nesting.
const DEPTH: usize = 64;

/// The service's name, in the messages that carry it.
const SERVICE: &str = "SpeedService";

/// Every message.
#[must_use]
pub fn all() -> Vec<Arc<dyn Message>> {
    vec![
        Arc::new(soap::Soap),
        Arc::new(xmlrpc::XmlRpc),
        Arc::new(bin::Bin),
        Arc::new(bincomp::BinComp::default()),
        Arc::new(json::Json),
        Arc::new(msgpack::MsgPack),
        Arc::new(cbor::Cbor),
        Arc::new(avro::Avro),
        Arc::new(flatbuffers::FlatBuffers),
        Arc::new(protobuf::Protobuf),
    ]
}

/// How calls and answers are encoded. A message implements the `write_` and `read_` functions. Users call the `encode_` and `decode_` functions,
/// which check the limit and remove partial output.
pub trait Message: Send + Sync + 'static {
    /// The name in a stack's name, and the path over HTTP.
    fn name(&self) -> &'static str;

    /// For HTTP.
    fn content_type(&self) -> &'static str;

    /// The options of `connect` that the message understands.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// The message as a client with these options writes it, where they say anything of it.
    fn with(&self, _options: &Options) -> Result<Option<Arc<dyn Message>>, Failure> {
        Ok(None)
    }

    /// Appends the request for `call`. If the form cannot represent a value: `Failure` of kind `CannotCarry`.
    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// The call, or the refusal that will be sent as an answer.
    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>);

    /// Appends the answer. If it fails, `out` is truncated and the failure is sent as a fault.
    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Appends a fault. It cannot fail: text that the message cannot represent is replaced by similar text.
    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>);

    /// The answer to `call`. A server's fault is a `Failure` of kind `Fault`; bytes that mean nothing are `Protocol`.
    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure>;

    /// HTTP's status for a fault: most messages leave HTTP out of it.
    fn fault_status(&self) -> u16 {
        200
    }

    /// The description of the service for foreign clients, served over HTTP at `?wsdl`: media type and text.
    fn description(&self, _url: &str) -> Option<(&'static str, String)> {
        None
    }

    /// Appends the request for `call`; nothing if it fails.
    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let start = out.len();
        let written = self.write_request(call, out).and_then(|()| within_limit("request", out.len() - start));
        if written.is_err() {
            out.truncate(start);
        }
        written
    }

    /// The call, or the refusal that will be sent as an answer.
    fn decode_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        match within_limit("request", bytes.len()) {
            Ok(()) => self.read_request(bytes),
            Err(failure) => Reply::default().refuse(Refusal::Unreadable, failure.message),
        }
    }

    /// Appends the answer or the fault, and returns which of the two. If the message cannot represent an answer, a fault says so.
    fn encode_answer(&self, reply: &Reply, answer: &Result<Answer, Fault>, out: &mut Vec<u8>) -> AnswerKind {
        let start = out.len();
        match answer {
            Ok(answer) => {
                let written = self.write_answer(reply, answer, out).and_then(|()| within_limit("answer", out.len() - start));
                let Err(failure) = written else { return AnswerKind::Answer };
                out.truncate(start);
                self.write_fault(reply, &failure.message, out);
            }
            Err(fault) => self.write_fault(reply, &fault.message, out),
        }
        AnswerKind::Fault
    }
}

fn within_limit(what: &str, length: usize) -> Result<(), Failure> {
    if length <= LIMIT {
        return Ok(());
    }
    Err(Failure::new(Kind::TooLarge, format!("the {what} has {length} bytes: a message has {LIMIT} at most")))
}
