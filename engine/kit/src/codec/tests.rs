use super::*;

/// Supports only `Sum`. `broken` adds one to a number.
struct Numbers {
    broken: bool,
}

impl Codec for Numbers {
    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let Call::Sum { a, b } = call else { return Err(Failure::new(Kind::CannotCarry, "Sum only")) };
        out.extend_from_slice(&a.to_le_bytes());
        out.extend_from_slice(&b.to_le_bytes());
        Ok(())
    }

    fn decode_request(&self, bytes: &[u8]) -> Result<Call, Failure> {
        let number = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        Ok(Call::Sum { a: number(0) + i32::from(self.broken), b: number(4) })
    }

    fn encode_answer(&self, _call: &Call, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let Answer::Number(number) = answer else { return Err(Failure::protocol("no number")) };
        out.extend_from_slice(&number.to_le_bytes());
        Ok(())
    }

    fn decode_answer(&self, _call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        Ok(Answer::Number(i32::from_le_bytes(bytes.try_into().map_err(Failure::protocol)?)))
    }
}

#[test]
fn gives_bytes_and_times_over_all_payloads() {
    let timed = time(&Numbers { broken: false }, &Call::Sum { a: 1, b: 2 }, 100_000).expect("a codec");
    assert_eq!((timed.payloads, timed.request.bytes as u64, timed.answer.bytes as u64), (64, 8, 4));
    for side in [timed.request, timed.answer] {
        assert!(side.encode_ns > 0.0 && side.decode_ns > 0.0);
    }
}

#[test]
fn a_codec_that_changes_its_payload_is_not_timed() {
    let failure = time(&Numbers { broken: true }, &Call::Sum { a: 1, b: 2 }, 0).expect_err("a failure");
    assert_eq!(failure.kind, Kind::WrongAnswer);
    assert_eq!(time(&Numbers { broken: false }, &Call::Hello, 0).expect_err("a failure").kind, Kind::CannotCarry);
}
