//! The pairs of request and answer of a service of the user's own: what clients send in rotation, and what servers answer.
//!
//! They are read once, when the program starts: a file of lines for each call, each an object with `request` and `answer`. A line without
//! an answer is echoed.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::sync::OnceLock;

use callbench_own as own;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::{Answer, Call};
use crate::service::Answered;

/// The pairs of one call.
#[derive(Debug, Default)]
struct Pairs {
    calls: Vec<Call>,
    answers: Vec<Answered>,
    /// The places of the requests that share a fingerprint.
    places: HashMap<u64, Vec<usize>>,
}

/// By the place of the call.
static KNOWN: OnceLock<Vec<Pairs>> = OnceLock::new();

/// Reads the pairs, each file given as `CALL=PATH`. The error is a sentence.
pub fn read(files: impl Iterator<Item = String>) -> Result<(), String> {
    let mut known: Vec<Pairs> = own::CALLS.iter().map(|_| Pairs::default()).collect();
    for given in files {
        let (call, path) = given.split_once('=').ok_or_else(|| format!("{given} is no CALL=PATH"))?;
        let place = own::place_of(call).ok_or_else(|| format!("this program was not built with the call {call}"))?;
        known[place] = read_file(place, path).map_err(|error| format!("{path}: {error}"))?;
    }
    KNOWN.set(known).map_err(|_| "the pairs have been read already".to_owned())
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    answer: Option<&'a RawValue>,
}

fn read_file(place: usize, path: &str) -> Result<Pairs, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut pairs = Pairs::default();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| error.to_string())?;
        if !line.trim().is_empty() {
            pairs.add(place, &line).map_err(|error| format!("line {}: {error}", number + 1))?;
        }
    }
    Ok(pairs)
}

impl Pairs {
    fn is_at(&self, place: usize, request: &own::Request) -> bool {
        matches!(&self.calls[place], Call::Own(it) if it == request)
    }

    fn add(&mut self, place: usize, line: &str) -> Result<(), serde_json::Error> {
        let request = own::Request::read(place, &mut serde_json::Deserializer::from_str(line))?;
        let Line { answer } = serde_json::from_str(line)?;
        let answered = match answer {
            Some(answer) => Some(own::Answer::read(place, &mut serde_json::Deserializer::from_str(answer.get()))?),
            None => request.echoed(),
        };
        if let Some(answer) = answered {
            self.places.entry(request.fingerprint()).or_default().push(self.calls.len());
            self.answers.push(Ok(Answer::Own(answer)));
            self.calls.push(Call::Own(request));
        }
        Ok(())
    }
}

fn of(place: usize) -> Option<&'static Pairs> {
    KNOWN.get()?.get(place)
}

/// The answer to a request, if there is a pair that has it.
#[must_use]
pub fn answer(request: &own::Request) -> Option<&'static Answered> {
    let pairs = of(request.place())?;
    let places = pairs.places.get(&request.fingerprint())?;
    places.iter().find(|place| pairs.is_at(**place, request)).map(|place| &pairs.answers[*place])
}

/// The calls of this name, in the order of their lines; None where the service has no such call.
#[must_use]
pub fn calls(name: &str) -> Option<&'static [Call]> {
    own::place_of(name).map(|place| of(place).map_or(&[][..], |pairs| &pairs.calls[..]))
}

/// The call that comes `turn` places behind that of `request` in the rotation; None where it is in none.
#[must_use]
pub fn turned(request: &own::Request, turn: usize) -> Option<Call> {
    let pairs = of(request.place())?;
    let place = (0..pairs.calls.len()).find(|place| pairs.is_at(*place, request))?;
    Some(pairs.calls[(place + turn) % pairs.calls.len()].clone())
}
