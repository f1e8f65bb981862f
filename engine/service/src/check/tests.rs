use super::*;
use crate::generate;
use crate::records::Octets;
use proptest::prelude::*;

/// The calls that have an answer, of this size.
fn calls(n: i32) -> Vec<Call> {
    vec![
        Call::Sum { a: n, b: 1 },
        Call::GetPersons { n },
        Call::FindItems { n },
        Call::GetBinaryData { size: 4 * n, fill: "random".to_owned() },
        Call::EchoString("é".repeat(n as usize)),
        Call::EchoStructure(generate::structure(n as usize).into()),
        Call::Hello,
    ]
}

/// Whether the difference is found within this number of turns.
fn is_noticed(expected: &Expectation, wrong: &Answer, turns: u64) -> bool {
    (0..turns).any(|turn| !expected.holds(wrong, turn))
}

#[test]
fn an_answer_that_is_wrong_in_its_last_field_alone_is_never_right() {
    for call in [1, 3, 100].into_iter().flat_map(calls) {
        let right = Expectation::of(&call);
        let Some(Expectation::Answer(wrong)) = right.altered() else { panic!("{} has no field", call.name()) };
        for turn in 0..7 {
            assert!(!right.holds(&wrong, turn), "{} {turn}", call.name());
        }
    }
    assert_eq!(Expectation::of(&Call::Empty).altered(), None);
    assert_eq!(Expectation::of(&Call::GetPersons { n: 0 }).altered(), None);
    assert_eq!(Expectation::of(&Call::GetPersons { n: -1 }).altered(), None);
}

#[test]
fn what_is_wrong_anywhere_is_noticed_in_time() {
    let persons = Expectation::of(&Call::GetPersons { n: 30 });
    let mut wrong = generate::persons(30);
    wrong[11].first_name.push('x');
    assert!(is_noticed(&persons, &Answer::Persons(wrong), 30));

    let found = Expectation::of(&Call::FindItems { n: 5 });
    let mut wrong = generate::search_response(5);
    wrong.search_result.item[1].listing_info.gift = None;
    assert!(is_noticed(&found, &Answer::Found(wrong.clone().into()), 5));
    wrong = generate::search_response(5);
    wrong.pagination_output.total_pages += 1;
    assert!(is_noticed(&found, &Answer::Found(wrong.into()), 1));

    let text = "The quick brown fox ".repeat(10);
    let echo = Expectation::of(&Call::EchoString(text.clone()));
    assert!(is_noticed(&echo, &Answer::Text(text.replacen("quick", "quack", 1)), 200));

    let bytes = generate::binary(900, crate::Fill::Random);
    let binary = Expectation::of(&Call::GetBinaryData { size: 900, fill: "random".to_owned() });
    for place in [0, 450, 899] {
        let mut wrong = bytes.clone();
        wrong[place] ^= 1;
        assert!(is_noticed(&binary, &Answer::Octets(Octets(wrong)), 900));
    }

    let structure = Expectation::of(&Call::EchoStructure(generate::structure(9).into()));
    let mut wrong = generate::structure(9);
    wrong.beans[4].related[1] += 1;
    // Both lists are checked by the same turn: 4 mod 9 and 1 mod 3.
    assert!(is_noticed(&structure, &Answer::Structure(wrong.into()), 27));
}

#[test]
fn another_length_or_another_kind_is_wrong() {
    let three = Expectation::of(&Call::GetPersons { n: 3 });
    assert!(!three.holds(&Answer::Persons(generate::persons(2)), 0));
    assert!(!three.holds(&Answer::Persons(Vec::new()), 0));
    assert!(!three.holds(&Answer::Nothing, 0));
    assert!(!Expectation::of(&Call::Empty).holds(&Answer::Number(0), 0));
    assert!(!Expectation::of(&Call::GetPersons { n: 0 }).holds(&Answer::Persons(generate::persons(1)), 0));
    let echo = Expectation::of(&Call::EchoString("café".to_owned()));
    assert!(!echo.holds(&Answer::Text("cafe".to_owned()), 0));
}

#[test]
fn nothing_is_right_where_a_refusal_is_due() {
    for call in [Call::GetPersons { n: -1 }, Call::FindItems { n: 2_000_000 }, Call::GetBinaryData { size: 1, fill: "x".to_owned() }] {
        assert_eq!(Expectation::of(&call), Expectation::Refusal);
        assert!(!Expectation::of(&call).holds(&Answer::Nothing, 0));
    }
}

proptest! {
    #[test]
    fn the_right_answer_holds_at_every_turn(n in 0_i32..70, turn: u64) {
        for call in calls(n) {
            let right = Service::default().answer(&call).expect("no fault");
            prop_assert!(Expectation::of(&call).holds(&right, turn), "{}", call.name());
        }
    }
}
