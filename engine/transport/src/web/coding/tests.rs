use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue};

use super::{Coding, GZIP, LEAST, Unreadable, ZSTD, accepts, incoming, outgoing};

const ALL: [&dyn Coding; 2] = [GZIP, ZSTD];

fn random(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn every_body_comes_back_whole() {
    for coding in ALL {
        for size in [0, 1, LEAST, 1000, 65_536, 3 << 20] {
            for body in [vec![b'x'; size], random(size)] {
                let compressed = coding.compress(&body).unwrap();
                assert!(coding.decompress(&compressed).unwrap() == body, "{} with {size} bytes", coding.name());
            }
        }
    }
}

#[test]
fn a_body_that_is_no_such_stream_is_refused() {
    for coding in ALL {
        let compressed = coding.compress(&[b'x'; 1000]).unwrap();
        let cut = &compressed[..compressed.len() - 3];
        let longer = [&compressed[..], b"more"].concat();
        for wrong in [&b""[..], b"no stream at all", cut, &longer] {
            assert!(matches!(coding.decompress(wrong), Err(Unreadable::Broken(_))), "{}", coding.name());
        }
        assert!(coding.decompress(&compressed).is_ok(), "{} does not recover", coding.name());
    }
}

#[test]
fn a_short_body_stays_as_it_is() {
    for coding in ALL {
        let mut headers = HeaderMap::new();
        let short = Bytes::from(vec![b'x'; LEAST - 1]);
        assert_eq!(outgoing(Some(coding), short.clone(), &mut headers).unwrap(), short);
        assert!(headers.is_empty());
        let long = Bytes::from(vec![b'x'; LEAST]);
        let compressed = outgoing(Some(coding), long.clone(), &mut headers).unwrap();
        assert!(compressed.len() < LEAST);
        assert_eq!(headers[CONTENT_ENCODING], coding.name());
        assert_eq!(incoming(coding, compressed, &headers).unwrap(), long);
    }
}

#[test]
fn another_coding_is_named() {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("br"));
    assert_eq!(incoming(GZIP, Bytes::new(), &headers), Err(Unreadable::Unknown("br".to_owned())));
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("Identity"));
    assert_eq!(incoming(GZIP, Bytes::from_static(b"x"), &headers).unwrap(), "x");
}

#[test]
fn weights_and_stars_are_read_as_http_has_them() {
    for (line, takes) in [
        ("gzip", true),
        ("GZIP", true),
        ("br, gzip;q=0.5", true),
        ("gzip;q=0", false),
        ("gzip; q=0.000", false),
        ("*", true),
        ("*;q=0", false),
        ("*, gzip;q=0", false),
        ("gzip;q=0, *", false),
        ("br", false),
        ("", false),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(line));
        assert_eq!(accepts(&headers, GZIP), takes, "{line}");
    }
    assert!(!accepts(&HeaderMap::new(), GZIP));
}
