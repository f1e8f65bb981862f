//! The parameters of a call, after ORPCTHIS.

use callbench_service::{Call, Octets, Person, Structure, Value};

use super::operation;
use crate::ndr::{Malformed, Ndr, Reader, Writer};

pub fn put(call: &Call, out: &mut Writer<'_>) {
    match call {
        // A service of the user's own has no interface here.
        Call::Empty | Call::Hello | Call::Own(_) => {}
        Call::Send(value) => put_value(value, out),
        Call::Sum { a, b } => {
            a.put(out);
            b.put(out);
        }
        Call::GetPersons { n } | Call::FindItems { n } => n.put(out),
        Call::GetBinaryData { size, fill } => {
            size.put(out);
            fill.put(out);
        }
        Call::EchoStructure(structure) => structure.put(out),
        Call::EchoString(value) => value.put(out),
    }
}

fn put_value(value: &Value, out: &mut Writer<'_>) {
    match value {
        Value::Boolean(it) => it.put(out),
        Value::Byte(it) => it.put(out),
        Value::Char(it) => it.put(out),
        Value::Short(it) => it.put(out),
        Value::Int(it) => it.put(out),
        Value::Long(it) => it.put(out),
        Value::Float(it) => it.put(out),
        Value::Double(it) => it.put(out),
        Value::Text(it) => it.put(out),
        Value::Object(it) => it.put(out),
        Value::Booleans(it) => it.put(out),
        Value::Bytes(it) => it.put(out),
        Value::Chars(it) => it.put(out),
        Value::Shorts(it) => it.put(out),
        Value::Ints(it) => it.put(out),
        Value::Longs(it) => it.put(out),
        Value::Floats(it) => it.put(out),
        Value::Doubles(it) => it.put(out),
        Value::Texts(it) => it.put(out),
        Value::Objects(it) => it.put(out),
    }
}

/// The call of an opnum; None where the interface has no such.
#[must_use]
pub fn get(opnum: u16, from: &mut Reader<'_>) -> Option<Result<Call, Malformed>> {
    let operation = operation(opnum)?;
    Some(match operation {
        "Empty" => Ok(Call::Empty),
        "Hello" => Ok(Call::Hello),
        "Sum" => i32::get(from).and_then(|a| i32::get(from).map(|b| Call::Sum { a, b })),
        "GetPersons" => i32::get(from).map(|n| Call::GetPersons { n }),
        "FindItems" => i32::get(from).map(|n| Call::FindItems { n }),
        "GetBinaryData" => i32::get(from).and_then(|size| String::get(from).map(|fill| Call::GetBinaryData { size, fill })),
        "EchoStructure" => Box::<Structure>::get(from).map(Call::EchoStructure),
        "EchoString" => String::get(from).map(Call::EchoString),
        _ => get_value(operation, from).map(Call::Send),
    })
}

fn get_value(operation: &str, from: &mut Reader<'_>) -> Result<Value, Malformed> {
    match operation {
        "SendBoolean" => bool::get(from).map(Value::Boolean),
        "SendByte" => u8::get(from).map(Value::Byte),
        "SendChar" => u16::get(from).map(Value::Char),
        "SendShort" => i16::get(from).map(Value::Short),
        "SendInt" => i32::get(from).map(Value::Int),
        "SendLong" => i64::get(from).map(Value::Long),
        "SendFloat" => f32::get(from).map(Value::Float),
        "SendDouble" => f64::get(from).map(Value::Double),
        "SendString" => String::get(from).map(Value::Text),
        "SendObject" => Box::<Person>::get(from).map(Value::Object),
        "SendBooleanArray" => Vec::get(from).map(Value::Booleans),
        "SendByteArray" => Octets::get(from).map(Value::Bytes),
        "SendCharArray" => Vec::get(from).map(Value::Chars),
        "SendShortArray" => Vec::get(from).map(Value::Shorts),
        "SendIntArray" => Vec::get(from).map(Value::Ints),
        "SendLongArray" => Vec::get(from).map(Value::Longs),
        "SendFloatArray" => Vec::get(from).map(Value::Floats),
        "SendDoubleArray" => Vec::get(from).map(Value::Doubles),
        "SendStringArray" => Vec::get(from).map(Value::Texts),
        "SendObjectArray" => Vec::get(from).map(Value::Objects),
        _ => Err(Malformed("there is no such operation")),
    }
}
