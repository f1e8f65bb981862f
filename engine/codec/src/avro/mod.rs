//! Avro, <https://avro.apache.org/docs/1.12.0/specification/#call-format>, with `serde_avro_fast`: a request is its metadata, the operation's name
//! and its parameters; an answer is its metadata, whether it is an error, and the value or the error's text.
//!
//! Both sides know the protocol, `contract/service.avpr`: there is no handshake, and no schema goes over the wire. Metadata are empty.
//! That of a service of the user's own is `callbench_own::AVRO`, which has the names of its JSON.

mod binary;

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead as _;
use std::sync::LazyLock;

use callbench_kit::{Failure, Kind};
use callbench_own as own;
use callbench_service::{Answer, Call, Fault};
use serde::{Deserialize, Serialize};
use serde_avro_fast::Schema;
use serde_avro_fast::de::read::SliceRead;
use serde_avro_fast::de::{DeError, DeserializerState};
use serde_avro_fast::ser::{SerError, SerializerConfig, SerializerState};
use serde_json::{Map, Value, json};

use super::reply::known;
use super::{Mark, Message, Refusal, Reply};
use binary::Binary;

/// What an answer may be an error of: text alone.
const ERRORS: &str = r#"["string"]"#;

pub struct Avro;

impl Message for Avro {
    fn name(&self) -> &'static str {
        "avro"
    }

    fn content_type(&self) -> &'static str {
        "avro/binary"
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let operation = call.operation();
        let form = form(operation)?;
        let head = Head { metadata: BTreeMap::new(), operation };
        write(&PROTOCOL.head, out, |to| head.serialize(to.serializer()))?;
        write(&form.request, out, |to| call.encode(Binary(to.serializer())))
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let mut left = bytes;
        let head = match read(&PROTOCOL.head, &mut left, |from| Head::deserialize(from.deserializer())) {
            Ok(head) => head,
            Err(error) => return Reply::default().refuse(Refusal::Unreadable, error.to_string()),
        };
        let Some(form) = PROTOCOL.forms.get(head.operation) else {
            let shown: String = head.operation.chars().take(64).collect();
            return Reply::refuse_call(Mark::None, "", format!("the service has no operation {shown}"));
        };
        let call = read(&form.request, &mut left, |from| Call::decode(head.operation, Binary(from.deserializer())));
        match call {
            Ok(call) if left.is_empty() => Reply::to(call, Mark::None),
            Ok(_) => Reply::refuse_call(Mark::None, head.operation, "bytes are left behind the message"),
            Err(error) => Reply::refuse_call(Mark::None, head.operation, error.to_string()),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let form = form(reply.operation)?;
        let head = AnswerHead { metadata: BTreeMap::new(), error: false };
        write(&PROTOCOL.answer_head, out, |to| head.serialize(to.serializer()))?;
        write(&form.answer, out, |to| answer.encode(Binary(to.serializer())))
    }

    fn write_fault(&self, _reply: &Reply, message: &str, out: &mut Vec<u8>) {
        let head = AnswerHead { metadata: BTreeMap::new(), error: true };
        // Writing to memory fails only where memory ends, and text always has a form.
        let _ = write(&PROTOCOL.answer_head, out, |to| head.serialize(to.serializer()));
        let _ = write(&PROTOCOL.errors, out, |to| message.serialize(to.serializer()));
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let operation = call.operation();
        let form = form(operation)?;
        let mut left = bytes;
        let head =
            read(&PROTOCOL.answer_head, &mut left, |from| AnswerHead::deserialize(from.deserializer())).map_err(Failure::protocol)?;
        if head.error {
            let complaint = read(&PROTOCOL.errors, &mut left, |from| String::deserialize(from.deserializer()));
            return Err(Failure::fault(complaint.map_err(Failure::protocol)?));
        }
        let answer = if Answer::is_nothing(operation) {
            Ok(Answer::Nothing)
        } else {
            read(&form.answer, &mut left, |from| Answer::decode(operation, Binary(from.deserializer())))
        };
        if left.is_empty() { answer.map_err(Failure::protocol) } else { Err(Failure::protocol("bytes are left behind the message")) }
    }
}

/// A request up to its parameters.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
    operation: &'a str,
}

/// An answer up to its value.
#[derive(Serialize, Deserialize)]
struct AnswerHead<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
    error: bool,
}

type Metadata<'a> = BTreeMap<&'a str, &'a [u8]>;

/// The schemas of an operation.
struct Form {
    request: Schema,
    answer: Schema,
}

/// What both sides know.
struct Protocol {
    head: Schema,
    answer_head: Schema,
    errors: Schema,
    forms: HashMap<&'static str, Form>,
}

static PROTOCOL: LazyLock<Protocol> = LazyLock::new(|| {
    let metadata = json!({"name": "metadata", "type": {"type": "map", "values": "bytes"}});
    let mut all = forms(include_str!("../../../../contract/service.avpr"));
    if !own::CALLS.is_empty() {
        all.extend(forms(own::AVRO));
    }
    Protocol {
        head: schema(&json!({"type": "record", "name": "Head", "fields": [metadata, {"name": "operation", "type": "string"}]})),
        answer_head: schema(&json!({"type": "record", "name": "AnswerHead", "fields": [metadata, {"name": "error", "type": "boolean"}]})),
        errors: ERRORS.parse().expect("a union is a schema"),
        forms: all,
    }
});

/// The schemas of all messages of a protocol.
fn forms(protocol: &str) -> HashMap<&'static str, Form> {
    let said: Value = serde_json::from_str(protocol).expect("a protocol is JSON");
    let types: HashMap<&str, &Value> =
        said["types"].as_array().into_iter().flatten().filter_map(|one| Some((one["name"].as_str()?, one))).collect();
    let messages = said["messages"].as_object().into_iter().flatten();
    let forms = messages.filter_map(|(name, message)| {
        let request = json!({"type": "record", "name": name, "fields": message["request"]});
        let form = Form { request: whole(&request, &types), answer: whole(&message["response"], &types) };
        Some((known(name)?, form))
    });
    forms.collect()
}

fn schema(said: &Value) -> Schema {
    said.to_string().parse().unwrap_or_else(|error| panic!("the protocol: {error}: {said}"))
}

/// A schema with the types that it names: each is written out where it is named first.
fn whole(said: &Value, types: &HashMap<&str, &Value>) -> Schema {
    fn fill(node: &Value, types: &HashMap<&str, &Value>, known: &mut Vec<String>) -> Value {
        match node {
            Value::String(name) if types.contains_key(name.as_str()) && !known.contains(name) => {
                known.push(name.clone());
                fill(types[name.as_str()], types, known)
            }
            Value::Array(items) => items.iter().map(|one| fill(one, types, known)).collect(),
            Value::Object(members) => {
                // A name is no type, even where it reads like one.
                let plain = ["name", "default", "doc", "symbols"];
                let filled = members.iter().map(|(key, value)| {
                    (key.clone(), if plain.contains(&key.as_str()) { value.clone() } else { fill(value, types, known) })
                });
                Value::Object(filled.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
    schema(&fill(said, types, &mut Vec::new()))
}

fn form(operation: &str) -> Result<&'static Form, Failure> {
    PROTOCOL.forms.get(operation).ok_or_else(|| Failure::new(Kind::CannotCarry, format!("Avro has no schema for {operation}")))
}

fn write(
    schema: &Schema,
    out: &mut Vec<u8>,
    value: impl FnOnce(&mut SerializerState<'_, '_, &mut Vec<u8>>) -> Result<(), SerError>,
) -> Result<(), Failure> {
    let mut config = SerializerConfig::new(schema);
    value(&mut SerializerState::from_writer(out, &mut config)).map_err(|error| Failure::new(Kind::CannotCarry, error.to_string()))
}

/// Reads one value from the beginning of `left`, which is moved behind it.
fn read<'de, T>(
    schema: &Schema,
    left: &mut &'de [u8],
    value: impl FnOnce(&mut DeserializerState<'_, SliceRead<'de>>) -> Result<T, DeError>,
) -> Result<T, DeError> {
    let mut state = DeserializerState::from_slice(left, schema);
    let read = value(&mut state)?;
    // What is left can be asked for, but not taken out: its length says where it begins.
    let rest = state.into_reader().fill_buf().map_or(0, <[u8]>::len);
    *left = &left[left.len() - rest..];
    Ok(read)
}
