use std::hint::black_box;

use callbench_service::{Octets, Person};
use serde::{Deserialize, Serialize};

use super::{Data, Plain};

#[derive(Serialize, Deserialize)]
struct Answer<T> {
    jsonrpc: String,
    result: T,
    id: u32,
}

#[derive(Serialize, Deserialize)]
struct Request {
    jsonrpc: String,
    method: String,
    params: Sum,
    id: u32,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Sum {
    a: i32,
    b: i32,
}

fn answer<'a, T: Serialize + for<'de> Deserialize<'de> + 'a>(result: T, bytes: &'a [u8]) -> Plain<'a> {
    let answer = Answer { jsonrpc: "2.0".to_owned(), result, id: 1 };
    assert_eq!(serde_json::to_vec(&answer).expect("it can be written"), bytes);
    Plain {
        encode: Box::new(move || drop(black_box(serde_json::to_vec(black_box(&answer)).expect("it can be written")))),
        decode: Box::new(move || {
            black_box(&serde_json::from_slice::<Answer<T>>(black_box(bytes)).expect("it can be read"));
        }),
    }
}

pub fn of<'a>(data: Data<'a>, bytes: &'a [u8]) -> Plain<'a> {
    match data {
        Data::Persons(persons) => answer::<Vec<Person>>(persons.to_vec(), bytes),
        Data::Octets(octets) => answer(Octets(octets.to_vec()), bytes),
        Data::Sum(a, b) => {
            let request = Request { jsonrpc: "2.0".to_owned(), method: "Sum".to_owned(), params: Sum { a, b }, id: 1 };
            assert_eq!(serde_json::to_vec(&request).expect("it can be written"), bytes);
            Plain {
                encode: Box::new(move || drop(black_box(serde_json::to_vec(black_box(&request)).expect("it can be written")))),
                decode: Box::new(move || {
                    black_box(&serde_json::from_slice::<Request>(black_box(bytes)).expect("it can be read"));
                }),
            }
        }
    }
}
