//! Literal values in arguments: canonical JSON, or a plain number, which is easier to write.

use serde_json::Value as Json;

use super::{ArgumentError, wrong};
use crate::call::Value;
use crate::generate::Kind;
use crate::records::{Octets, Person};

/// The value of a `Send`, of `kind` or an array of it.
pub(super) fn value(kind: Kind, array: bool, given: &Json) -> Result<Value, ArgumentError> {
    if array { array_of(kind, given) } else { scalar(kind, given) }
}

/// A string, or `{"utf16": [units]}`. Rust supports this form only if the units are valid Unicode.
pub(super) fn text(given: &Json) -> Result<String, ArgumentError> {
    if let Some(text) = given.as_str() {
        return Ok(text.to_owned());
    }
    let units = given.get("utf16").ok_or_else(|| wrong("value", given, "a string"))?;
    let units = list(units, unit)?;
    String::from_utf16(&units)
        .map_err(|_| ArgumentError::CannotCarry("a string of Rust cannot hold a surrogate without its partner".to_owned()))
}

/// A 64-bit decimal string without sign or space.
pub(super) fn decimal(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

fn scalar(kind: Kind, given: &Json) -> Result<Value, ArgumentError> {
    Ok(match kind {
        Kind::Boolean => Value::Boolean(boolean(given)?),
        Kind::Byte => Value::Byte(whole(given)?),
        Kind::Char => Value::Char(unit(given)?),
        Kind::Short => Value::Short(whole(given)?),
        Kind::Int => Value::Int(whole(given)?),
        Kind::Long => Value::Long(long(given)?),
        Kind::Float => Value::Float(float(given)?),
        Kind::Double => Value::Double(double(given)?),
        Kind::Text => Value::Text(text(given)?),
        Kind::Object => Value::Object(person(given)?.into()),
    })
}

fn array_of(kind: Kind, given: &Json) -> Result<Value, ArgumentError> {
    Ok(match kind {
        Kind::Boolean => Value::Booleans(list(given, boolean)?),
        Kind::Byte => Value::Bytes(Octets(list(given, whole)?)),
        Kind::Char => Value::Chars(list(given, unit)?),
        Kind::Short => Value::Shorts(list(given, whole)?),
        Kind::Int => Value::Ints(list(given, whole)?),
        Kind::Long => Value::Longs(list(given, long)?),
        Kind::Float => Value::Floats(list(given, float)?),
        Kind::Double => Value::Doubles(list(given, double)?),
        Kind::Text => Value::Texts(list(given, text)?),
        Kind::Object => Value::Objects(list(given, person)?),
    })
}

/// An invalid element is reported before an element that only Rust cannot represent.
fn list<T>(given: &Json, each: impl Fn(&Json) -> Result<T, ArgumentError>) -> Result<Vec<T>, ArgumentError> {
    let (mut held, mut cannot) = (Vec::new(), None);
    for element in given.as_array().ok_or_else(|| wrong("value", given, "an array"))? {
        match each(element) {
            Ok(value) => held.push(value),
            Err(ArgumentError::CannotCarry(message)) => cannot = cannot.or(Some(message)),
            Err(wrong) => return Err(wrong),
        }
    }
    cannot.map_or(Ok(held), |message| Err(ArgumentError::CannotCarry(message)))
}

fn boolean(given: &Json) -> Result<bool, ArgumentError> {
    given.as_bool().ok_or_else(|| wrong("value", given, "true or false"))
}

fn unit(given: &Json) -> Result<u16, ArgumentError> {
    whole(given)
}

/// The integers that fit into a JSON number, with their ranges.
trait Whole: TryFrom<i64> {
    const RANGE: (i64, i64);
}

impl Whole for u8 {
    const RANGE: (i64, i64) = (0, 255);
}
impl Whole for u16 {
    const RANGE: (i64, i64) = (0, 65_535);
}
impl Whole for i16 {
    const RANGE: (i64, i64) = (-32_768, 32_767);
}
impl Whole for i32 {
    const RANGE: (i64, i64) = (-2_147_483_648, 2_147_483_647);
}

fn whole<T: Whole>(given: &Json) -> Result<T, ArgumentError> {
    let fits = given.as_i64().and_then(|it| T::try_from(it).ok());
    fits.ok_or_else(|| wrong("value", given, &format!("a whole number from {} to {}", T::RANGE.0, T::RANGE.1)))
}

fn long(given: &Json) -> Result<i64, ArgumentError> {
    let spelt = given.as_str().and_then(|text| text.parse().ok());
    spelt.or_else(|| given.as_i64()).ok_or_else(|| wrong("value", given, "a decimal string of 64 bits"))
}

fn bits(given: &Json, digits: usize) -> Option<u64> {
    let hex = given.as_str()?.strip_prefix("0x")?;
    let plain = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    if plain { u64::from_str_radix(hex, 16).ok() } else { None }
}

fn float(given: &Json) -> Result<f32, ArgumentError> {
    let spelt = bits(given, 8).map(|bits| f32::from_bits(bits as u32));
    spelt.or_else(|| given.as_f64().map(|it| it as f32)).ok_or_else(|| wrong("value", given, "a number, or 0x and 8 hexadecimal digits"))
}

fn double(given: &Json) -> Result<f64, ArgumentError> {
    let spelt = bits(given, 16).map(f64::from_bits);
    spelt.or_else(|| given.as_f64()).ok_or_else(|| wrong("value", given, "a number, or 0x and 16 hexadecimal digits"))
}

fn person(given: &Json) -> Result<Person, ArgumentError> {
    let member = |name: &str| given.get(name).ok_or_else(|| wrong("value", given, "a Person: ID, FirstName and LastName"));
    Ok(Person { id: whole(member("ID")?)?, first_name: text(member("FirstName")?)?, last_name: text(member("LastName")?)? })
}
