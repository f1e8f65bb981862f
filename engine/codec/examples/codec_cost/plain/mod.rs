//! The simplest use of each message's library: code for this one call only.

mod bin;
mod json;
mod msgpack;
mod protobuf;
mod xml;

use callbench_service::{Answer, Call, Fault, Person};

use super::Work;

pub struct Plain<'a> {
    pub encode: Work<'a>,
    pub decode: Work<'a>,
}

/// What a case is about, without our types around it.
#[derive(Clone, Copy)]
pub enum Data<'a> {
    Sum(i32, i32),
    Persons(&'a [Person]),
    Octets(&'a [u8]),
}

pub fn of<'a>(message: &str, call: &'a Call, answer: &'a Result<Answer, Fault>, is_request: bool, bytes: &'a [u8]) -> Plain<'a> {
    let data = match (call, answer) {
        (Call::Sum { a, b }, _) if is_request => Data::Sum(*a, *b),
        (_, Ok(Answer::Persons(persons))) => Data::Persons(persons),
        (_, Ok(Answer::Octets(octets))) => Data::Octets(&octets.0),
        _ => unreachable!("there is no such case"),
    };
    match message {
        "json" => json::of(data, bytes),
        "msgpack" => msgpack::of(data, bytes),
        "protobuf" => protobuf::of(data, bytes),
        "bin" => bin::of(data, bytes, false),
        "bincomp" => bin::of(data, bytes, true),
        "soap" => xml::of(data, bytes, &xml::SOAP),
        "xmlrpc" => xml::of(data, bytes, &xml::XMLRPC),
        other => unreachable!("{other} is new: write its plainest use"),
    }
}
