//! SOAP 1.1, rpc/encoded, over quick-xml's reader and writer events.
//!
//! A server answers whoever writes XML: any prefix, members in any order, namespaces declared anywhere, comments, processing instructions and `CDATA`.
//! Elements are known by their place and local name; of namespaces only the envelope's is looked at, since it tells SOAP 1.1 from
//! others. Document types, references by `href` and header entries that must be understood are refused, each with a fault. NaN loses its payload.

mod envelope;
mod reader;
mod schema;
mod writer;
mod wsdl;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};

use super::parameters::Parameters;
use super::trouble::Trouble;
use super::xml::pull::Pull;
use super::xml::writer::{Tag, XmlWriter};
use super::{Mark, Message, Refusal, Reply};
use envelope::{close, fault_code, open, open_body};
use reader::Element;
use schema::operation;
use writer::{Sink, Value};

/// The service's namespace, as the vendor's rule makes it: `urn:LIBRARY-SERVICE`.
const NAMESPACE: &str = "urn:SpeedLibrary-SpeedService";

pub struct Soap;

impl Message for Soap {
    fn name(&self) -> &'static str {
        "soap"
    }

    fn content_type(&self) -> &'static str {
        "text/xml; charset=utf-8"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let operation = operation(call.operation()).ok_or_else(|| Failure::protocol("the schema lacks an operation"))?;
        let mut xml = open(out)?;
        call.encode(Parameters(&mut Sink { xml: &mut xml, operation, written: 0 }))?;
        xml.close(operation.request.name())?;
        Ok(close(&mut xml)?)
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let mut pull = match Pull::new(bytes) {
            Ok(pull) => pull,
            Err(trouble) => return Reply::default().refuse(Refusal::Unreadable, trouble.into_message()),
        };
        let start = match open_body(&mut pull) {
            Ok(start) => start,
            Err((refusal, trouble)) => return Reply::default().refuse(refusal, trouble.into_message()),
        };
        let named = start.clone();
        let operation = named.local_name();
        let operation = operation.as_ref();
        let call = Call::decode(operation, Element { pull: &mut pull, start }).and_then(|call| {
            // What follows the call can only be what references would refer to, and they are refused.
            pull.finish().map(|()| call)
        });
        match call {
            Ok(call) => Reply::to(call, Mark::None),
            Err(trouble) => Reply::refuse_call(Mark::None, operation, trouble.into_message()),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let operation = operation(reply.operation).ok_or_else(|| Failure::protocol("an answer to no operation"))?;
        let mut xml = open(out)?;
        xml.open(&operation.answer)?;
        if let Some(slot) = &operation.result {
            answer.encode(Value { xml: &mut xml, slot })?;
        }
        xml.close(operation.answer.name())?;
        Ok(close(&mut xml)?)
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        // The text was made valid for XML before, and memory accepts every write.
        let _ = write_fault(fault_code(reply.refusal), message, out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let mut pull = Pull::new(bytes)?;
        let start = open_body(&mut pull).map_err(|(_, trouble)| trouble)?;
        let name = start.local_name();
        if name.as_ref() == "Fault" {
            return Err(envelope::read_fault(&mut pull)?);
        }
        if name.as_ref().strip_suffix("Response") != Some(call.operation()) {
            return Err(Failure::protocol(format!("this is no answer to {}", call.operation())));
        }
        let answer = read_result(call.operation(), &mut pull)?;
        pull.finish()?;
        Ok(answer)
    }

    /// SOAP 1.1, section 6.2.
    fn fault_status(&self) -> u16 {
        500
    }

    fn description(&self, url: &str) -> Option<(&'static str, String)> {
        wsdl::describe(url).map(|text| ("text/xml; charset=utf-8", text))
    }
}

fn read_result(operation: &str, pull: &mut Pull) -> Result<Answer, Trouble> {
    if Answer::is_nothing(operation) {
        return Ok(Answer::Nothing);
    }
    let start = pull.child()?.ok_or_else(|| Trouble::protocol("the answer has no result"))?;
    Answer::decode(operation, Element { pull, start })
}

fn write_fault(code: &str, message: &str, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let mut xml: XmlWriter = open(out)?;
    let fault = Tag::new("SOAP-ENV:Fault", "");
    xml.open(&fault)?;
    xml.open_bare("faultcode")?;
    xml.raw(code)?;
    xml.close("faultcode")?;
    xml.open_bare("faultstring")?;
    xml.nearest(message)?;
    xml.close("faultstring")?;
    xml.close(fault.name())?;
    close(&mut xml)
}
