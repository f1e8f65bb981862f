//! `bincomp` with the compressors and levels that a client can choose.

use callbench_codec::{Message, Reply, all};
use callbench_kit::Kind;
use callbench_kit::stack::Options;
use callbench_service::{Answer, Call};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;

use crate::{message, samples};

/// Options, and the flag that a compressed body then has.
const COMPRESSIONS: [(&str, u64, u8); 8] =
    [("zlib", 0, 1), ("zlib", 1, 1), ("zlib", 6, 1), ("zlib", 9, 1), ("zstd", 1, 2), ("zstd", 3, 2), ("zstd", 19, 2), ("lz4", 0, 4)];

fn client_with(options: &serde_json::Value) -> Arc<dyn Message> {
    let options: Options = options.as_object().expect("an object").clone();
    message("bincomp").with(&options).unwrap().expect("a message of its own")
}

fn octets(length: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), length),
        proptest::collection::vec(0_u8..4, length),
        any::<u8>().prop_map(move |octet| vec![octet; length]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn both_directions_are_compressed_as_the_client_wishes(long in octets(9000), call in samples::call()) {
        let answer = Answer::Octets(callbench_service::Octets(long));
        let asked = Call::GetBinaryData { size: 9000, fill: "zero".to_owned() };
        for (compressor, level, flag) in COMPRESSIONS {
            let client = client_with(&json!({"compressor": compressor, "level": level}));
            let server = message("bincomp");
            let mut bytes = Vec::new();
            client.encode_request(&call, &mut bytes).unwrap();
            prop_assert!(bytes[5] == 0 || bytes[5] == flag);
            prop_assert_eq!(server.decode_request(&bytes).1, Ok(call.clone()));
            bytes.clear();
            client.encode_request(&asked, &mut bytes).unwrap();
            let (reply, _) = server.decode_request(&bytes);
            bytes.clear();
            server.encode_answer(&reply, &Ok(answer.clone()), &mut bytes);
            prop_assert_eq!(bytes[5], flag);
            prop_assert_eq!(client.decode_answer(&asked, &bytes), Ok(answer.clone()));
            // A client without these options reads it too, and every byte matters.
            prop_assert_eq!(server.decode_answer(&asked, &bytes), Ok(answer.clone()));
            for length in (28..bytes.len()).step_by(211).chain([bytes.len() - 1]) {
                prop_assert!(client.decode_answer(&asked, &bytes[..length]).is_err(), "{compressor} cut at {length}");
            }
            bytes.push(0);
            prop_assert!(client.decode_answer(&asked, &bytes).is_err(), "{compressor} with an octet too many");
        }
    }

    #[test]
    fn octets_that_are_no_stream_are_refused(body in proptest::collection::vec(any::<u8>(), 0..200), flag in prop_oneof![Just(1_u8), Just(2), Just(4)]) {
        let mut bytes = Vec::new();
        message("bincomp").encode_request(&Call::Hello, &mut bytes).unwrap();
        bytes.truncate(28);
        bytes[5] = flag;
        bytes.extend_from_slice(&body);
        prop_assert!(message("bincomp").decode_request(&bytes).1.is_err());
        prop_assert!(message("bincomp").decode_answer(&Call::Hello, &bytes).is_err());
    }

    /// The user word is anybody's: one that is none of ours changes nothing.
    #[test]
    fn any_user_word_is_answered(word: [u8; 2]) {
        let asked = Call::GetBinaryData { size: 5000, fill: "zero".to_owned() };
        let answer = Answer::Octets(callbench_service::Octets(vec![7; 5000]));
        let mut bytes = Vec::new();
        message("bincomp").encode_request(&asked, &mut bytes).unwrap();
        bytes[10..12].copy_from_slice(&word);
        let (reply, read) = message("bincomp").decode_request(&bytes);
        prop_assert_eq!(read, Ok(asked.clone()));
        bytes.clear();
        message("bincomp").encode_answer(&reply, &Ok(answer.clone()), &mut bytes);
        prop_assert_eq!(message("bincomp").decode_answer(&asked, &bytes), Ok(answer));
    }
}

#[test]
fn without_options_nothing_of_the_form_changes() {
    for options in [json!({"compressor": "zlib"}), json!({"level": 6}), json!({"compressor": "zlib", "level": 6})] {
        let (mut plain, mut compressed) = (Vec::new(), Vec::new());
        message("bincomp").encode_request(&Call::Sum { a: 2, b: 3 }, &mut plain).unwrap();
        client_with(&options).encode_request(&Call::Sum { a: 2, b: 3 }, &mut compressed).unwrap();
        assert_eq!(plain, compressed);
        assert_eq!(plain[10..12], [0, 0]);
    }
    assert!(message("bincomp").with(&Options::new()).unwrap().is_none());
    assert!(all().iter().filter(|it| it.name() != "bincomp").all(|it| it.options().is_empty()));
    assert_eq!(Reply::default().mark, callbench_codec::Mark::None);
}

#[test]
fn an_option_that_makes_no_sense_is_refused() {
    for (options, holds) in [
        (json!({"compressor": "brotli"}), "must be zlib, zstd or lz4"),
        (json!({"compressor": 1}), "must be zlib, zstd or lz4"),
        (json!({"level": 10}), "level of zlib must be a whole number from 0 to 9"),
        (json!({"level": "six"}), "level of zlib must be"),
        (json!({"compressor": "zstd", "level": 0}), "level of zstd must be a whole number from 1 to 22"),
        (json!({"compressor": "lz4", "level": 3}), "lz4 has one level"),
    ] {
        let options: Options = options.as_object().expect("an object").clone();
        let refused = message("bincomp").with(&options).err().expect("a refusal");
        assert_eq!(refused.kind, Kind::BadRequest);
        assert!(refused.message.contains(holds), "{refused}");
    }
}
