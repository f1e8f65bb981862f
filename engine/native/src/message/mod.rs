//! One file or folder a message. Adding one: write it, name it in `all`, add it to `adapter.toml`.

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};

/// What of a request must come back in its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The operation asked for; empty where the request could not be read that far.
    pub operation: String,
    /// The request's own mark, in the message's own form: a JSON-RPC id as JSON text, a MessagePack-RPC id, a BinMessage client id.
    pub mark: Vec<u8>,
}

/// How calls and answers are encoded.
pub trait Message: Send + Sync + 'static {
    /// The name in a stack's name, and the path over HTTP.
    fn name(&self) -> &'static str;

    /// For HTTP.
    fn content_type(&self) -> &'static str;

    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// The call, or the refusal that will be sent as an answer.
    fn decode_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>);

    fn encode_answer(&self, reply: &Reply, answer: &Result<Answer, Fault>, out: &mut Vec<u8>);

    /// The answer to `call`. A server's fault is a `Failure` of kind `Fault`; bytes that mean nothing are `Protocol`.
    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure>;

    /// The description of the service for foreign clients, served over HTTP at `?wsdl`: media type and text.
    fn description(&self, _url: &str) -> Option<(&'static str, String)> {
        None
    }
}

/// The largest message in either direction. A request beyond it is refused, not read.
pub const LIMIT: usize = 512 << 20;
