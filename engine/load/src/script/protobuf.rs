//! Finds a value in a protobuf message by the numbers of its fields, without the schema.

/// The wire types of <https://protobuf.dev/programming-guides/encoding/>.
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const BYTES: u64 = 2;
const FIXED_32: u64 = 5;

/// The largest number of a field.
const MAX_FIELD: u64 = (1 << 29) - 1;

/// The value of a field.
#[derive(Debug, PartialEq, Eq)]
enum Value<'m> {
    Integer(u64),
    /// A text, bytes, or a message.
    Bytes(&'m [u8]),
    /// Four or eight bytes. Without the schema, nobody knows whether they are an integer.
    Fixed,
}

/// The path with these numbers, such as `1` or `2.1`; None: it is none.
#[must_use]
pub fn path(text: &str) -> Option<Vec<u64>> {
    let number = |part: &str| part.parse().ok().filter(|number| (1..=MAX_FIELD).contains(number) && !part.starts_with('+'));
    text.split('.').map(number).collect()
}

/// Writes the first value at this path to `out`: a text as it is, an integer in decimal digits, without a sign.
///
/// Fails with the reason, as a part of a sentence, if the message has no such value.
pub fn take(message: &[u8], path: &[u64], out: &mut Vec<u8>) -> Result<(), &'static str> {
    let mut rest = message;
    for (place, wanted) in path.iter().enumerate() {
        let last = place + 1 == path.len();
        match first(rest, *wanted)? {
            None => return Err("the message does not have it"),
            Some(Value::Bytes(bytes)) if last => out.extend_from_slice(bytes),
            Some(Value::Integer(number)) if last => out.extend_from_slice(number.to_string().as_bytes()),
            Some(Value::Bytes(inner)) => rest = inner,
            Some(Value::Fixed) if last => return Err("it is neither a text nor a varint, but a number of a fixed length"),
            Some(_) => return Err("a field on the way to it is not a message"),
        }
    }
    Ok(())
}

/// The first value of a field.
fn first(mut rest: &[u8], wanted: u64) -> Result<Option<Value<'_>>, &'static str> {
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            VARINT => Value::Integer(varint(&mut rest)?),
            FIXED_64 => cut(&mut rest, 8).map(|_| Value::Fixed)?,
            BYTES => {
                let length = usize::try_from(varint(&mut rest)?).unwrap_or(usize::MAX);
                Value::Bytes(cut(&mut rest, length)?)
            }
            FIXED_32 => cut(&mut rest, 4).map(|_| Value::Fixed)?,
            _ => return Err(NO_MESSAGE),
        };
        if key >> 3 == wanted {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

const NO_MESSAGE: &str = "the bytes are not a protobuf message";

fn varint(rest: &mut &[u8]) -> Result<u64, &'static str> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = cut(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(NO_MESSAGE)
}

fn cut<'m>(rest: &mut &'m [u8], length: usize) -> Result<&'m [u8], &'static str> {
    let (bytes, after) = rest.split_at_checked(length).ok_or(NO_MESSAGE)?;
    *rest = after;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Field 1: 150 (the guide's own example), field 2: "testing", field 3: a message with field 1: "in", field 4: a fixed 32-bit number.
    const MESSAGE: &[u8] = b"\x08\x96\x01\x12\x07testing\x1a\x04\x0a\x02in\x25\0\0\0\0";

    fn found(text: &str) -> Result<String, &'static str> {
        let mut out = Vec::new();
        take(MESSAGE, &path(text).expect("a path"), &mut out).map(|()| String::from_utf8(out).expect("text"))
    }

    #[test]
    fn a_value_is_found_by_the_numbers_of_its_fields() {
        assert_eq!(found("1"), Ok("150".to_owned()));
        assert_eq!(found("2"), Ok("testing".to_owned()));
        assert_eq!(found("3.1"), Ok("in".to_owned()));
    }

    #[test]
    fn what_is_not_there_is_told() {
        assert_eq!(found("5"), Err("the message does not have it"));
        assert_eq!(found("3.2"), Err("the message does not have it"));
        assert_eq!(found("1.1"), Err("a field on the way to it is not a message"));
        assert!(found("4").expect_err("a reason").contains("fixed length"));
        for text in ["", "0", "a", "1.", "+1", "-1", "536870912"] {
            assert_eq!(path(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(message in prop::collection::vec(any::<u8>(), 0..60), field in 1_u64..20) {
            let _ = take(&message, &[field, 1], &mut Vec::new());
        }
    }
}
