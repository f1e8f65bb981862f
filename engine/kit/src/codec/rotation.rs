//! Payloads of different content and nearly the same size: variants of the same call.

use callbench_service::service::Service;
use callbench_service::{Answer, Call, Fill, Octets, Value, generate, pairs};

use crate::failure::{Failure, Kind};

/// Variant number `variant` of the call and its answer. Number 0 is the original.
pub(super) fn variant(call: &Call, turn: usize) -> Result<(Call, Answer), Failure> {
    let step = turn as i32;
    let call = match call {
        Call::Sum { a, b } => Call::Sum { a: a.wrapping_add(step), b: b.wrapping_sub(2 * step) },
        Call::Send(value) => Call::Send(value_variant(value, turn)),
        Call::EchoString(text) => Call::EchoString(text_variant(text, turn)),
        Call::EchoStructure(structure) => {
            Call::EchoStructure(if turn == 0 { structure.clone() } else { generate::structure_from(turn, structure.numbers.len()).into() })
        }
        Call::Own(request) => pairs::turned(request, turn).unwrap_or_else(|| call.clone()),
        Call::Empty | Call::Hello | Call::GetPersons { .. } | Call::GetBinaryData { .. } | Call::FindItems { .. } => call.clone(),
    };
    // The service refuses invalid arguments. It also answers calls whose answers have no variants.
    let answer = Service::default().answer(&call).map_err(|fault| {
        Failure::new(Kind::BadRequest, format!("the service refuses this call, so that its answer has no codec: {}", fault.message))
    })?;
    Ok((call.clone(), if turn == 0 { answer } else { answer_variant(&call, answer, turn) }))
}

fn answer_variant(call: &Call, answer: Answer, turn: usize) -> Answer {
    match (call, answer) {
        (Call::GetPersons { n }, _) => Answer::Persons(generate::persons_from(turn, *n as usize)),
        (Call::FindItems { n }, _) => Answer::Found(Box::new(generate::search_response_seeded(*n as usize, 7 + turn as u64))),
        (Call::GetBinaryData { size, fill }, Answer::Octets(octets)) => match Fill::named(fill) {
            Some(fill) => Answer::Octets(Octets(generate::binary_seeded(*size as usize, fill, 100 + turn as u64))),
            None => Answer::Octets(octets),
        },
        (_, answer) => answer,
    }
}

/// A text of the same length: its characters are rotated, and a plain capital letter in front is changed.
fn text_variant(text: &str, turn: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return String::new();
    }
    let cut = turn % characters.len();
    let mut moved: Vec<char> = characters[cut..].iter().chain(&characters[..cut]).copied().collect();
    if moved[0].is_ascii_uppercase() {
        moved[0] = char::from(b'A' + ((moved[0] as usize - 'A' as usize + turn) % 26) as u8);
    }
    moved.into_iter().collect()
}

fn value_variant(value: &Value, turn: usize) -> Value {
    let step = turn as i32;
    match value {
        Value::Boolean(it) => Value::Boolean(*it ^ (turn % 2 == 1)),
        Value::Byte(it) => Value::Byte(it.wrapping_add(turn as u8)),
        Value::Char(it) => Value::Char(unit_variant(*it, turn)),
        Value::Short(it) => Value::Short(it.wrapping_add(turn as i16)),
        Value::Int(it) => Value::Int(it.wrapping_add(step)),
        Value::Long(it) => Value::Long(it.wrapping_add(i64::from(step))),
        Value::Float(it) => Value::Float(it + step as f32),
        Value::Double(it) => Value::Double(it + f64::from(step)),
        Value::Text(it) => Value::Text(text_variant(it, turn)),
        Value::Object(_) => Value::Object(generate::person(42 + turn).into()),
        Value::Booleans(them) => Value::Booleans(them.iter().map(|it| it ^ (turn % 2 == 1)).collect()),
        Value::Bytes(them) => Value::Bytes(Octets(them.0.iter().map(|it| it.wrapping_add(turn as u8)).collect())),
        Value::Chars(them) => Value::Chars(them.iter().map(|it| unit_variant(*it, turn)).collect()),
        Value::Shorts(them) => Value::Shorts(them.iter().map(|it| it.wrapping_add(turn as i16)).collect()),
        Value::Ints(them) => Value::Ints(them.iter().map(|it| it.wrapping_add(step)).collect()),
        Value::Longs(them) => Value::Longs(them.iter().map(|it| it.wrapping_add(i64::from(step))).collect()),
        Value::Floats(them) => Value::Floats(them.iter().map(|it| it + step as f32).collect()),
        Value::Doubles(them) => Value::Doubles(them.iter().map(|it| it + f64::from(step)).collect()),
        Value::Texts(them) => Value::Texts(them.iter().map(|it| text_variant(it, turn)).collect()),
        Value::Objects(them) => Value::Objects(if turn == 0 { them.clone() } else { generate::persons_from(turn, them.len()) }),
    }
}

/// Capital letters stay capital letters. Other units stay unchanged, because not every unit can be sent in every message.
fn unit_variant(unit: u16, turn: usize) -> u16 {
    if (65..91).contains(&unit) { 65 + (unit - 65 + (turn % 26) as u16) % 26 } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callbench_service::generate::{Content, Kind as Type};

    #[test]
    fn the_first_turn_changes_nothing_and_the_others_keep_the_length() {
        let value = |kind, array| Call::Send(generate::value(kind, array, Content::Fixed, 5).expect("fixed"));
        let calls = Type::ALL.into_iter().flat_map(|(kind, _)| [value(kind, true), value(kind, false)]);
        let more = [
            Call::GetPersons { n: 4 },
            Call::FindItems { n: 2 },
            Call::GetBinaryData { size: 100, fill: "text".to_owned() },
            Call::EchoString("AAAA".to_owned()),
            Call::EchoStructure(generate::structure(3).into()),
            Call::Sum { a: i32::MAX, b: 1 },
        ];
        for call in calls.chain(more) {
            let (same, right) = variant(&call, 0).expect("no refusal");
            assert_eq!(same, call);
            if !matches!(call, Call::Send(Value::Object(_))) {
                assert_eq!(Ok(right.clone()), Service::default().answer(&call));
            }
            let (other, answer) = variant(&call, 1).expect("no refusal");
            assert!(other != call || answer != right, "{} stays the same", call.operation());
        }
        assert_eq!(text_variant("ABC", 1), "CCA");
    }

    #[test]
    fn a_refused_call_has_no_codec() {
        assert_eq!(variant(&Call::GetPersons { n: -1 }, 0).expect_err("a refusal").kind, Kind::BadRequest);
    }
}
