//! The head of an HTTP/1.1 answer: where it ends, and what it says about the body and the connection.

use std::borrow::Cow;

use callbench_kit::Failure;
use httparse::{Header, ParserConfig, Response};

/// As many headers are parsed without an allocation. There may be more: the bytes of the head alone are limited.
const USUAL_HEADERS: usize = 100;

/// The end of the head, behind its empty line. A line may end with LF alone. `from`: everything before has been searched.
pub fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut start = from.saturating_sub(2);
    while let Some(place) = bytes.get(start..)?.iter().position(|byte| *byte == b'\n') {
        start += place + 1;
        match bytes.get(start..)? {
            [b'\n', ..] => return Some(start + 1),
            [b'\r', b'\n', ..] => return Some(start + 2),
            _ => {}
        }
    }
    None
}

/// Parses a head and passes it on. None: it is incomplete. Also returns the number of its bytes.
pub fn parse<R>(bytes: &[u8], take: impl FnOnce(&Response) -> Result<R, Failure>) -> Result<Option<(usize, R)>, Failure> {
    let mut config = ParserConfig::default();
    config
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true);
    let mut usual = [httparse::EMPTY_HEADER; USUAL_HEADERS];
    let mut response = Response::new(&mut usual);
    let mut parsed = config.parse_response(&mut response, bytes);
    let mut many;
    if parsed == Err(httparse::Error::TooManyHeaders) {
        many = vec![httparse::EMPTY_HEADER; bytes.split(|byte| *byte == b'\n').count()];
        response = Response::new(&mut many);
        parsed = config.parse_response(&mut response, bytes);
    }
    match parsed {
        Ok(httparse::Status::Complete(used)) => Ok(Some((used, take(&response)?))),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(_) if is_settings(bytes) => Err(Failure::protocol("the server speaks HTTP/2 only: use --http2")),
        Err(error) => Err(Failure::protocol(format!("the answer is not HTTP: {error}"))),
    }
}

/// Whether the bytes are the frame with which an HTTP/2 server begins.
fn is_settings(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, _, 4, 0, 0, 0, 0, 0, ..])
}

/// The last transfer coding of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coding {
    #[default]
    None,
    Chunked,
    /// One that does not say where the body ends.
    Other,
}

/// What the headers say about the body and the connection.
#[derive(Default)]
pub struct Fields<'h> {
    pub length: Option<u64>,
    pub coding: Coding,
    /// Whether chunked was named, last or not.
    chunked: bool,
    pub closes: bool,
    pub keeps_alive: bool,
    pub location: Option<&'h [u8]>,
}

impl<'h> Fields<'h> {
    pub fn of(headers: &[Header<'h>]) -> Result<Self, Failure> {
        let mut fields = Fields::default();
        for header in headers {
            // The length alone rules out most headers.
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => fields.take_length(header.value)?,
                8 if header.name.eq_ignore_ascii_case("location") => fields.location = Some(header.value),
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => fields.take_codings(header.value)?,
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    fields.closes |= items(header.value).any(|item| item.eq_ignore_ascii_case(b"close"));
                    fields.keeps_alive |= items(header.value).any(|item| item.eq_ignore_ascii_case(b"keep-alive"));
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    /// The same length may be repeated, in one header or in several.
    fn take_length(&mut self, value: &[u8]) -> Result<(), Failure> {
        for item in value.split(|byte| *byte == b',') {
            let digits = std::str::from_utf8(item.trim_ascii()).unwrap_or_default();
            let length = digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
            let length: u64 = length.ok_or_else(|| Failure::protocol("the answer has a Content-Length that is not a number"))?;
            if self.length.is_some_and(|other| other != length) {
                return Err(Failure::protocol("the answer has two Content-Lengths that differ"));
            }
            self.length = Some(length);
        }
        Ok(())
    }

    /// A body is chunked once and without parameters; else two clients could see its end at different places.
    fn take_codings(&mut self, value: &[u8]) -> Result<(), Failure> {
        for item in items(value) {
            let name = item.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
            if name.eq_ignore_ascii_case(b"chunked") {
                if self.chunked || name.len() < item.len() {
                    return Err(Failure::protocol("the answer is chunked twice, or with parameters: its end is not certain"));
                }
                self.chunked = true;
                self.coding = Coding::Chunked;
            } else if !name.eq_ignore_ascii_case(b"identity") {
                // That one was once a coding, and means that there is none.
                self.coding = Coding::Other;
            }
        }
        Ok(())
    }
}

/// The items of a comma-separated list, without the empty ones.
fn items(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|item| !item.is_empty())
}

/// A value on one line: each line break of an obsolete folded value, with the white space around it, is one space.
pub fn unfolded(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\n') {
        return Cow::Borrowed(value);
    }
    let lines: Vec<&[u8]> = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    Cow::Owned(lines.join(&b' '))
}
