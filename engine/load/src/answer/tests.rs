use super::*;
use proptest::prelude::*;

const MOST: u64 = 1 << 20;

fn expecting(body: &str) -> Expected {
    Expected { body: Some(body.as_bytes().to_vec()), ..Expected::default() }
}

/// Parses `bytes` in pieces of `size`. Returns the result and how many bytes were left over.
fn taken(bytes: &[u8], size: usize, expected: &Expected, bodiless: bool) -> Result<Option<usize>, Failure> {
    let mut answer = Answer::default();
    let mut at = 0;
    for piece in bytes.chunks(size) {
        at += piece.len();
        if let Progress::Complete { left } = answer.take(piece, expected, bodiless, MOST)? {
            answer.judge(expected, &mut Vec::new())?;
            return Ok(Some(bytes.len() - at + left));
        }
    }
    if answer.ended() {
        answer.judge(expected, &mut Vec::new())?;
        return Ok(Some(0));
    }
    Ok(None)
}

#[test]
fn bodies_of_every_kind_are_read_however_they_are_cut() {
    let bodies = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nServer: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;note=1\r\nllo\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ];
    for bytes in bodies {
        for size in 1..=bytes.len() {
            assert_eq!(taken(bytes.as_bytes(), size, &expecting("hello"), false), Ok(Some(0)), "{bytes} by {size}");
            let other = taken(bytes.as_bytes(), size, &expecting("hellO"), false).expect_err("another body");
            assert_eq!(other.kind, Kind::WrongAnswer);
        }
    }
}

#[test]
fn what_has_no_body_ends_with_its_head() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(taken(head, 7, &Expected::default(), true), Ok(Some(0)));
    assert_eq!(taken(head, 7, &Expected::default(), false), Ok(None));
    assert_eq!(taken(b"HTTP/1.1 204 No Content\r\n\r\n", 100, &Expected::default(), false), Ok(Some(0)));
}

#[test]
fn what_is_left_over_is_told() {
    let two = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabcd";
    assert_eq!(taken(two, 100, &Expected::default(), false), Ok(Some(3)));
}

#[test]
fn wrong_answers_have_kinds_of_their_own() {
    let kind = |bytes: &str| taken(bytes.as_bytes(), 1000, &Expected::default(), false).expect_err("a failure").kind;
    assert_eq!(kind("SSH-2.0-OpenSSH_9.2\r\n"), Kind::Protocol);
    assert_eq!(kind("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"), Kind::Status);
    assert_eq!(kind("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n"), Kind::Redirect);
    assert_eq!(kind("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"), Kind::TooLarge);
    assert_eq!(kind("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), Kind::Protocol);
    assert_eq!(kind("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), Kind::Protocol);
    assert_eq!(kind("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"), Kind::Protocol);
    assert_eq!(kind("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n"), Kind::Protocol);
}

#[test]
fn an_endless_head_or_body_ends_in_a_failure() {
    let mut answer = Answer::default();
    let expected = Expected::default();
    let endless = (0..1000).find_map(|_| answer.take(&[b'x'; 1000], &expected, false, MOST).err());
    assert_eq!(endless.map(|it| it.kind), Some(Kind::Protocol));
    let mut answer = Answer::default();
    answer.take(b"HTTP/1.1 200 OK\r\n\r\n", &expected, false, MOST).expect("a head");
    let endless = (0..2000).find_map(|_| answer.take(&[0; 1000], &expected, false, MOST).err());
    assert_eq!(endless.map(|it| it.kind), Some(Kind::TooLarge));
}

proptest! {
    #[test]
    fn octets_of_any_kind_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1_usize..50) {
        let _ = taken(&bytes, size, &Expected::default(), false);
    }

    #[test]
    fn a_damaged_answer_never_panics(place in 0_usize..70, byte in any::<u8>(), size in 1_usize..50) {
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n".to_vec();
        if let Some(it) = bytes.get_mut(place) {
            *it = byte;
        }
        let _ = taken(&bytes, size, &expecting("hello"), false);
    }
}
