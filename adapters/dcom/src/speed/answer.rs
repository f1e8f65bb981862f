//! ORPCTHAT, the result of a call, and its HRESULT. If the service refuses, the result is empty, as with MIDL's stubs. The HRESULT is then
//! `E_INVALIDARG`, and ORPCTHAT contains the message.

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault, Octets};

use crate::ndr::{Malformed, Ndr, Reader, Writer};
use crate::orpc::{get_that, put_that};
use crate::status;

pub fn put(call: &Call, answer: Result<&Answer, &Fault>, out: &mut Writer<'_>) {
    put_that(out, answer.err().map(|fault| fault.message.as_str()));
    match answer {
        Ok(answer) => put_value(answer, out),
        Err(_) => put_value(&empty(call), out),
    }
    out.u32(if answer.is_ok() { 0 } else { status::INVALID_ARGUMENT });
}

fn put_value(answer: &Answer, out: &mut Writer<'_>) {
    match answer {
        // A service of the user's own has no interface here.
        Answer::Nothing | Answer::Own(_) => {}
        Answer::Number(it) => it.put(out),
        Answer::Persons(it) => it.put(out),
        Answer::Octets(it) => it.put(out),
        Answer::Structure(it) => it.put(out),
        Answer::Text(it) => it.put(out),
        Answer::Found(it) => it.put(out),
    }
}

fn empty(call: &Call) -> Answer {
    match call {
        Call::Empty | Call::Send(_) | Call::Own(_) => Answer::Nothing,
        Call::Sum { .. } => Answer::Number(0),
        Call::GetPersons { .. } => Answer::Persons(Vec::new()),
        Call::GetBinaryData { .. } => Answer::Octets(Octets::default()),
        Call::EchoStructure(_) => Answer::Structure(Box::default()),
        Call::EchoString(_) | Call::Hello => Answer::Text(String::new()),
        Call::FindItems { .. } => Answer::Found(Box::default()),
    }
}

/// The answer in the stub data of a response. The service's "no" is a `Failure` of kind `Fault`.
pub fn get(call: &Call, stub: &[u8]) -> Result<Answer, Failure> {
    let mut from = Reader::new(stub);
    let (words, answer, result) = read(call, &mut from).map_err(Failure::protocol)?;
    match result {
        0 => Ok(answer),
        failed => Err(Failure::fault(words.unwrap_or_else(|| format!("the object gave {}", status::describe(failed))))),
    }
}

fn read(call: &Call, from: &mut Reader<'_>) -> Result<(Option<String>, Answer, u32), Malformed> {
    let words = get_that(from)?;
    let answer = match call {
        Call::Empty | Call::Send(_) | Call::Own(_) => Answer::Nothing,
        Call::Sum { .. } => Answer::Number(i32::get(from)?),
        Call::GetPersons { .. } => Answer::Persons(Vec::get(from)?),
        Call::GetBinaryData { .. } => Answer::Octets(Octets::get(from)?),
        Call::EchoStructure(_) => Answer::Structure(Box::get(from)?),
        Call::EchoString(_) | Call::Hello => Answer::Text(String::get(from)?),
        Call::FindItems { .. } => Answer::Found(Box::get(from)?),
    };
    Ok((words, answer, from.u32()?))
}
