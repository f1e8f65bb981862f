use super::*;
use crate::script::take::Field;
use callbench_kit::Kind;
use proptest::prelude::*;

const LIMITS: Limits = Limits { head_bytes: 64 * 1024, body_bytes: 1 << 20 };

fn expecting(body: &str) -> Expected {
    Expected { body: Some(body.as_bytes().to_vec()), ..Expected::default() }
}

/// Parses `bytes` in pieces of `size`. Returns the result and how many bytes were left over.
fn taken(bytes: &[u8], size: usize, expected: &Expected, bodiless: bool) -> Result<Option<usize>, Failure> {
    let mut answer = Answer::default();
    let mut at = 0;
    for piece in bytes.chunks(size) {
        at += piece.len();
        if let Progress::Complete { left } = answer.take(piece, expected, bodiless, LIMITS)? {
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
    let endless = answer.take(&[b'x'; 1000], &expected, false, LIMITS).expect_err("no HTTP");
    assert_eq!(endless.kind, Kind::Protocol);
    for (begin, more, option) in [
        ("HTTP/1.1 200 OK\r\n", "X-More: and more\r\n", "--max-head-bytes"),
        ("HTTP/1.1 200 OK\r\nX-Long: ", "xxxxxxxxxxxxxxxxxxx", "--max-head-bytes"),
        ("HTTP/1.1 200 OK\r\n\r\n", "xxxxxxxxxxxxxxxxxxx", "--max-body-bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n", "--max-body-bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;note=", "xxxxxxxxxxxxxxxxx", "--max-head-bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-More: and more\r\n", "--max-head-bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Long: ", "xxxxxxxxxxxxxxxxx", "--max-head-bytes"),
    ] {
        let mut answer = Answer::default();
        answer.take(begin.as_bytes(), &expected, false, LIMITS).expect("a beginning");
        let endless = (0..300_000).find_map(|_| answer.take(more.as_bytes(), &expected, false, LIMITS).err()).expect("an end");
        assert_eq!(endless.kind, Kind::TooLarge, "{begin}{more}");
        assert!(endless.message.contains(option), "{}", endless.message);
        assert!(answer.partial.capacity() <= 4 * LIMITS.head_bytes, "{begin}{more}");
    }
}

/// Endless interim answers take no memory. The time-out of the call ends them.
#[test]
fn interim_answers_take_no_memory() {
    let mut answer = Answer::default();
    for _ in 0..10_000 {
        let progress = answer.take(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", &Expected::default(), false, LIMITS);
        assert_eq!(progress, Ok(Progress::More));
    }
    assert_eq!(answer.partial.capacity(), 0);
}

#[test]
fn a_head_is_limited_and_not_the_body_that_comes_with_its_end() {
    let body = "x".repeat(200_000);
    let whole = format!("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n{body}");
    let mut answer = Answer::default();
    let (first, rest) = whole.as_bytes().split_at(17);
    assert_eq!(answer.take(first, &expecting(&body), false, LIMITS), Ok(Progress::More));
    assert_eq!(answer.take(rest, &expecting(&body), false, LIMITS), Ok(Progress::Complete { left: 0 }));
    assert_eq!(answer.judge(&expecting(&body), &mut Vec::new()), Ok(()));
}

#[test]
fn heads_may_have_hundreds_of_headers() {
    let cookies: String = (0..900).map(|number| format!("Set-Cookie: c{number}=v\r\n")).collect::<Vec<_>>().concat();
    let whole = format!("HTTP/1.1 200 OK\r\n{cookies}Content-Length: 5\r\n\r\nhello");
    for size in [7, 1000, 5000, 100_000] {
        assert_eq!(taken(whole.as_bytes(), size, &expecting("hello"), false), Ok(Some(0)), "by {size}");
    }
}

/// What RFC 9112 tells a client to accept.
#[test]
fn unusual_forms_of_an_answer_are_taken_however_they_are_cut() {
    let hello = "\r\n\r\nhello";
    let chunks = "\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for whole in [
        format!("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5{hello}"),
        format!("HTTP/1.1 200 OK\r\nContent-Length: 5, 5{hello}"),
        format!("HTTP/1.1 200 OK\r\nContent-Length:\r\n 5{hello}"),
        format!("HTTP/1.1 200 OK\r\nX-Folded: a\r\n  b\r\n\tc\r\nContent-Length: 5{hello}"),
        format!("HTTP/1.1 200\r\nContent-Length: 5{hello}"),
        format!("HTTP/1.1 200 \r\nContent-Length : 5{hello}"),
        format!("\r\n\r\nHTTP/1.1 200 OK\r\nX-Empty:\r\nX-Latin: \u{e9}\r\ncontent-length:5{hello}"),
        format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5{hello}"),
        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello".to_owned(),
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked{chunks}"),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: Chunked{chunks}"),
        format!("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked{chunks}"),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5{hello}"),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 99{hello}"),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0005 ; a=\"b;c\"\r\nhello\r\n00;last\r\nX-Trailer: 1\r\n\r\n".to_owned(),
        format!("HTTP/1.0 200 OK{hello}"),
        format!("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5{hello}"),
    ] {
        for size in 1..=whole.len() {
            assert_eq!(taken(whole.as_bytes(), size, &expecting("hello"), false), Ok(Some(0)), "{whole} by {size}");
        }
    }
}

#[test]
fn whether_a_connection_is_kept_follows_from_version_and_headers() {
    for (begin, closes) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Upgrade\r\nConnection: keep-alive, Close\r\n", true),
        ("HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\nHTTP/1.1 204 No Content\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.0 304 Not Modified\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n", true),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n", true),
    ] {
        let mut answer = Answer::default();
        let progress = answer.take(format!("{begin}\r\n").as_bytes(), &Expected::default(), false, LIMITS);
        assert_eq!(progress, Ok(Progress::Complete { left: 0 }), "{begin}");
        assert_eq!(answer.closes, closes, "{begin}");
    }
}

#[test]
fn a_kept_field_that_was_folded_is_one_line() {
    let expected = Expected { fields: vec![Field::Header("X-Token".to_owned())], ..Expected::default() };
    let mut answer = Answer::default();
    answer.take(b"HTTP/1.1 204 No Content\r\nX-Token: ab\r\n  cd\r\n\r\n", &expected, false, LIMITS).expect("an answer");
    assert_eq!(answer.taken().0, [Some(b"ab cd".to_vec())]);
}

/// A valid answer with the body `hello`, in one of its forms.
fn answers() -> impl Strategy<Value = String> {
    let interim = prop::sample::select(vec!["", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n", "\r\n"]);
    let header = "[A-Za-z][A-Za-z-]{0,8}X: ?[!-~]{0,20}\r\n( +[!-~]{1,5}\r\n)?";
    let headers = prop::collection::vec(header, 0..150).prop_map(|all| all.concat());
    let chunk = prop::sample::select(vec!["2\r\nhe\r\n3;x=y\r\nllo\r\n", "05\r\nhello\r\n", "1\r\nh\r\n4 \r\nello\r\n"]);
    let trailer = "([A-Z][a-z]{0,9}: [a-z]{0,20}\r\n){0,4}";
    let chunked = (chunk, trailer).prop_map(|(chunks, trailer)| format!("Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n{trailer}\r\n"));
    let framed = prop_oneof![chunked, Just("Content-Length: 5\r\n\r\nhello".to_owned()), Just("\r\nhello".to_owned())];
    (prop::collection::vec(interim, 0..3), headers, framed, any::<bool>()).prop_map(|(interim, headers, framed, bare)| {
        let whole = format!("{}HTTP/1.1 200 OK\r\n{headers}{framed}", interim.concat());
        if bare { whole.replace("\r\n", "\n") } else { whole }
    })
}

proptest! {
    #[test]
    fn any_split_of_a_valid_answer_gives_the_same_result(whole in answers(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20)) {
        let bytes = whole.as_bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let (mut answer, mut complete) = (Answer::default(), false);
        for pair in places.windows(2) {
            prop_assert!(!complete || pair[0] == pair[1]);
            match answer.take(&bytes[pair[0]..pair[1]], &expecting("hello"), false, LIMITS) {
                Ok(Progress::Complete { left }) => {
                    prop_assert_eq!(left, 0);
                    complete = true;
                }
                other => prop_assert_eq!(other, Ok(Progress::More), "{}", whole),
            }
        }
        prop_assert!(complete || answer.ended());
        prop_assert_eq!(answer.judge(&expecting("hello"), &mut Vec::new()), Ok(()));
    }

    #[test]
    fn what_looks_like_a_head_never_panics(text in "HTTP/1\\.[01] [1-5][0-9][0-9]( |\r\n|\n|:|,|;|[a-zA-Z0-9-]|Content-Length: |Transfer-Encoding: |chunked){0,60}", size in 1_usize..40) {
        let _ = taken(text.as_bytes(), size, &expecting("hello"), false);
    }

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
