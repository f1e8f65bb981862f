//! What a server keeps of a request until it answers.

use callbench_service::call::operations;
use callbench_service::{Call, Fault};

/// What of a request must come back in its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The requested operation; empty if it could not be read.
    pub operation: &'static str,
    pub mark: Mark,
    /// Why the message itself refused the request; None if the service received it.
    pub refusal: Option<Refusal>,
}

/// The request's own mark, which its answer repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Mark {
    #[default]
    None,
    /// A number, in any message that counts its calls.
    Number(i64),
    /// A `BinMessage` client id.
    Client(Client),
    /// The same with the request's user word.
    Worded(Client, [u8; 2]),
    /// A JSON-RPC id that is not an integer, as JSON text.
    Json(Box<str>),
}

/// Sixteen opaque bytes. They are aligned so that a mark is moved in whole words, which is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(8))]
pub struct Client(pub [u8; 16]);

/// Why a request did not reach the service. Messages have their own codes for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not in the message's form at all.
    Unreadable,
    /// In its form, but not a request.
    NoRequest,
    NoOperation,
    BadParameters,
    /// Of another version of the form.
    Version,
    /// It demands an extension that is not there.
    Demand,
}

impl Reply {
    /// A request that was read.
    #[expect(clippy::inline_always, reason = "both are long, and are to be made where the caller wants them")]
    #[inline(always)]
    pub fn to(call: Call, mark: Mark) -> (Reply, Result<Call, Fault>) {
        (Reply { operation: call.operation(), mark, refusal: None }, Ok(call))
    }

    /// A request that is turned down.
    #[cold]
    pub fn refuse(mut self, refusal: Refusal, message: impl Into<String>) -> (Reply, Result<Call, Fault>) {
        self.refusal = Some(refusal);
        (self, Err(Fault { message: message.into() }))
    }

    /// A request for an operation, known or not, that turned out to be wrong.
    #[cold]
    pub fn refuse_call(mark: Mark, operation: &str, message: impl Into<String>) -> (Reply, Result<Call, Fault>) {
        match known(operation) {
            Some(operation) => Reply { operation, mark, refusal: None }.refuse(Refusal::BadParameters, message),
            None => Reply { mark, ..Reply::default() }.refuse(Refusal::NoOperation, message),
        }
    }
}

/// The operation of this name, if the service has one.
pub fn known(operation: &str) -> Option<&'static str> {
    operations().find(|it| *it == operation)
}
