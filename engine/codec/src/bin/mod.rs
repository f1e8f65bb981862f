//! `RemObjects` `BinMessage`: a header of 28 bytes, two strings, then values by position, without names or tags; little-endian throughout.
//!
//! Of the form's types these are used: byte, char, short and int as `Integer`, long as `Int64`, float and double as `Double`, boolean as `Boolean`, string
//! as `Utf8String`, octets as `Binary`, a record as a `Struct` with its type's name, a list as an `Array`. An optional member is an `Array` of none or one,
//! since the form has no optional members and its null structs are read differently by two versions of the vendor's client. Null structs are
//! refused; null arrays and null binaries are read as empty. The client id is opaque: ours is fixed, and the server repeats whatever came.

mod header;
mod reader;
mod writer;

use header::Type;
pub use header::{BODY, Header, WORD};

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};

use super::trouble::Trouble;
use super::{Mark, Message, Refusal, Reply, SERVICE};
use reader::Reader;
use writer::{Sink, Writer};

/// The class of a fault, in the place where the form names an exception's class.
const FAULT: &str = "Exception";

pub struct Bin;

impl Message for Bin {
    fn name(&self) -> &'static str {
        "bin"
    }

    fn content_type(&self) -> &'static str {
        "application/octet-stream"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        Header::new(Type::Message, &header::CLIENT).write(out);
        Ok(call.encode(super::parameters::Parameters(&mut Sink(out)))?)
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        match Header::read(bytes) {
            Ok((header, body)) if header.flags == 0 => read_call(&header, body),
            Ok((header, _)) => refuse_header(&header),
            Err(trouble) => Reply::default().refuse(Refusal::Unreadable, trouble.into_message()),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        Header::new(Type::Message, client(reply)).write(out);
        writer::text(SERVICE, out)?;
        writer::text(reply.operation, out)?;
        Ok(answer.encode(Writer(out))?)
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        Header::new(Type::Exception, client(reply)).write(out);
        for part in [FAULT, message] {
            // Only text beyond 2 GiB has no length here, so a fault's sentence always fits.
            let _ = writer::text(part, out);
        }
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let (header, body) = Header::read(bytes)?;
        if header.flags != 0 {
            return Err(Failure::protocol("the answer is compressed, which bincomp reads and bin does not"));
        }
        read_answer(&header, call, body)
    }
}

fn client(reply: &Reply) -> &[u8; 16] {
    if let Mark::Client(client) | Mark::Worded(client, _) = &reply.mark { &client.0 } else { &header::CLIENT }
}

#[cold]
pub fn refuse_header(header: &Header) -> (Reply, Result<Call, Fault>) {
    refuse(header, Refusal::Unreadable, format!("flags {:#04x} are not among those that this message has", header.flags))
}

#[cold]
fn refuse(header: &Header, refusal: Refusal, message: String) -> (Reply, Result<Call, Fault>) {
    Reply { mark: header.mark(), ..Reply::default() }.refuse(refusal, message)
}

#[cold]
fn refuse_service(header: &Header, service: &[u8]) -> (Reply, Result<Call, Fault>) {
    match reader::utf8(service) {
        Ok(service) => {
            let shown: String = service.chars().take(64).collect();
            refuse(header, Refusal::NoOperation, format!("there is no service {shown}: it is called {SERVICE}"))
        }
        Err(trouble) => refuse(header, Refusal::Unreadable, trouble.into_message()),
    }
}

/// The call in a body that is not, or no longer, compressed.
#[inline]
pub fn read_call(header: &Header, body: &[u8]) -> (Reply, Result<Call, Fault>) {
    if header.kind != Type::Message as u8 {
        return refuse(header, Refusal::NoRequest, format!("a message of type {:#04x} is no request", header.kind));
    }
    let mut from = Reader(body);
    let (service, operation) = match from.octets().and_then(|service| from.text().map(|operation| (service, operation))) {
        Ok(read) => read,
        Err(trouble) => return refuse(header, Refusal::Unreadable, trouble.into_message()),
    };
    // The correct name is compared as bytes, so only other names must be checked as UTF-8.
    if service != SERVICE.as_bytes() {
        return refuse_service(header, service);
    }
    match Call::decode(operation, reader::Parameters(&mut from)) {
        Ok(call) => Reply::to(call, header.mark()),
        Err(trouble) => Reply::refuse_call(header.mark(), operation, trouble.into_message()),
    }
}

/// The answer in a body that is not, or no longer, compressed.
pub fn read_answer(header: &Header, call: &Call, body: &[u8]) -> Result<Answer, Failure> {
    let mut from = Reader(body);
    let (_, second) = (from.text()?, from.text()?);
    if header.kind == Type::Exception as u8 {
        return Err(Failure::fault(second));
    }
    if header.kind != Type::Message as u8 {
        return Err(Failure::protocol(format!("a message of type {:#04x} is no answer", header.kind)));
    }
    let answer = read_value(call.operation(), &mut from)?;
    from.end()?;
    Ok(answer)
}

fn read_value(operation: &str, from: &mut Reader) -> Result<Answer, Trouble> {
    if Answer::is_nothing(operation) { Ok(Answer::Nothing) } else { Answer::decode(operation, from) }
}
