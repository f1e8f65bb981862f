use std::hint::black_box;

use callbench_service::Person;
use prost::Message;

use super::{Data, Plain};

#[derive(Clone, PartialEq, Message)]
struct SumRequest {
    #[prost(int32, tag = "1")]
    a: i32,
    #[prost(int32, tag = "2")]
    b: i32,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Call {
    #[prost(message, tag = "3")]
    Sum(SumRequest),
}

#[derive(Clone, PartialEq, Message)]
struct CallRequest {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(oneof = "Call", tags = "3")]
    call: Option<Call>,
}

#[derive(Clone, PartialEq, Message)]
struct GetPersonsAnswer {
    #[prost(message, repeated, tag = "1")]
    result: Vec<Person>,
}

#[derive(Clone, PartialEq, Message)]
struct GetBinaryDataAnswer {
    #[prost(bytes = "vec", tag = "1")]
    result: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Answer {
    #[prost(message, tag = "5")]
    Persons(GetPersonsAnswer),
    #[prost(message, tag = "6")]
    Octets(GetBinaryDataAnswer),
}

#[derive(Clone, PartialEq, Message)]
struct CallAnswer {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(oneof = "Answer", tags = "5, 6")]
    answer: Option<Answer>,
}

fn plain<M: Message + Default + 'static>(message: M, bytes: &[u8]) -> Plain<'_> {
    assert_eq!(message.encode_to_vec(), bytes);
    Plain {
        encode: Box::new(move || drop(black_box(black_box(&message).encode_to_vec()))),
        decode: Box::new(move || {
            black_box(&M::decode(black_box(bytes)).expect("it can be read"));
        }),
    }
}

pub fn of<'a>(data: Data<'a>, bytes: &'a [u8]) -> Plain<'a> {
    match data {
        Data::Sum(a, b) => plain(CallRequest { id: 1, call: Some(Call::Sum(SumRequest { a, b })) }, bytes),
        Data::Persons(persons) => {
            plain(CallAnswer { id: 1, answer: Some(Answer::Persons(GetPersonsAnswer { result: persons.to_vec() })) }, bytes)
        }
        Data::Octets(octets) => {
            plain(CallAnswer { id: 1, answer: Some(Answer::Octets(GetBinaryDataAnswer { result: octets.to_vec() })) }, bytes)
        }
    }
}
