//! The option `script` of `connect`: sessions of steps, as the core says them.

use std::collections::BTreeMap;
use std::fs;

use callbench_kit::Failure;
use serde::Deserialize;
use serde_json_path::JsonPath;

use super::take::{Field, Place, Source, Take};
use super::{Script, Session, Step, Uses, protobuf};
use crate::connect_options::{self, RequestOptions};
use crate::draft::{Draft, bad};
use crate::endpoint::{Endpoint, percent_encoded};
use crate::expected::Expected;
use crate::protocol::Protocol;
use crate::request::Name;

/// The maximum number of requests. Each is stored in the form in which it is sent.
const MAX_REQUESTS: usize = 100_000;

/// The option.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawScript {
    sessions: Vec<WantedSession>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedSession {
    /// Empty: it is named by its request.
    #[serde(default)]
    name: String,
    weight: f64,
    #[serde(default)]
    once: Vec<WantedStep>,
    steps: Vec<WantedStep>,
}

#[derive(Debug, Deserialize)]
struct WantedStep {
    path: Option<String>,
    /// Several paths, used in rotation.
    #[serde(default)]
    paths: Vec<String>,
    #[serde(flatten)]
    asking: RequestOptions,
    /// Several bodies, used in rotation.
    #[serde(default)]
    bodies: Vec<Bodies>,
    /// By name: what later steps of the session use as `{name}`.
    #[serde(default)]
    take: BTreeMap<String, WantedTake>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Bodies {
    Text(String),
    /// A file is a body.
    File(String),
    /// Each line of a file is a body.
    Lines(String),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WantedTake {
    Json(String),
    /// The numbers of the fields of a protobuf message: `1.2`.
    Field(String),
    Header(String),
    Cookie(String),
}

/// How requests are built.
pub struct Build<'a, R> {
    pub endpoint: &'a Endpoint,
    pub protocol: Protocol,
    /// The form of a request in its protocol.
    pub form: &'a dyn Fn(&Draft, &Endpoint) -> Result<R, Failure>,
}

/// Reads the option. `common` says for all requests whether connections are kept and variables are replaced.
///
/// Fails as `bad-request` in a sentence that names the step.
pub fn read<R: Uses>(wanted: &RawScript, common: &Draft, build: &Build<R>) -> Result<Script<R>, Failure> {
    let mut script = Script { steps: Vec::new(), sessions: Vec::new(), slots: 0 };
    let total: f64 = wanted.sessions.iter().map(|session| session.weight).sum();
    if wanted.sessions.is_empty() || !total.is_finite() || wanted.sessions.iter().any(|session| session.weight <= 0.0) {
        return Err(bad("a script has sessions, each with a weight above 0".to_owned()));
    }
    let mut until = 0.0;
    for (number, session) in wanted.sessions.iter().enumerate() {
        if session.steps.is_empty() {
            return Err(bad(format!("the session {} has no steps", session.name)));
        }
        let begin = script.steps.len();
        let slots = slots(session, &mut script.slots)?;
        let alone = session.once.is_empty() && session.steps.len() == 1;
        for (place, step) in session.once.iter().chain(&session.steps).enumerate() {
            let named = |failure: Failure| {
                let message = failure.message;
                let message = if session.name.is_empty() {
                    format!("request {}: {message}", number + 1)
                } else {
                    format!("the session {}, request {}: {message}", session.name, place + 1)
                };
                Failure::new(failure.kind, message)
            };
            let mut read = read_step(step, common, &slots, build).map_err(named)?;
            match (session.name.is_empty(), alone) {
                (true, _) => {}
                (false, true) => read.name.clone_from(&session.name),
                (false, false) => read.name = format!("{}: {}", session.name, read.name),
            }
            script.steps.push(read);
        }
        let middle = begin + session.once.len();
        find_places(&mut script.steps[begin..], &slots);
        until += session.weight / total;
        script.sessions.push(Session { once: begin..middle, steps: middle..script.steps.len(), until });
    }
    if script.requests().count() > MAX_REQUESTS {
        return Err(too_many());
    }
    Ok(script)
}

/// The names of a session's values, in braces, each with a slot of its own.
fn slots(session: &WantedSession, used: &mut usize) -> Result<Vec<Name>, Failure> {
    let mut names: Vec<Name> = Vec::new();
    for name in session.once.iter().chain(&session.steps).flat_map(|step| step.take.keys()) {
        let braced = format!("{{{name}}}");
        if names.iter().any(|(other, _)| *other == braced) {
            continue;
        }
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(bad(format!("the session {}: {name:?} is no name of letters, digits and _", session.name)));
        }
        names.push((braced, *used));
        *used += 1;
    }
    Ok(names)
}

fn read_step<R>(step: &WantedStep, common: &Draft, names: &[Name], build: &Build<R>) -> Result<Step<R>, Failure> {
    let targets = targets(step, build.endpoint)?;
    let (draft, expected) = connect_options::drafted(&step.asking, None)?;
    connect_options::check_expected(&expected, build.protocol)?;
    let mut bodies = step.bodies.iter().map(bytes).collect::<Result<Vec<_>, _>>()?.concat();
    if !bodies.is_empty() && draft.body.is_some() {
        return Err(bad("body and bodies exclude each other".to_owned()));
    }
    bodies.extend(draft.body.clone());
    let variables = common.variables && draft.variables;
    let draft = Draft { keep_alive: common.keep_alive, variables, names: names.to_vec(), body: bodies.first().cloned(), ..draft };
    let count = targets.len().max(bodies.len());
    if count > MAX_REQUESTS {
        return Err(too_many());
    }
    let request = |place: usize| {
        let body = (!bodies.is_empty()).then(|| bodies[place % bodies.len()].clone());
        let endpoint = Endpoint { target: targets[place % targets.len()].clone(), ..build.endpoint.clone() };
        (build.form)(&Draft { body, ..draft.clone() }, &endpoint)
    };
    let requests = (0..count).map(request).collect::<Result<Vec<_>, _>>()?;
    let (takes, fields) = takes(step, names, build.protocol)?;
    let keep_body = takes.iter().any(|take| matches!(take.source, Source::Json(_) | Source::Protobuf(..)));
    let name = format!("{} {}", draft.method_of(build.protocol)?, targets[0]);
    let request = if targets.len() > 1 { format!("{name} or another path") } else { name.clone() };
    Ok(Step { name, requests, expected: Expected { keep_body, fields, request, ..expected }, takes })
}

/// The paths of a step.
fn targets(step: &WantedStep, endpoint: &Endpoint) -> Result<Vec<String>, Failure> {
    if step.path.is_some() && !step.paths.is_empty() {
        return Err(bad("path and paths exclude each other".to_owned()));
    }
    let own: Vec<String> = step.path.iter().chain(&step.paths).map(|path| percent_encoded(path)).collect();
    if let Some(wrong) = own.iter().find(|it| !it.starts_with('/') || it.contains(|sign: char| !sign.is_ascii_graphic())) {
        return Err(bad(format!("the path {wrong:?} must begin with / and hold no blanks")));
    }
    Ok(if own.is_empty() { vec![endpoint.target.clone()] } else { own })
}

fn too_many() -> Failure {
    bad(format!("a script may have {MAX_REQUESTS} requests, each path and body of a step counted: give fewer"))
}

fn takes(step: &WantedStep, names: &[Name], protocol: Protocol) -> Result<(Vec<Take>, Vec<Field>), Failure> {
    let (mut takes, mut fields) = (Vec::new(), Vec::new());
    for (name, wanted) in &step.take {
        let braced = format!("{{{name}}}");
        let slot = names.iter().find(|(other, _)| *other == braced).map_or(0, |(_, slot)| *slot);
        let mut field = |field| {
            fields.push(field);
            Source::Head(fields.len() - 1)
        };
        let source = match wanted {
            WantedTake::Json(_) if protocol == Protocol::Grpc => {
                let why = "an answer of gRPC is not JSON: take a value of its metadata, { header = \"x-token\" }, or of a field, { field = \"1\" }";
                return Err(bad(format!("the value {name}: {why}")));
            }
            WantedTake::Field(text) => {
                let why = || bad(format!("{text:?} is not a path of field numbers such as 1 or 2.1"));
                Source::Protobuf(protobuf::path(text).ok_or_else(why)?, text.clone())
            }
            WantedTake::Json(path) => {
                Source::Json(JsonPath::parse(path).map_err(|error| bad(format!("{path:?} is no JSON path such as $.token: {error}")))?)
            }
            WantedTake::Header(name) => field(Field::Header(name.clone())),
            WantedTake::Cookie(name) => field(Field::Cookie(name.clone())),
        };
        takes.push(Take { slot, source, place: Place::Body });
    }
    Ok((takes, fields))
}

/// Notes of each value that is taken where the session's requests use it.
fn find_places<R: Uses>(steps: &mut [Step<R>], names: &[Name]) {
    let place_of = |steps: &[Step<R>], slot| {
        let requests = || steps.iter().flat_map(|step| &step.requests);
        if requests().any(|request| request.in_path(slot)) {
            Place::Path
        } else if requests().any(|request| request.in_head(slot)) {
            Place::Header
        } else {
            Place::Body
        }
    };
    for (_, slot) in names {
        let place = place_of(steps, *slot);
        steps.iter_mut().flat_map(|step| &mut step.takes).filter(|take| take.slot == *slot).for_each(|take| take.place = place);
    }
}

fn bytes(bodies: &Bodies) -> Result<Vec<Vec<u8>>, Failure> {
    let content = |path: &String| fs::read(path).map_err(|error| bad(format!("the body {path} cannot be read: {error}")));
    match bodies {
        Bodies::Text(text) => Ok(vec![text.clone().into_bytes()]),
        Bodies::File(path) => Ok(vec![content(path)?]),
        Bodies::Lines(path) => {
            let all = content(path)?;
            let lines: Vec<Vec<u8>> =
                all.split(|byte| *byte == b'\n').map(|line| line.trim_ascii().to_vec()).filter(|line| !line.is_empty()).collect();
            if lines.is_empty() { Err(bad(format!("the file {path} has no line that is a body"))) } else { Ok(lines) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Request, Values};
    use serde_json::{Value, json};

    fn script(sessions: &Value) -> Result<Script<Request>, Failure> {
        let wanted = serde_json::from_value(json!({"sessions": sessions})).expect("a script");
        let endpoint = Endpoint::of("http://127.0.0.1:81/x").expect("an endpoint");
        let common = Draft { keep_alive: true, variables: true, ..Draft::default() };
        read(&wanted, &common, &Build { endpoint: &endpoint, protocol: Protocol::Http1, form: &Draft::http1 })
    }

    #[test]
    fn steps_are_written_with_what_earlier_ones_took() {
        let read = script(&json!([{"name": "shop", "weight": 1, "once": [
            {"path": "/login", "body": "{\"user\":\"u{client}\"}", "take": {"token": {"json": "$.token"}, "sid": {"cookie": "sid"}}}
        ], "steps": [
            {"path": "/orders?of={token}", "headers": [["Cookie", "sid={sid}"]], "bodies": [{"text": "a"}, {"text": "bc"}]}
        ]}]))
        .expect("a script");
        assert_eq!((read.slots, read.sessions[0].once.clone(), read.sessions[0].steps.clone()), (2, 0..1, 1..2));
        let values = Values { number: 0, client: 3, random: 0 };
        let mut out = Vec::new();
        read.steps[1].requests[1].write(&values, &[b"s1".to_vec(), b"t1".to_vec()], &mut out);
        let text = String::from_utf8(out).expect("text");
        assert!(text.starts_with("POST /orders?of=t1 HTTP/1.1\r\n"), "{text}");
        assert!(text.contains("Cookie: sid=s1\r\n") && text.ends_with("Content-Length: 2\r\n\r\nbc"), "{text}");
        let places: Vec<Place> = read.steps[0].takes.iter().map(|take| take.place).collect();
        assert_eq!(places, [Place::Header, Place::Path]);
    }

    #[test]
    fn paths_and_bodies_are_used_in_rotation() {
        let step = json!({"paths": ["/a", "/b", "/c"], "bodies": [{"text": "1"}, {"text": "2"}]});
        let read = script(&json!([{"name": "a", "weight": 1, "steps": [step]}])).expect("a script");
        let whole = |request: &Request| String::from_utf8(request.whole().expect("bytes").to_vec()).expect("text");
        let written: Vec<String> = read.steps[0].requests.iter().map(whole).collect();
        let ends: Vec<(&str, &str)> = written.iter().map(|text| (&text[5..7], &text[text.len() - 1..])).collect();
        assert_eq!(ends, [("/a", "1"), ("/b", "2"), ("/c", "1")]);
    }

    #[test]
    fn a_request_without_a_name_is_named_by_what_it_is() {
        let read = script(&json!([
            {"weight": 1, "steps": [{"path": "/a", "body": "x"}]},
            {"name": "b", "weight": 1, "steps": [{"path": "/b"}]},
            {"name": "c", "weight": 1, "steps": [{"path": "/c"}, {"path": "/d", "method": "PUT"}]},
        ]));
        let names: Vec<String> = read.expect("a script").steps.into_iter().map(|step| step.name).collect();
        assert_eq!(names, ["POST /a", "b", "c: GET /c", "c: PUT /d"]);
    }

    #[test]
    fn weights_become_shares() {
        let one = |weight| json!({"name": "a", "weight": weight, "steps": [{"path": "/a"}]});
        let read = script(&json!([one(3), one(1)])).expect("a script");
        assert_eq!(read.sessions.iter().map(|session| session.until).collect::<Vec<_>>(), [0.75, 1.0]);
    }

    #[test]
    fn what_is_no_script_is_refused_in_a_sentence() {
        for (sessions, why) in [
            (json!([]), "has sessions"),
            (json!([{"name": "a", "weight": 0, "steps": [{}]}]), "a weight above 0"),
            (json!([{"name": "a", "weight": 1, "steps": []}]), "has no steps"),
            (json!([{"name": "a", "weight": 1, "steps": [{"path": "x"}]}]), "the session a, request 1: the path \"x\" must begin"),
            (json!([{"weight": 1, "steps": [{}]}, {"weight": 1, "steps": [{"path": "x"}]}]), "request 2: the path \"x\" must begin"),
            (json!([{"name": "a", "weight": 1, "steps": [{"take": {"a b": {"json": "$.x"}}}]}]), "no name of letters"),
            (json!([{"name": "a", "weight": 1, "steps": [{"take": {"a": {"json": "x"}}}]}]), "no JSON path"),
            (json!([{"name": "a", "weight": 1, "steps": [{"take": {"a": {"field": "x"}}}]}]), "not a path of field numbers"),
            (json!([{"name": "a", "weight": 1, "steps": [{"bodies": [{"file": "/no/such"}]}]}]), "cannot be read"),
            (json!([{"name": "a", "weight": 1, "steps": [{"body": "a", "bodies": [{"text": "b"}]}]}]), "exclude each other"),
        ] {
            let failure = script(&sessions).expect_err("a refusal");
            assert!(failure.message.contains(why), "{}", failure.message);
        }
    }
}
