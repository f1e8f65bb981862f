//! Checks for bodies that differ in every answer because they contain ids, times or a random order.

use std::sync::Arc;
use std::{fmt, fs};

use boon::{CompileError, Compiler, SchemaIndex, Schemas, SchemeUrlLoader, ValidationError};
use callbench_kit::{Failure, Kind};
use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use crate::printable::{MAX_PRINTED, printable};

/// The checks as the options of `connect` name them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawChecks {
    /// JSON paths (RFC 9535) with values. A path must select something, and everything that it selects must have this value.
    #[serde(rename = "expect_json")]
    values: Map<String, Value>,
    /// JSON paths that must select something.
    #[serde(rename = "expect_path")]
    paths: Vec<String>,
    /// A regular expression that must match somewhere in the body.
    #[serde(rename = "expect_match")]
    pattern: Option<String>,
    /// A JSON Schema, or the file that contains it.
    #[serde(rename = "expect_schema")]
    schema: Option<Value>,
    #[serde(rename = "expect_schema_file")]
    schema_file: Option<String>,
}

/// The parsed checks.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    pattern: Option<Regex>,
    /// The required value of everything that a path selects; None: any value.
    paths: Vec<(JsonPath, Option<Value>)>,
    schema: Option<Arc<Schema>>,
}

/// A compiled JSON Schema.
struct Schema {
    all: Schemas,
    own: SchemaIndex,
}

impl Checks {
    /// Fails with `bad-request` if a path, expression or schema is invalid.
    pub fn of(wanted: &RawChecks) -> Result<Self, Failure> {
        let with_value = wanted.values.iter().map(|(path, value)| (path, Some(value.clone())));
        let without = wanted.paths.iter().map(|path| (path, None));
        let paths: Result<Vec<_>, Failure> = with_value.chain(without).map(|(path, value)| Ok((read_path(path)?, value))).collect();
        let pattern = wanted.pattern.as_ref().map(|text| {
            Regex::new(text)
                .map_err(|error| bad(format!("expect_match {text:?} is not a regular expression: {}", last_line(&error.to_string()))))
        });
        Ok(Checks { pattern: pattern.transpose()?, paths: paths?, schema: schema(wanted)? })
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pattern.is_none() && !self.needs_json()
    }

    /// Whether the body must be JSON.
    #[must_use]
    pub fn needs_json(&self) -> bool {
        self.schema.is_some() || !self.paths.is_empty()
    }

    /// Why the body is wrong.
    #[must_use]
    pub fn wrong(&self, body: &[u8]) -> Option<String> {
        if let Some(pattern) = self.pattern.as_ref().filter(|pattern| !pattern.is_match(body)) {
            return Some(format!(
                "the body has nothing that matches {}: it is {}",
                printable(pattern.as_str().as_bytes(), MAX_PRINTED),
                printable(body, MAX_PRINTED)
            ));
        }
        if !self.needs_json() {
            return None;
        }
        let value: Value = match serde_json::from_slice(body) {
            Ok(value) => value,
            Err(error) => return Some(format!("the body is not JSON ({error}): it is {}", printable(body, MAX_PRINTED))),
        };
        let by_path = || self.paths.iter().find_map(|(path, wanted)| wrong_at(path, wanted.as_ref(), &value, body));
        let by_schema = || {
            let schema = self.schema.as_ref()?;
            schema.all.validate(&value, schema.own).err().map(|error| broken(&error))
        };
        by_path().or_else(by_schema)
    }
}

/// Where and how a body violates its schema: the first cause that has no further causes.
fn broken(error: &ValidationError) -> String {
    let mut first = error;
    while let Some(cause) = first.causes.first() {
        first = cause;
    }
    let place = first.instance_location.to_string();
    let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
    format!("the body violates the schema{place}: {}", cut(&first.kind.to_string()))
}

fn wrong_at(path: &JsonPath, wanted: Option<&Value>, value: &Value, body: &[u8]) -> Option<String> {
    let found = path.query(value);
    if found.is_empty() {
        return Some(format!("the body has nothing at {path}: it is {}", printable(body, MAX_PRINTED)));
    }
    let wanted = wanted?;
    let other = found.iter().find(|one| !same(one, wanted))?;
    Some(format!("at {path} the body has {}, not {}", cut(&other.to_string()), cut(&wanted.to_string())))
}

/// Whether two values are equal. Numbers are compared by value: 1 equals 1.0.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b))),
        (one, other) => one == other,
    }
}

fn read_path(text: &str) -> Result<JsonPath, Failure> {
    JsonPath::parse(text).map_err(|error| bad(format!("{text:?} is not a JSON path such as $.user.name or $['a b'][0]: {error}")))
}

fn schema(wanted: &RawChecks) -> Result<Option<Arc<Schema>>, Failure> {
    let (named, value) = match (&wanted.schema, &wanted.schema_file) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(bad("expect_schema and expect_schema_file exclude each other".to_owned())),
        (Some(value), None) => ("expect_schema".to_owned(), value.clone()),
        (None, Some(path)) => {
            let named = format!("expect_schema_file {path}");
            let bytes = fs::read(path).map_err(|error| bad(format!("{named} cannot be read: {error}")))?;
            let value = serde_json::from_slice(&bytes).map_err(|error| bad(format!("{named} is not JSON: {error}")))?;
            (named, value)
        }
    };
    Schema::of(value).map(|schema| Some(Arc::new(schema))).map_err(|error| {
        // The first line contains the internal address of the schema. The last line says what is wrong.
        bad(format!("{named} is not a JSON Schema: {}", cut(error.to_string().lines().last().unwrap_or_default().trim())))
    })
}

impl Schema {
    fn of(value: Value) -> Result<Self, Box<CompileError>> {
        const OWN: &str = "callbench:expected";
        let mut compiler = Compiler::new();
        // Nothing is loaded, neither from the network nor from files.
        compiler.use_loader(Box::new(SchemeUrlLoader::new()));
        compiler.add_resource(OWN, value).map_err(Box::new)?;
        let mut all = Schemas::new();
        let own = compiler.compile(OWN, &mut all).map_err(Box::new)?;
        Ok(Schema { all, own })
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Schema")
    }
}

fn cut(text: &str) -> String {
    if text.len() <= MAX_PRINTED { text.to_owned() } else { printable(text.as_bytes(), MAX_PRINTED) }
}

/// The library's message shows the position over several lines. The last line says what is wrong.
fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default().trim_start_matches("error: ")
}

fn bad(message: String) -> Failure {
    Failure::new(Kind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const BODY: &str = r#"{"id":"7f3a","at":"2026-01-02T03:04:05Z","user":{"name":"x","age":30.0},"items":[{"ok":true},{"ok":true}]}"#;

    fn checks(options: Value) -> Result<Checks, Failure> {
        Checks::of(&serde_json::from_value(options).expect("options"))
    }

    #[test]
    fn a_body_is_right_where_it_holds_what_is_wanted() {
        for options in [
            json!({"expect_json": {"$.user.name": "x"}}),
            json!({"expect_json": {"$.user.age": 30, "$.items[*].ok": true}}),
            json!({"expect_json": {"$.user": {"age": 30, "name": "x"}}}),
            json!({"expect_path": ["$.id", "$.items[?@.ok == true]"]}),
            json!({"expect_match": "\"id\":\"[0-9a-f]{4}\""}),
            json!({"expect_schema": {"type": "object", "required": ["id", "user"], "properties": {"id": {"type": "string"}}}}),
        ] {
            let checks = checks(options.clone()).expect("checks");
            assert!(!checks.is_empty());
            assert_eq!(checks.wrong(BODY.as_bytes()), None, "{options}");
        }
        assert!(Checks::default().is_empty());
    }

    #[test]
    fn a_wrong_body_is_told_by_what_is_wrong_in_it() {
        for (options, why) in [
            (json!({"expect_json": {"$.user.name": "y"}}), r#"at $.user.name the body has "x", not "y""#),
            (json!({"expect_json": {"$.items[*].ok": 1}}), "the body has true, not 1"),
            (json!({"expect_json": {"$.nobody": null}}), "the body has nothing at $.nobody: it is `{\"id\""),
            (json!({"expect_path": ["$.items[?@.ok == false]"]}), "the body has nothing at $"),
            (json!({"expect_match": "^Hello"}), "the body has nothing that matches `^Hello`: it is `{"),
            (
                json!({"expect_schema": {"properties": {"id": {"type": "integer"}}}}),
                "the body violates the schema at /id: want integer, but got string",
            ),
        ] {
            let found = checks(options).expect("checks").wrong(BODY.as_bytes()).expect("a difference");
            assert!(found.contains(why), "{found}");
        }
        let text = checks(json!({"expect_path": ["$"]})).expect("checks").wrong(b"<p>no</p>").expect("a difference");
        assert!(text.starts_with("the body is not JSON (") && text.ends_with("it is `<p>no</p>`"), "{text}");
    }

    #[test]
    fn what_is_none_of_its_kind_is_refused() {
        for (options, why) in [
            (json!({"expect_json": {"user.name": 1}}), "is not a JSON path such as $.user.name"),
            (json!({"expect_match": "(a"}), "not a regular expression: unclosed group"),
            (json!({"expect_schema": {"type": "nothing"}}), "expect_schema is not a JSON Schema"),
            (json!({"expect_schema": {"$ref": "https://example.invalid/schema"}}), "expect_schema is not a JSON Schema"),
            (json!({"expect_schema_file": "/no/such"}), "cannot be read"),
            (json!({"expect_schema_file": "/no/such", "expect_schema": {}}), "exclude each other"),
        ] {
            let failure = checks(options).expect_err("a refusal");
            assert!(failure.kind == Kind::BadRequest && failure.message.contains(why), "{}", failure.message);
        }
    }
}
