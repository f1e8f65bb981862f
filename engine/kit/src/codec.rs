//! Times the encoding of a message without its channel. Different payloads in rotation prevent unrealistic cache effects.

use callbench_service::{Answer, Call};
use serde::Serialize;

use crate::clock;
use crate::failure::{Failure, Kind};
use crate::stack::Codec;

mod rotation;

/// The number of payloads in rotation.
const PAYLOADS: usize = 64;
/// If 64 payloads would be longer than this in bytes, fewer are used, but at least two.
const BUDGET: usize = 256 << 20;

/// The result, as the contract defines it.
#[derive(Debug, Serialize)]
pub struct Timed {
    pub payloads: usize,
    pub request: Side,
    pub answer: Side,
}

/// Means over the payloads, in bytes and nanoseconds.
#[derive(Debug, Serialize)]
pub struct Side {
    pub bytes: f64,
    pub encode_ns: f64,
    pub decode_ns: f64,
}

/// A call and its answer.
struct Payload {
    call: Call,
    answer: Answer,
    request: Vec<u8>,
    reply: Vec<u8>,
}

/// Encodes and decodes `call` and its answer for at least `length_ns` each. First, every payload is encoded and decoded once. If the result differs,
/// it fails with `wrong-answer`.
pub fn time(codec: &dyn Codec, call: &Call, length_ns: u64) -> Result<Timed, Failure> {
    let payloads = payloads(codec, call)?;
    let request = Side {
        bytes: mean_length(&payloads, |it| &it.request),
        encode_ns: encoding(&payloads, length_ns, |it, out| codec.encode_request(&it.call, out))?,
        decode_ns: decoding(&payloads, length_ns, |it| codec.decode_request(&it.request))?,
    };
    let answer = Side {
        bytes: mean_length(&payloads, |it| &it.reply),
        encode_ns: encoding(&payloads, length_ns, |it, out| codec.encode_answer(&it.call, &it.answer, out))?,
        decode_ns: decoding(&payloads, length_ns, |it| codec.decode_answer(&it.call, &it.reply))?,
    };
    Ok(Timed { payloads: payloads.len(), request, answer })
}

fn payloads(codec: &dyn Codec, call: &Call) -> Result<Vec<Payload>, Failure> {
    let first = payload(codec, call, 0)?;
    let size = (first.request.len() + first.reply.len()).max(1);
    let count = (BUDGET / size).clamp(2, PAYLOADS);
    let rest = (1..count).map(|turn| payload(codec, call, turn));
    std::iter::once(Ok(first)).chain(rest).collect()
}

fn payload(codec: &dyn Codec, call: &Call, turn: usize) -> Result<Payload, Failure> {
    let (call, answer) = rotation::variant(call, turn)?;
    let (mut request, mut reply) = (Vec::new(), Vec::new());
    codec.encode_request(&call, &mut request)?;
    codec.encode_answer(&call, &answer, &mut reply)?;
    if codec.decode_request(&request)? != call || codec.decode_answer(&call, &reply)? != answer {
        return Err(Failure::new(Kind::WrongAnswer, format!("{} does not come out of the codec as it went in", call.name())));
    }
    Ok(Payload { call, answer, request, reply })
}

fn mean_length(payloads: &[Payload], of: impl Fn(&Payload) -> &Vec<u8>) -> f64 {
    payloads.iter().map(|it| of(it).len()).sum::<usize>() as f64 / payloads.len() as f64
}

/// The mean time of `encode`. The buffer is reused, as in a client.
fn encoding(payloads: &[Payload], length_ns: u64, encode: impl Fn(&Payload, &mut Vec<u8>) -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut out = Vec::new();
    mean_ns(payloads.len(), length_ns, || {
        let started = clock::now();
        for payload in payloads {
            out.clear();
            encode(payload, &mut out)?;
        }
        Ok(clock::now() - started)
    })
}

/// The mean time of `decode`. The results are kept until the end of the round, so freeing them is not timed.
fn decoding<T>(payloads: &[Payload], length_ns: u64, decode: impl Fn(&Payload) -> Result<T, Failure>) -> Result<f64, Failure> {
    let mut kept = Vec::with_capacity(payloads.len());
    mean_ns(payloads.len(), length_ns, || {
        kept.clear();
        let started = clock::now();
        for payload in payloads {
            kept.push(decode(payload)?);
        }
        Ok(clock::now() - started)
    })
}

/// The mean over whole rounds of `size`, for at least `length_ns`. A warm-up round comes first.
fn mean_ns(size: usize, length_ns: u64, mut round: impl FnMut() -> Result<u64, Failure>) -> Result<f64, Failure> {
    round()?;
    let (mut spent, mut rounds) = (0, 0_u64);
    while rounds == 0 || spent < length_ns {
        spent += round()?;
        rounds += 1;
    }
    Ok(spent as f64 / (rounds * size as u64) as f64)
}

#[cfg(test)]
mod tests;
