//! The envelope's tags and lengths around values that stay where they are.

use callbench_service::{Answer, Call, Value};
use prost::Message;
use prost::encoding::{self, WireType, encode_key, encode_varint, encoded_len_varint};

/// The tag of the field in every message with one field.
const VALUE: u32 = 1;

/// The tag of `CallRequest.id` and `CallAnswer.id`.
const ID: u32 = 1;

pub fn id(id: u32, out: &mut Vec<u8>) {
    if id != 0 {
        encoding::uint32::encode(ID, &id, out);
    }
}

/// A message's tag and length: what `write` appends must be as long.
fn message(tag: u32, length: usize, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    encode_key(tag, WireType::LengthDelimited, out);
    encode_varint(length as u64, out);
    let expected = out.len() + length;
    out.reserve(length);
    write(out);
    debug_assert_eq!(out.len(), expected, "the length of message {tag} was reckoned wrongly");
}

fn nothing(tag: u32, out: &mut Vec<u8>) {
    message(tag, 0, out, |_| {});
}

/// A message with one scalar. As in proto3, the default value is left out.
macro_rules! scalar {
    ($kind:ident, $tag:expr, $value:expr, $default:expr, $out:expr) => {{
        let value = $value;
        if value == $default {
            nothing($tag, $out);
        } else {
            message($tag, encoding::$kind::encoded_len(VALUE, &value), $out, |out| encoding::$kind::encode(VALUE, &value, out));
        }
    }};
}

/// A message of one packed list.
macro_rules! packed {
    ($kind:ident, $tag:expr, $values:expr, $out:expr) => {{
        let values = $values;
        message($tag, encoding::$kind::encoded_len_packed(VALUE, values), $out, |out| encoding::$kind::encode_packed(VALUE, values, out));
    }};
}

/// A message of one string or bytes: a length and the bytes themselves.
fn octets(tag: u32, value: &[u8], out: &mut Vec<u8>) {
    if value.is_empty() {
        return nothing(tag, out);
    }
    let length = 1 + encoded_len_varint(value.len() as u64) + value.len();
    message(tag, length, out, |out| {
        encode_key(VALUE, WireType::LengthDelimited, out);
        encode_varint(value.len() as u64, out);
        out.extend_from_slice(value);
    });
}

/// A message of one record.
fn record<M: Message>(tag: u32, value: &M, out: &mut Vec<u8>) {
    message(tag, encoding::message::encoded_len(VALUE, value), out, |out| encoding::message::encode(VALUE, value, out));
}

fn records<M: Message>(tag: u32, values: &[M], out: &mut Vec<u8>) {
    message(tag, encoding::message::encoded_len_repeated(VALUE, values), out, |out| encoding::message::encode_repeated(VALUE, values, out));
}

pub fn request(call: &Call, out: &mut Vec<u8>) {
    match call {
        Call::Empty => nothing(2, out),
        Call::Sum { a, b } => pair(3, *a, *b, out),
        Call::GetPersons { n } => scalar!(int32, 4, *n, 0, out),
        Call::GetBinaryData { size, fill } => binary_data(5, *size, fill, out),
        Call::EchoStructure(structure) => record(6, &**structure, out),
        Call::EchoString(text) => octets(7, text.as_bytes(), out),
        Call::Hello => nothing(8, out),
        Call::FindItems { n } => scalar!(int32, 9, *n, 0, out),
        Call::Send(value) => send(value, out),
        Call::Own(request) => request.put(out),
    }
}

fn send(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Boolean(it) => scalar!(bool, 10, *it, false, out),
        Value::Byte(it) => scalar!(uint32, 11, u32::from(*it), 0, out),
        Value::Char(it) => scalar!(uint32, 12, u32::from(*it), 0, out),
        Value::Short(it) => scalar!(int32, 13, i32::from(*it), 0, out),
        Value::Int(it) => scalar!(int32, 14, *it, 0, out),
        Value::Long(it) => scalar!(int64, 15, *it, 0, out),
        // A float is left out by its bits: minus zero equals zero and is not the default.
        Value::Float(it) if it.to_bits() == 0 => nothing(16, out),
        Value::Float(it) => message(16, encoding::float::encoded_len(VALUE, it), out, |out| encoding::float::encode(VALUE, it, out)),
        Value::Double(it) if it.to_bits() == 0 => nothing(17, out),
        Value::Double(it) => message(17, encoding::double::encoded_len(VALUE, it), out, |out| encoding::double::encode(VALUE, it, out)),
        Value::Text(it) => octets(18, it.as_bytes(), out),
        Value::Object(it) => record(19, &**it, out),
        Value::Booleans(it) => packed!(bool, 20, it, out),
        Value::Bytes(it) => octets(21, &it.0, out),
        Value::Chars(it) => packed!(uint32, 22, &it.iter().copied().map(u32::from).collect::<Vec<_>>(), out),
        Value::Shorts(it) => packed!(int32, 23, &it.iter().copied().map(i32::from).collect::<Vec<_>>(), out),
        Value::Ints(it) => packed!(int32, 24, it, out),
        Value::Longs(it) => packed!(int64, 25, it, out),
        Value::Floats(it) => packed!(float, 26, it, out),
        Value::Doubles(it) => packed!(double, 27, it, out),
        Value::Texts(it) => {
            message(28, encoding::string::encoded_len_repeated(VALUE, it), out, |out| encoding::string::encode_repeated(VALUE, it, out));
        }
        Value::Objects(it) => records(29, it, out),
    }
}

fn pair(tag: u32, a: i32, b: i32, out: &mut Vec<u8>) {
    let fields = [(1, a), (2, b)].into_iter().filter(|(_, value)| *value != 0);
    let length = fields.clone().map(|(tag, value)| encoding::int32::encoded_len(tag, &value)).sum();
    message(tag, length, out, |out| fields.for_each(|(tag, value)| encoding::int32::encode(tag, &value, out)));
}

fn binary_data(tag: u32, size: i32, fill: &String, out: &mut Vec<u8>) {
    let size_length = if size == 0 { 0 } else { encoding::int32::encoded_len(1, &size) };
    let fill_length = if fill.is_empty() { 0 } else { encoding::string::encoded_len(2, fill) };
    message(tag, size_length + fill_length, out, |out| {
        if size != 0 {
            encoding::int32::encode(1, &size, out);
        }
        if !fill.is_empty() {
            encoding::string::encode(2, fill, out);
        }
    });
}

pub fn answer(answer: &Answer, out: &mut Vec<u8>) {
    match answer {
        Answer::Nothing => nothing(3, out),
        Answer::Number(it) => scalar!(int32, 4, *it, 0, out),
        Answer::Persons(it) => records(5, it, out),
        Answer::Octets(it) => octets(6, &it.0, out),
        Answer::Structure(it) => record(7, &**it, out),
        Answer::Text(it) => octets(8, it.as_bytes(), out),
        Answer::Found(it) => encoding::message::encode(9, &**it, out),
        Answer::Own(it) => it.put(out),
    }
}

pub fn fault(message: &str, out: &mut Vec<u8>) {
    octets(2, message.as_bytes(), out);
}
