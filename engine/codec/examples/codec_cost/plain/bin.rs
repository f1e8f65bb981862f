use std::hint::black_box;
use std::io::{Read, Write};

use callbench_service::Person;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::{Data, Plain};

const HEADER: usize = 28;
const COMPRESSED_ABOVE: usize = 4096;

fn text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as i32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn head(method: &str, header: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(header);
    text("SpeedService", out);
    text(method, out);
}

fn encode(data: Data, header: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match data {
        Data::Sum(a, b) => {
            head("Sum", header, &mut out);
            out.extend_from_slice(&a.to_le_bytes());
            out.extend_from_slice(&b.to_le_bytes());
        }
        Data::Persons(persons) => {
            head("GetPersons", header, &mut out);
            out.push(1);
            out.extend_from_slice(&(persons.len() as i32).to_le_bytes());
            for person in persons {
                out.push(1);
                text("Person", &mut out);
                out.extend_from_slice(&person.id.to_le_bytes());
                text(&person.first_name, &mut out);
                text(&person.last_name, &mut out);
            }
        }
        Data::Octets(octets) => {
            head("GetBinaryData", header, &mut out);
            out.push(1);
            out.extend_from_slice(&(octets.len() as i32).to_le_bytes());
            out.extend_from_slice(octets);
        }
    }
    out
}

fn deflate(plain: &[u8], header: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(header.to_vec(), Compression::default());
    encoder.write_all(&plain[HEADER..]).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn integer(from: &mut &[u8]) -> Option<i32> {
    let (taken, rest) = from.split_first_chunk::<4>()?;
    *from = rest;
    Some(i32::from_le_bytes(*taken))
}

fn octets<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(integer(from)?).ok()?;
    let (taken, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(taken)
}

fn string<'a>(from: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(octets(from)?).ok()
}

fn assigned(from: &mut &[u8]) -> Option<()> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    (*first == 1).then_some(())
}

fn person(from: &mut &[u8]) -> Option<Person> {
    assigned(from)?;
    string(from).filter(|name| *name == "Person")?;
    Some(Person { id: integer(from)?, first_name: string(from)?.to_owned(), last_name: string(from)?.to_owned() })
}

/// Reads what `data` is like, and drops it.
fn decode(data: Data, mut body: &[u8]) -> Option<()> {
    let from = &mut body;
    string(from).filter(|service| *service == "SpeedService")?;
    match (string(from)?, data) {
        ("Sum", Data::Sum(..)) => drop(black_box((integer(from)?, integer(from)?))),
        ("GetPersons", Data::Persons(_)) => {
            assigned(from)?;
            let count = integer(from)?;
            drop(black_box((0..count).map(|_| person(from)).collect::<Option<Vec<_>>>()?));
        }
        ("GetBinaryData", Data::Octets(_)) => {
            assigned(from)?;
            drop(black_box(octets(from)?.to_vec()));
        }
        _ => return None,
    }
    Some(())
}

pub fn of<'a>(data: Data<'a>, bytes: &'a [u8], compresses: bool) -> Plain<'a> {
    let header = &bytes[..HEADER];
    if !compresses || encode(data, header).len() - HEADER <= COMPRESSED_ABOVE {
        assert_eq!(encode(data, header), bytes);
        return Plain {
            encode: Box::new(move || drop(black_box(encode(black_box(data), header)))),
            decode: Box::new(move || decode(data, black_box(&bytes[HEADER..])).expect("it can be read")),
        };
    }
    assert_eq!(deflate(&encode(data, header), header), bytes);
    Plain {
        encode: Box::new(move || drop(black_box(deflate(&encode(black_box(data), header), header)))),
        decode: Box::new(move || {
            let mut body = Vec::new();
            ZlibDecoder::new(black_box(&bytes[HEADER..])).read_to_end(&mut body).expect("it can be inflated");
            decode(data, &body).expect("it can be read");
        }),
    }
}
