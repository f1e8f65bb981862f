//! `FlatBuffers` by the schema `contract/service.fbs`: tables written with the crate `flatbuffers`, and read where they lie.
//!
//! A call is a table of its id, and of one of the tables of parameters as a union; an answer is alike. There is no generated code: a
//! member's number is its place in its record, for writing and for reading, which `read` does with every place checked.
//!
//! A service of the user's own has a schema of the same form. Its calls have the numbers from `callbench_own::FIRST_TAG` on in both unions.
//! What the format lacks is made of tables: a map is a vector of them, sorted by key, and a vector within a vector has one around it.

mod key;
mod read;
mod write;

use callbench_kit::{Failure, Kind};
use callbench_own as own;
use callbench_service::call::OPERATIONS;
use callbench_service::{Answer, Call, Fault};
use flatbuffers::FlatBufferBuilder;

use super::trouble::Trouble;
use super::{Mark, Message, Refusal, Reply};
use read::{Source, Table};
use write::{Builder, Held, Scalar, Writer, table};

/// The id of every request: a connection has one call under way at a time.
const ID: u32 = 1;
/// The kind of answer that is a fault. The kinds are the union `Answer` of the schema; 0 is none.
const FAULT: u8 = 1;
/// What most messages fit into.
const SHORT: usize = 256;
/// The kind of the first call of a service of the user's own, and of its answer.
const FIRST_OWN: usize = own::FIRST_TAG as usize;

pub struct FlatBuffers;

impl Message for FlatBuffers {
    fn name(&self) -> &'static str {
        "flatbuffers"
    }

    fn content_type(&self) -> &'static str {
        "application/x-flatbuffers"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let kind = kind_of_call(call.operation());
        if kind == 0 {
            return Err(Failure::new(Kind::CannotCarry, format!("the union of calls has no place for {}", call.operation())));
        }
        let mut to = FlatBufferBuilder::with_capacity(SHORT);
        let parameters = call.encode(Writer(&mut to))?;
        finish(to, ID, kind, parameters, out);
        Ok(())
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let source = Source::new(bytes);
        let (mark, kind, parameters) = match head(&source) {
            Ok((id, kind, parameters)) => (Mark::Number(i64::from(id)), kind, parameters),
            Err(error) => return Reply::default().refuse(Refusal::Unreadable, error.into_message()),
        };
        let Some(operation) = operation_of(kind) else {
            let nothing = Reply { mark, ..Reply::default() };
            return nothing.refuse(Refusal::NoOperation, "the request holds no call that the service has");
        };
        match parameters.and_then(|table| Call::decode(operation, table)) {
            Ok(call) => Reply::to(call, mark),
            Err(error) => Reply::refuse_call(mark, operation, error.into_message()),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut to = FlatBufferBuilder::with_capacity(SHORT);
        let value = answer.encode(Writer(&mut to))?;
        let holder = Held::At(table(&mut to, &[value]));
        finish(to, id(reply), kind_of_answer(reply.operation), holder, out);
        Ok(())
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        let mut to = FlatBufferBuilder::with_capacity(SHORT);
        let text = Held::At(flatbuffers::WIPOffset::new(to.create_string(message).value()));
        let holder = Held::At(table(&mut to, &[text]));
        finish(to, id(reply), FAULT, holder, out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let (source, operation) = (Source::new(bytes), call.operation());
        let (id, kind, holder) = head(&source)?;
        let value = holder?.field(0)?;
        if kind == FAULT {
            return Err(Failure::fault(value.text()?));
        }
        if (id, kind) != (ID, kind_of_answer(operation)) {
            return Err(Failure::protocol("this is no answer to the request"));
        }
        if Answer::is_nothing(operation) {
            return Ok(Answer::Nothing);
        }
        Ok(Answer::decode(operation, value)?)
    }
}

fn id(reply: &Reply) -> u32 {
    if let Mark::Number(id) = reply.mark { id as u32 } else { 0 }
}

/// The union of calls has them in the order of the service; 0 is none.
fn kind_of_call(operation: &str) -> u8 {
    let place = OPERATIONS.iter().position(|it| *it == operation);
    place.map_or_else(|| kind_of_own(operation), |at| at as u8 + 1)
}

fn kind_of_own(operation: &str) -> u8 {
    own::place_of(operation).and_then(|place| u8::try_from(FIRST_OWN + place).ok()).unwrap_or_default()
}

fn operation_of(kind: u8) -> Option<&'static str> {
    let kind = usize::from(kind);
    kind.checked_sub(FIRST_OWN).map_or_else(|| OPERATIONS.get(kind.checked_sub(1)?), |place| own::CALLS.get(place)).copied()
}

/// The union of answers.
fn kind_of_answer(operation: &str) -> u8 {
    match operation {
        "Sum" => 3,
        "GetPersons" => 4,
        "GetBinaryData" => 5,
        "EchoStructure" => 6,
        "EchoString" | "Hello" => 7,
        "FindItems" => 8,
        _ if Answer::is_nothing(operation) => 2,
        own => kind_of_own(own),
    }
}

/// Ends a message: its id, and a union.
fn finish(mut to: Builder, id: u32, kind: u8, held: Held, out: &mut Vec<u8>) {
    let root = table(&mut to, &[Held::Always(Scalar::Natural(id)), Held::Scalar(Scalar::Byte(kind)), held]);
    to.finish_minimal(root);
    out.extend_from_slice(to.finished_data());
}

/// The id, the kind and the table of a message.
type Head<'a, 'de> = (u32, u8, Result<Table<'a, 'de>, Trouble>);

fn head<'a, 'de>(source: &'a Source<'de>) -> Result<Head<'a, 'de>, Trouble> {
    let root = source.root()?;
    Ok((root.field(0)?.number()?, root.field(1)?.byte()?, root.field(2)?.table()))
}
