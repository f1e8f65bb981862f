//! XML-RPC, <http://xmlrpc.com/spec.md>, over quick-xml's reader and writer events.
//!
//! Methods are `SpeedService.Sum`; the name without the service is understood too. Parameters go by position, records are structs, octets are base64. Two common
//! extensions are used where the specification has nothing: `<i8>` for long, and `<nil/>` as the result of an operation without one, since an
//! answer must hold a value. Text straight in a `<value>` is a string. Doubles have no NaN and no infinity, and no exponent.

mod reader;
mod writer;

use std::borrow::Cow;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};

use super::parameters::Parameters;
use super::trouble::Trouble;
use super::xml::pull::{Pull, is_named};
use super::xml::text;
use super::xml::writer::XmlWriter;
use super::{Mark, Message, Refusal, Reply, SERVICE};
use reader::{Params, value};
use writer::{Sink, Value};

pub struct XmlRpc;

impl Message for XmlRpc {
    fn name(&self) -> &'static str {
        "xmlrpc"
    }

    fn content_type(&self) -> &'static str {
        "text/xml; charset=utf-8"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut xml = XmlWriter::new(out)?;
        xml.open_bare("methodCall")?;
        call.encode(Parameters(&mut Sink(&mut xml)))?;
        xml.close("params")?;
        Ok(xml.close("methodCall")?)
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let (mut pull, operation) = match open_call(bytes) {
            Ok(opened) => opened,
            Err(trouble) => return Reply::default().refuse(Refusal::Unreadable, trouble.into_message()),
        };
        match read_params(&operation, &mut pull) {
            Ok(call) => Reply::to(call, Mark::None),
            Err(trouble) => Reply::refuse_call(Mark::None, &operation, trouble.into_message()),
        }
    }

    fn write_answer(&self, _: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut xml = XmlWriter::new(out)?;
        for name in ["methodResponse", "params", "param"] {
            xml.open_bare(name)?;
        }
        answer.encode(Value(&mut xml))?;
        for name in ["param", "params", "methodResponse"] {
            xml.close(name)?;
        }
        Ok(())
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        // The text was made valid for XML before, and memory accepts every write.
        let _ = write_fault(code(reply.refusal), &text::nearest(message), out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let mut pull = Pull::new(bytes)?;
        pull.expect("methodResponse")?;
        let part = pull.child()?.ok_or_else(|| Failure::protocol("an answer holds params or a fault"))?;
        match part.local_name().as_ref() {
            "params" => {
                pull.expect("param")?;
                pull.expect("value")?;
                let answer = read_result(call.operation(), &mut pull)?;
                pull.finish()?;
                Ok(answer)
            }
            "fault" => {
                pull.expect("value")?;
                Err(Failure::fault(reader::fault_string(&mut pull)?))
            }
            _ => Err(Failure::protocol("an answer holds params or a fault")),
        }
    }
}

/// Reads up to the parameters: the operation's name.
fn open_call(bytes: &[u8]) -> Result<(Pull<'_>, Cow<'_, str>), Trouble> {
    let mut pull = Pull::new(bytes)?;
    pull.expect("methodCall")?;
    pull.expect("methodName")?;
    let operation = match pull.text()? {
        Cow::Borrowed(name) => Cow::Borrowed(without_service(name)),
        Cow::Owned(name) => Cow::Owned(without_service(&name).to_owned()),
    };
    Ok((pull, operation))
}

fn without_service(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix(SERVICE).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}

/// The parameters. The element may be missing if there are none.
fn read_params(operation: &str, pull: &mut Pull) -> Result<Call, Trouble> {
    let open = match pull.child()? {
        Some(start) if is_named(&start, "params") => true,
        Some(_) => return Err(Trouble::protocol("a call holds a method's name and params")),
        None => false,
    };
    let call = Call::decode(operation, Params { pull, open })?;
    pull.finish()?;
    Ok(call)
}

fn read_result(operation: &str, pull: &mut Pull) -> Result<Answer, Trouble> {
    if Answer::is_nothing(operation) { Ok(Answer::Nothing) } else { Answer::decode(operation, value(pull)) }
}

/// The codes on which implementations have agreed: <http://xmlrpc-epi.sourceforge.net/specs/rfc.fault_codes.php>.
fn code(refusal: Option<Refusal>) -> i32 {
    match refusal {
        Some(Refusal::Unreadable) => -32700,
        Some(Refusal::NoRequest | Refusal::Version | Refusal::Demand) => -32600,
        Some(Refusal::NoOperation) => -32601,
        Some(Refusal::BadParameters) => -32602,
        None => -32500,
    }
}

fn write_fault(code: i32, message: &str, out: &mut Vec<u8>) -> Result<(), Trouble> {
    #[derive(serde::Serialize)]
    struct Fault<'a> {
        #[serde(rename = "faultCode")]
        code: i32,
        #[serde(rename = "faultString")]
        string: &'a str,
    }
    let mut xml = XmlWriter::new(out)?;
    xml.open_bare("methodResponse")?;
    xml.open_bare("fault")?;
    serde::Serialize::serialize(&Fault { code, string: message }, Value(&mut xml))?;
    xml.close("fault")?;
    xml.close("methodResponse")
}
