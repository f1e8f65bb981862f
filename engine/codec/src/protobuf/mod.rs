//! Protocol Buffers with `prost`: the envelope `CallRequest` and `CallAnswer` of `contract/service.proto`, whose `oneof` names the operation.
//!
//! Encoding goes straight from the call or the answer: `write` puts the envelope's tags and lengths around the records, which encode
//! themselves. Decoding is `envelope`'s derived messages, whose fields are moved out, never copied.

mod envelope;
mod write;

use callbench_kit::Failure;
use callbench_own as own;
use callbench_service::{Answer, Call, Fault};
use prost::Message as _;

use super::{Mark, Message, Refusal, Reply};
use envelope::{CallAnswer, CallRequest, WithOwn};

/// The id of every request: a connection has one call under way at a time.
const ID: u32 = 1;

/// The initial capacity for a short message.
const SHORT: usize = 64;

pub struct Protobuf;

impl Message for Protobuf {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn content_type(&self) -> &'static str {
        "application/x-protobuf"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.reserve(SHORT);
        write::id(ID, out);
        write::request(call, out);
        Ok(())
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        // `decode` would hand the request on by moving it, which takes longer than reading a short one.
        let mut request = WithOwn::<CallRequest, own::Request>::default();
        if let Err(error) = request.merge(bytes) {
            return Reply::default().refuse(Refusal::Unreadable, error.to_string());
        }
        let mark = Mark::Number(i64::from(request.known.id));
        if let Some(call) = request.own {
            return Reply::to(Call::Own(call), mark);
        }
        match request.known.call {
            None => Reply { mark, ..Reply::default() }.refuse(Refusal::NoOperation, "the request holds no call that the service has"),
            Some(call) => call.into_call(mark),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.reserve(SHORT);
        write::id(id(reply), out);
        write::answer(answer, out);
        Ok(())
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        out.reserve(SHORT);
        write::id(id(reply), out);
        write::fault(message, out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let WithOwn { known: CallAnswer { id, answer }, own } =
            WithOwn::<CallAnswer, own::Answer>::decode(bytes).map_err(Failure::protocol)?;
        let answer = match own {
            Some(answer) => Answer::Own(answer),
            None => answer.ok_or_else(|| Failure::protocol("the answer holds nothing that the service answers"))?.into_answer()?,
        };
        if id != ID || !fits(call.operation(), &answer) {
            return Err(Failure::protocol("this is no answer to the request"));
        }
        Ok(answer)
    }
}

fn id(reply: &Reply) -> u32 {
    if let Mark::Number(id) = reply.mark { id as u32 } else { 0 }
}

/// Whether `operation` answers with this kind of value.
fn fits(operation: &str, answer: &Answer) -> bool {
    match answer {
        Answer::Nothing => Answer::is_nothing(operation),
        Answer::Number(_) => operation == "Sum",
        Answer::Persons(_) => operation == "GetPersons",
        Answer::Octets(_) => operation == "GetBinaryData",
        Answer::Structure(_) => operation == "EchoStructure",
        Answer::Text(_) => matches!(operation, "EchoString" | "Hello"),
        Answer::Found(_) => operation == "FindItems",
        Answer::Own(answer) => operation == own::CALLS[answer.place()],
    }
}
