//! A value of an answer that later requests use.

use callbench_kit::{Failure, Kind};
use serde_json::Value;
use serde_json_path::JsonPath;

use super::protobuf;
use crate::printable::{MAX_PRINTED, printable};

/// A field of an answer's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The value of a header.
    Header(String),
    /// The value of a cookie that `Set-Cookie` sets.
    Cookie(String),
}

impl Field {
    /// What this header says of the field, if it does.
    #[must_use]
    pub fn of<'h>(&self, name: &str, value: &'h [u8]) -> Option<&'h [u8]> {
        match self {
            Field::Header(wanted) => name.eq_ignore_ascii_case(wanted).then(|| value.trim_ascii()),
            Field::Cookie(wanted) => {
                if !name.eq_ignore_ascii_case("set-cookie") {
                    return None;
                }
                let pair = value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
                let at = pair.iter().position(|byte| *byte == b'=')?;
                (pair[..at].trim_ascii() == wanted.as_bytes()).then(|| pair[at + 1..].trim_ascii())
            }
        }
    }

    /// The name of the header that has it, in lower case.
    #[must_use]
    pub fn header_name(&self) -> Vec<u8> {
        match self {
            Field::Header(name) => name.to_ascii_lowercase().into_bytes(),
            Field::Cookie(_) => b"set-cookie".to_vec(),
        }
    }

    fn named(&self) -> String {
        match self {
            Field::Header(name) => format!("no header {name}"),
            Field::Cookie(name) => format!("no Set-Cookie of {name}"),
        }
    }
}

/// Where a value is found.
#[derive(Clone, Debug)]
pub enum Source {
    /// In the body: the first that the path selects.
    Json(JsonPath),
    /// In a body that is a protobuf message: by the numbers of its fields, and as they were written.
    Protobuf(Vec<u64>, String),
    /// In the head: the place of the field among those that the step expects.
    Head(usize),
}

/// A value to be kept in a slot.
#[derive(Clone, Debug)]
pub struct Take {
    pub slot: usize,
    pub source: Source,
    /// Where it is used, as far as not every byte can stand there.
    pub place: Place,
}

/// Where a value is used; of several places the most particular one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Body,
    Header,
    Path,
}

impl Place {
    fn takes(self, byte: u8) -> bool {
        match self {
            Place::Body => true,
            Place::Header => (b' '..=b'~').contains(&byte),
            Place::Path => (b'!'..=b'~').contains(&byte),
        }
    }
}

/// Keeps the values of an answer. `fields` are those of its head, in the order in which the step names them.
///
/// Fails as `wrong-answer` where one is not there, or cannot be sent.
pub fn take(takes: &[Take], named: &[Field], fields: &[Option<Vec<u8>>], body: &[u8], values: &mut [Vec<u8>]) -> Result<(), Failure> {
    let mut parsed: Option<Value> = None;
    for one in takes {
        let to = &mut values[one.slot];
        to.clear();
        match &one.source {
            Source::Head(place) => match fields.get(*place) {
                Some(Some(value)) => to.extend_from_slice(value),
                _ => return Err(wrong(format!("the answer has {}", named[*place].named()))),
            },
            Source::Protobuf(path, text) => {
                protobuf::take(body, path, to).map_err(|why| wrong(format!("the field {text} of the answer: {why}")))?;
            }
            Source::Json(path) => {
                if parsed.is_none() {
                    let value = serde_json::from_slice(body)
                        .map_err(|error| wrong(format!("the body is no JSON ({error}): it is {}", printable(body, MAX_PRINTED))))?;
                    parsed = Some(value);
                }
                let value = parsed.as_ref().and_then(|value| path.query(value).first());
                let value =
                    value.ok_or_else(|| wrong(format!("the body has nothing at {path}: it is {}", printable(body, MAX_PRINTED))))?;
                match value {
                    Value::String(text) => to.extend_from_slice(text.as_bytes()),
                    other => to.extend_from_slice(other.to_string().as_bytes()),
                }
            }
        }
        if !to.iter().all(|byte| one.place.takes(*byte)) {
            let place = if one.place == Place::Path { "path" } else { "header" };
            return Err(wrong(format!("the value {} cannot stand in a {place}: it has signs that end it", printable(to, MAX_PRINTED))));
        }
    }
    Ok(())
}

fn wrong(message: String) -> Failure {
    Failure::new(Kind::WrongAnswer, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(path: &str, place: Place) -> Take {
        Take { slot: 0, source: Source::Json(JsonPath::parse(path).expect("a path")), place }
    }

    fn taken(take: Take, body: &str) -> Result<String, String> {
        let mut values = vec![b"before".to_vec()];
        let found = super::take(&[take], &[], &[], body.as_bytes(), &mut values);
        found.map(|()| String::from_utf8(values.remove(0)).expect("text")).map_err(|failure| failure.message)
    }

    #[test]
    fn a_value_is_found_by_its_path() {
        let body = r#"{"token":"a b","id":17,"items":[{"id":3},{"id":4}]}"#;
        assert_eq!(taken(json("$.token", Place::Body), body), Ok("a b".to_owned()));
        assert_eq!(taken(json("$.id", Place::Path), body), Ok("17".to_owned()));
        assert_eq!(taken(json("$.items[*].id", Place::Path), body), Ok("3".to_owned()));
        assert_eq!(taken(json("$.items[1]", Place::Body), body), Ok(r#"{"id":4}"#.to_owned()));
    }

    #[test]
    fn what_is_missing_or_cannot_be_sent_is_a_wrong_answer() {
        let why = |take, body| taken(take, body).expect_err("a failure");
        assert!(why(json("$.token", Place::Body), r#"{"a":1}"#).contains("nothing at $.token"));
        assert!(why(json("$.token", Place::Body), "<p>").contains("no JSON"));
        assert!(why(json("$.token", Place::Header), r#"{"token":"a\r\nb"}"#).contains("cannot stand in a header"));
        let head = Take { slot: 0, source: Source::Head(0), place: Place::Path };
        let missing = super::take(&[head], &[Field::Cookie("sid".to_owned())], &[None], b"", &mut [Vec::new()]);
        assert_eq!(missing.expect_err("a failure").message, "the answer has no Set-Cookie of sid");
    }

    #[test]
    fn a_field_of_the_head_is_read() {
        let cookie = Field::Cookie("sid".to_owned());
        assert_eq!(cookie.of("Set-Cookie", b"sid=ab=c; Path=/; HttpOnly"), Some(&b"ab=c"[..]));
        assert_eq!(cookie.of("set-cookie", b"other=1; sid=2"), None);
        assert_eq!(Field::Header("X-Token".to_owned()).of("x-token", b" 12 "), Some(&b"12"[..]));
    }
}
