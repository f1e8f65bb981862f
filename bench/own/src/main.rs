//! A server and a client that were written by hand for two services.
//!
//! `handwritten serve reading|order json|protobuf PAYLOADS` prints its address and serves until its stdin ends.
//! `handwritten call reading|order json|protobuf PAYLOADS ADDRESS` reads lines: `check` makes each call once and compares the whole
//! answer; `go NANOSECONDS` calls for so long and prints how many calls it made in how many nanoseconds.

mod http;
mod order;
mod reading;
mod service;
mod tcp;

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;

use order::Orders;
use reading::Readings;
use service::{Format, Json, Protobuf, Service};

/// What a server does with a request. `out` may have something in it already.
pub trait Handler: Send + Sync + 'static {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>);
}

/// A client's connection.
pub trait Client {
    fn call(&mut self, write: &dyn Fn(&mut Vec<u8>)) -> Result<&[u8], String>;
}

#[derive(Deserialize)]
struct Pair<R, A> {
    request: R,
    answer: A,
}

type Pairs<S> = Vec<Pair<<S as Service>::Request, <S as Service>::Answer>>;

/// Answers by a request's id.
struct Answers<S: Service, F> {
    answers: HashMap<String, S::Answer>,
    format: std::marker::PhantomData<F>,
}

impl<S: Service, F: Format<S>> Handler for Answers<S, F> {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) {
        match F::read_request(request) {
            Ok((id, request)) => match self.answers.get(S::id(&request)) {
                Some(answer) => F::write_answer(id, answer, out),
                None => eprintln!("handwritten: there is no answer to {}", S::id(&request)),
            },
            Err(sentence) => eprintln!("handwritten: {sentence}"),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        [role, "reading", format, rest @ ..] => with::<Readings>(role, format, rest),
        [role, "order", format, rest @ ..] => with::<Orders>(role, format, rest),
        _ => Err("usage: handwritten serve|call reading|order json|protobuf PAYLOADS [ADDRESS]".into()),
    }
}

fn with<S: Service>(role: &str, format: &str, rest: &[&str]) -> Result<(), Box<dyn Error>> {
    match (role, format, rest) {
        ("serve", "json", [payloads]) => wait(http::serve(answers::<S, Json>(payloads)?)?),
        ("serve", "protobuf", [payloads]) => wait(tcp::serve(answers::<S, Protobuf>(payloads)?)?),
        ("call", "json", [payloads, address]) => obey::<S, Json>(payloads, http::Connection::open(address)?),
        ("call", "protobuf", [payloads, address]) => obey::<S, Protobuf>(payloads, tcp::Connection::open(address)?),
        _ => Err("serve needs a file of payloads, and call an address too".into()),
    }
}

fn pairs<S: Service>(payloads: &str) -> Result<Pairs<S>, Box<dyn Error>> {
    Ok(fs::read_to_string(payloads)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn answers<S: Service, F: Format<S>>(payloads: &str) -> Result<Arc<dyn Handler>, Box<dyn Error>> {
    let answers = pairs::<S>(payloads)?.into_iter().map(|pair| (S::id(&pair.request).to_owned(), pair.answer)).collect();
    Ok(Arc::new(Answers::<S, F> { answers, format: std::marker::PhantomData }))
}

fn wait(address: String) -> Result<(), Box<dyn Error>> {
    println!("{address}");
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn obey<S: Service, F: Format<S>>(payloads: &str, mut client: impl Client) -> Result<(), Box<dyn Error>> {
    let pairs = pairs::<S>(payloads)?;
    let mut turn = 0;
    for line in io::stdin().lines() {
        match line?.split_once(' ') {
            None => {
                for pair in &pairs {
                    if call::<S, F>(&mut client, &pair.request)? != pair.answer {
                        return Err(format!("a wrong answer to {}", S::id(&pair.request)).into());
                    }
                }
                println!("checked {}", pairs.len());
            }
            Some((_, nanoseconds)) => {
                let (started, length) = (Instant::now(), Duration::from_nanos(nanoseconds.parse()?));
                let mut calls = 0_u64;
                while started.elapsed() < length {
                    let pair = &pairs[turn];
                    turn = (turn + 1) % pairs.len();
                    if !S::is_right(&call::<S, F>(&mut client, &pair.request)?, &pair.answer) {
                        return Err(format!("a wrong answer to {}", S::id(&pair.request)).into());
                    }
                    calls += 1;
                }
                println!("{calls} {}", started.elapsed().as_nanos());
            }
        }
    }
    Ok(())
}

fn call<S: Service, F: Format<S>>(client: &mut impl Client, request: &S::Request) -> Result<S::Answer, String> {
    F::read_answer(client.call(&|out| F::write_request(request, out))?)
}
