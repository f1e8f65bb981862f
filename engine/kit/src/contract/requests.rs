//! The requests of the core.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::failure::{Failure, Kind};
use crate::stack::Options;

/// A request. `do` names its type. Unknown members are ignored.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Request {
    Serve(Serve),
    ServeAll(ServeAll),
    Channel { name: String, on: bool },
    StopServing,
    Connect(Connect),
    Call(Call),
    Drive(Drive),
    Counted,
    Codec(Codec),
    Heap,
    Trace { trace: Value },
    Disconnect,
    Stop,
}

#[derive(Debug, Deserialize)]
pub struct Serve {
    pub stack: String,
    pub host: IpAddr,
    #[serde(default)]
    pub port: u16,
    #[serde(default)]
    pub options: Options,
}

#[derive(Debug, Deserialize)]
pub struct ServeAll {
    pub host: IpAddr,
    #[serde(default)]
    pub port: u16,
    #[serde(default)]
    pub channels: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Connect {
    pub stack: String,
    pub endpoint: String,
    pub clients: usize,
    pub timeout_ms: u64,
    #[serde(default)]
    pub options: Options,
}

#[derive(Debug, Deserialize)]
pub struct Call {
    pub call: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
pub struct Drive {
    pub call: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
    pub calls: u64,
    pub seconds: f64,
    pub limit_seconds: f64,
    #[serde(default)]
    pub timing: Timing,
    #[serde(default)]
    pub think_ns: u64,
    #[serde(default)]
    pub schedule: Option<String>,
    #[serde(default)]
    pub start_at_ns: u64,
    #[serde(default)]
    pub burn_ns: u64,
    #[serde(default)]
    pub ramp_up_ns: u64,
    #[serde(default)]
    pub clients: Option<usize>,
    /// The kit expects a wrong answer, so every call must count as `wrong-answer`.
    #[serde(default)]
    pub altered: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    Each,
    Batch,
    #[default]
    Auto,
}

#[derive(Debug, Deserialize)]
pub struct Codec {
    pub stack: String,
    pub call: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
    pub seconds: f64,
    #[serde(default)]
    pub options: Options,
}

/// Parses a line. Returns its id, if there is one, and the request or what is wrong with it.
pub fn read(line: &[u8]) -> (Option<u64>, Result<Request, Failure>) {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return (None, Err(bad(format!("the line is no JSON: {error}")))),
    };
    let id = value.get("id").and_then(Value::as_u64).filter(|id| (1..=1 << 53).contains(id));
    if id.is_none() {
        return (None, Err(bad("the request has no id: it must be a whole number from 1 on".to_owned())));
    }
    let what = value.get("do").and_then(Value::as_str).unwrap_or("nothing").to_owned();
    let shown: String = what.chars().take(64).collect();
    (id, serde_json::from_value(value).map_err(|error| bad(format!("the request to do {shown} is not understood: {error}"))))
}

/// Converts seconds to nanoseconds.
pub fn nanoseconds(name: &str, seconds: f64) -> Result<u64, Failure> {
    if (0.0..=1e6).contains(&seconds) {
        Ok((seconds * 1e9) as u64)
    } else {
        Err(bad(format!("{name} is {seconds}: it must be from 0 to 1000000")))
    }
}

#[must_use]
pub fn bad(message: String) -> Failure {
    Failure::new(Kind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(line: &str) -> (Option<u64>, String) {
        let (id, request) = read(line.as_bytes());
        let failure = request.expect_err("a refusal");
        assert_eq!(failure.kind, Kind::BadRequest);
        (id, failure.message)
    }

    #[test]
    fn what_is_wrong_is_said_under_the_id_where_there_is_one() {
        for (line, id, part) in [
            ("", None, "no JSON"),
            ("[1]", None, "no id"),
            (r#"{"do":"stop","id":0}"#, None, "no id"),
            (r#"{"do":"dance","id":4}"#, Some(4), "dance"),
            (r#"{"id":4}"#, Some(4), "do"),
            (r#"{"do":"connect","id":5,"stack":"a/b"}"#, Some(5), "endpoint"),
            (r#"{"do":"serve","id":6,"stack":"a/b","host":"localhost"}"#, Some(6), "IP address"),
            (r#"{"do":"drive","id":7,"call":"Sum","calls":-1,"seconds":1,"limit_seconds":1}"#, Some(7), "-1"),
        ] {
            let (seen, message) = refused(line);
            assert_eq!(seen, id, "{line}");
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    #[test]
    fn unknown_members_are_ignored() {
        let (id, request) = read(br#"{"do":"stop","id":9,"end_drives_after":true}"#);
        assert_eq!(id, Some(9));
        assert!(matches!(request, Ok(Request::Stop)));
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line: Vec<u8>) {
            let _ = read(&line);
        }
    }
}
