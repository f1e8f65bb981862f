use std::hint::black_box;

use callbench_service::{Octets, Person};
use serde::{Deserialize, Serialize};

use super::{Data, Plain};

type Answer<T> = (u8, u32, Option<String>, T);
type Request = (u8, u32, String, (i32, i32));

fn answer<'a, T: Serialize + for<'de> Deserialize<'de> + 'a>(result: T, bytes: &'a [u8]) -> Plain<'a> {
    let answer: Answer<T> = (1, 1, None, result);
    assert_eq!(rmp_serde::to_vec_named(&answer).expect("it can be written"), bytes);
    Plain {
        encode: Box::new(move || drop(black_box(rmp_serde::to_vec_named(black_box(&answer)).expect("it can be written")))),
        decode: Box::new(move || {
            black_box(&rmp_serde::from_slice::<Answer<T>>(black_box(bytes)).expect("it can be read"));
        }),
    }
}

pub fn of<'a>(data: Data<'a>, bytes: &'a [u8]) -> Plain<'a> {
    match data {
        Data::Persons(persons) => answer::<Vec<Person>>(persons.to_vec(), bytes),
        Data::Octets(octets) => answer(Octets(octets.to_vec()), bytes),
        Data::Sum(a, b) => {
            let request: Request = (0, 1, "Sum".to_owned(), (a, b));
            assert_eq!(rmp_serde::to_vec_named(&request).expect("it can be written"), bytes);
            Plain {
                encode: Box::new(move || drop(black_box(rmp_serde::to_vec_named(black_box(&request)).expect("it can be written")))),
                decode: Box::new(move || {
                    black_box(&rmp_serde::from_slice::<Request>(black_box(bytes)).expect("it can be read"));
                }),
            }
        }
    }
}
