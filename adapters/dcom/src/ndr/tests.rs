//! Alignment and pointers, and counts that promise more than came.

use super::{Malformed, Ndr, Reader, Writer};

fn put(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut octets = Vec::new();
    write(&mut Writer::new(&mut octets));
    octets
}

fn words(words: &[u32], out: &mut Writer<'_>) {
    for word in words {
        out.u32(*word);
    }
}

#[test]
fn values_are_aligned_from_where_the_stub_begins() {
    let mut octets = vec![9; 3];
    let mut out = Writer::new(&mut octets);
    true.put(&mut out);
    5_i64.put(&mut out);
    6_u16.put(&mut out);
    7_f32.put(&mut out);
    assert_eq!(octets[3..].len(), 8 + 8 + 4 + 4);
    let mut from = Reader::new(&octets[3..]);
    assert_eq!((bool::get(&mut from), i64::get(&mut from), u16::get(&mut from)), (Ok(true), Ok(5), Ok(6)));
    assert_eq!((f32::get(&mut from), from.left()), (Ok(7.0), 0));
}

#[test]
fn what_is_absent_is_a_null_pointer() {
    assert_eq!(put(|out| None::<i32>.put(out)), [0; 4]);
    assert_eq!(put(|out| Some(3_i32).put(out)), [0, 0, 2, 0, 3, 0, 0, 0]);
    assert_eq!(Option::<String>::get(&mut Reader::new(&put(|out| Some(String::new()).put(out)))), Ok(Some(String::new())));
}

#[test]
fn no_two_referents_are_alike() {
    let octets = put(|out| (0..3).for_each(|_| out.referent()));
    assert_eq!(octets.as_chunks::<4>().0.iter().collect::<std::collections::HashSet<_>>().len(), 3);
}

#[test]
fn strings_keep_what_they_hold() {
    for text in ["", "ASCII", "Grüße", "a\0b", "\u{1f600}\u{fffe}"] {
        let octets = put(|out| text.to_owned().put(out));
        assert_eq!(octets.len(), 16 + 2 * text.encode_utf16().count());
        assert_eq!(String::get(&mut Reader::new(&octets)).as_deref(), Ok(text));
    }
}

#[test]
fn a_null_string_is_an_empty_one() {
    let null = put(|out| out.u32(0));
    let inside = put(|out| {
        words(&[1, 0, u32::MAX, 0], out);
    });
    for octets in [null, inside] {
        assert_eq!(String::get(&mut Reader::new(&octets)).as_deref(), Ok(""));
    }
}

#[test]
fn a_lone_surrogate_is_told() {
    let octets = put(|out| {
        words(&[1, 1, 2, 1], out);
        out.u16(0xd800);
    });
    assert!(matches!(String::get(&mut Reader::new(&octets)), Err(Malformed(why)) if why.contains("surrogate")));
}

#[test]
fn a_count_is_believed_as_far_as_octets_came() {
    for announced in [2, 1000, u32::MAX] {
        let octets = put(|out| {
            words(&[announced, 1, announced, 5], out);
        });
        assert!(Vec::<i32>::get(&mut Reader::new(&octets)).is_err(), "{announced}");
        assert!(Vec::<String>::get(&mut Reader::new(&octets)).is_err(), "{announced}");
    }
    let other = put(|out| words(&[1, 1, 2, 5, 6], out));
    assert!(Vec::<i32>::get(&mut Reader::new(&other)).is_err());
}
