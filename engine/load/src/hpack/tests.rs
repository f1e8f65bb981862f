//! The examples of RFC 7541, Appendix C, and arbitrary bytes.

use super::*;
use proptest::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter_map(|digit| (digit as char).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn fields(decoder: &mut Decoder, block: &[u8]) -> Result<Vec<(String, String)>, Failure> {
    let mut found = Vec::new();
    decoder.read(block, |name, value| {
        found.push((String::from_utf8_lossy(name).into_owned(), String::from_utf8_lossy(value).into_owned()));
        Ok(())
    })?;
    Ok(found)
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn integers_of_the_standard() {
    for (value, prefix, hex) in [(10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a")] {
        let mut out = Vec::new();
        write_integer(0, prefix, value, &mut out);
        assert_eq!(out, bytes(hex));
        assert_eq!(integer(&mut &out[..], prefix), Ok(value));
    }
}

/// Three answers on a connection whose table holds 256 bytes, as in C.5 (plain) and C.6 (Huffman).
#[test]
fn answers_of_the_standard() {
    let plain = [
        "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d",
        "4803333037c1c0bf",
        "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31",
    ];
    let coded = [
        "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
        "4883640effc1c0bf",
        "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
    ];
    for blocks in [plain, coded] {
        let mut decoder = Decoder::default();
        assert!(decoder.table.resize(256));
        let first = fields(&mut decoder, &bytes(blocks[0])).expect("fields");
        let (control, date) = (("cache-control", "private"), ("date", "Mon, 21 Oct 2013 20:13:21 GMT"));
        let location = ("location", "https://www.example.com");
        assert_eq!(first, named(&[(":status", "302"), control, date, location]));
        let second = fields(&mut decoder, &bytes(blocks[1])).expect("fields");
        assert_eq!(second, named(&[(":status", "307"), control, date, location]));
        let third = fields(&mut decoder, &bytes(blocks[2])).expect("fields");
        let later = ("date", "Mon, 21 Oct 2013 20:13:22 GMT");
        let cookie = ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
        assert_eq!(third, named(&[(":status", "200"), control, later, location, ("content-encoding", "gzip"), cookie]));
        assert_eq!(decoder.table.at(FIRST_DYNAMIC), Some((&b"set-cookie"[..], cookie.1.as_bytes())));
        assert_eq!((decoder.table.at(FIRST_DYNAMIC + 3), decoder.table.at(0)), (None, None));
    }
}

#[test]
fn a_block_tells_whether_it_changed_the_table() {
    let mut decoder = Decoder::default();
    let mut changed = |block: &[u8]| decoder.read(block, |_, _| Ok(()));
    assert_eq!(changed(&bytes("88")), Ok(false));
    assert_eq!(changed(&bytes("0f 0d 01 35")), Ok(false));
    assert_eq!(changed(&bytes("5c 01 35")), Ok(true));
    assert_eq!(changed(&bytes("20")), Ok(true));
}

#[test]
fn what_is_no_block_is_refused() {
    for block in ["80", "c0", "ff ff ff ff ff 0f", "5c", "5c 05 31", "3f e2 1f 88", "88 20", "5c 81 00", "5c 84 ff ff ff ff"] {
        let failure = fields(&mut Decoder::default(), &bytes(block)).expect_err(block);
        assert_eq!(failure.kind, callbench_kit::Kind::Protocol, "{block}");
    }
}

proptest! {
    #[test]
    fn no_octets_panic_or_outgrow_the_table(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..5)) {
        let mut decoder = Decoder::default();
        for block in &blocks {
            let _ = fields(&mut decoder, block);
            let mut size = 0;
            while let Some((name, value)) = decoder.table.at(FIRST_DYNAMIC + size) {
                prop_assert!(entry_size(name, value) <= SIZE);
                size += 1;
            }
            prop_assert!(size <= SIZE / 32);
        }
    }

    #[test]
    fn what_is_written_is_read(fields_ in prop::collection::vec(("[a-z-]{1,40}", prop::collection::vec(any::<u8>(), 0..300)), 0..6)) {
        let mut block = Vec::new();
        for (name, value) in &fields_ {
            write_integer(LITERAL, 4, 0, &mut block);
            write_string(name.as_bytes(), &mut block);
            write_string(value, &mut block);
        }
        let mut found = Vec::new();
        Decoder::default().read(&block, |name, value| {
            found.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
            Ok(())
        }).expect("a block");
        prop_assert_eq!(found, fields_);
    }
}
