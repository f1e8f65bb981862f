//! An answer of HTTP/1.1, taken apart as its octets come, whatever pieces they come in.

use callbench_kit::{Failure, Kind};

use crate::body::Body;
use crate::expected::Expected;

/// A head may be so long.
const LONGEST_HEAD: usize = 64 * 1024;
const MOST_HEADERS: usize = 100;
/// The line that begins a chunk may be so long.
const LONGEST_CHUNK_LINE: usize = 1024;

/// What is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Head,
    /// So many octets of the body.
    Length(u64),
    /// The line with the size of a chunk.
    ChunkLine,
    /// So many octets of a chunk, and the line end after it.
    Chunk(u64),
    ChunkEnd,
    /// Lines after the last chunk, up to an empty one.
    Trailer,
    /// All until the server closes.
    UntilClose,
}

/// How far a piece went.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More must come.
    More,
    /// The answer is whole; so many octets of the piece were left over.
    Whole { left: usize },
}

/// One answer under way.
#[derive(Debug)]
pub struct Answer {
    stage: Stage,
    /// A head or a line of which not all has come.
    held: Vec<u8>,
    body: Body,
    /// Whether the server closes the connection after it.
    pub closes: bool,
    /// Whether any of it has come.
    pub begun: bool,
}

impl Default for Answer {
    fn default() -> Self {
        Answer { stage: Stage::Head, held: Vec::new(), body: Body::default(), closes: false, begun: false }
    }
}

impl Answer {
    /// Ready for the next one; what memory it has stays.
    pub fn begin(&mut self) {
        self.stage = Stage::Head;
        self.held.clear();
        self.body.begin();
        self.closes = false;
        self.begun = false;
    }

    /// Takes the next octets. `bodiless`: the request was one whose answer has no body. `most`: a body may have so many octets.
    ///
    /// Fails as `protocol` where this is no HTTP, as `too-large` where it is too much.
    #[inline]
    pub fn take(&mut self, mut piece: &[u8], expected: &Expected, bodiless: bool, most: u64) -> Result<Progress, Failure> {
        self.begun |= !piece.is_empty();
        loop {
            let next = match self.stage {
                Stage::Head => match self.head(piece, expected, bodiless, most)? {
                    Some(used) => used,
                    None => return Ok(Progress::More),
                },
                Stage::Length(left) => {
                    let used = self.take_body(piece, left, expected, most)?;
                    self.stage = Stage::Length(left - used as u64);
                    used
                }
                Stage::Chunk(left) => {
                    let used = self.take_body(piece, left, expected, most)?;
                    self.stage = if used as u64 == left { Stage::ChunkEnd } else { Stage::Chunk(left - used as u64) };
                    used
                }
                Stage::UntilClose => self.take_body(piece, u64::MAX, expected, most)?,
                Stage::ChunkLine | Stage::ChunkEnd | Stage::Trailer => match self.line(piece)? {
                    Some((used, line)) => {
                        if self.end_of_line(&line)? {
                            return Ok(Progress::Whole { left: piece.len() - used });
                        }
                        used
                    }
                    None => return Ok(Progress::More),
                },
            };
            piece = &piece[next..];
            if self.stage == Stage::Length(0) {
                return Ok(Progress::Whole { left: piece.len() });
            }
            if piece.is_empty() {
                return Ok(Progress::More);
            }
        }
    }

    /// The connection ended: whether that made the answer whole.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.stage == Stage::UntilClose
    }

    /// The whole, judged. `known` is the last body that was right.
    pub fn judged(&mut self, expected: &Expected, known: &mut Vec<u8>) -> Result<(), Failure> {
        self.body.wrong(expected, known).map_or(Ok(()), Err)
    }

    /// The body, where it was to be kept.
    pub fn kept(&mut self) -> Vec<u8> {
        self.body.kept()
    }

    /// Octets of the body so far.
    #[must_use]
    pub fn octets(&self) -> u64 {
        self.body.seen
    }

    fn take_body(&mut self, piece: &[u8], left: u64, expected: &Expected, most: u64) -> Result<usize, Failure> {
        let used = left.min(piece.len() as u64) as usize;
        self.body.take(&piece[..used], expected);
        if self.body.seen > most {
            return Err(Failure::new(Kind::TooLarge, format!("the body goes on beyond {most} octets")));
        }
        Ok(used)
    }

    /// Reads the head where it is whole, and gives what it used of the piece.
    fn head(&mut self, piece: &[u8], expected: &Expected, bodiless: bool, most: u64) -> Result<Option<usize>, Failure> {
        if self.held.is_empty() {
            if let Some(used) = self.read_head(piece, expected, bodiless, most)? {
                return Ok(Some(used));
            }
            self.hold(piece, LONGEST_HEAD, "head")?;
            return Ok(None);
        }
        let before = self.held.len();
        self.hold(piece, LONGEST_HEAD, "head")?;
        let held = std::mem::take(&mut self.held);
        let used = self.read_head(&held, expected, bodiless, most)?;
        self.held = held;
        Ok(used.map(|used| {
            self.held.clear();
            used - before
        }))
    }

    fn read_head(&mut self, bytes: &[u8], expected: &Expected, bodiless: bool, most: u64) -> Result<Option<usize>, Failure> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        let used = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(used)) => used,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) if is_settings(bytes) => return Err(Failure::protocol("the server speaks HTTP/2 only: ask it with --http2")),
            Err(error) => return Err(Failure::protocol(format!("the answer is no HTTP: {error}"))),
        };
        let status = parsed.code.unwrap_or_default();
        let fields = Fields::of(parsed.headers)?;
        self.closes = fields.closes.unwrap_or(parsed.version == Some(0));
        if (100..200).contains(&status) && status != 101 {
            return Ok(Some(used)); // The real one follows.
        }
        self.body.of_wrong(expected.wrong_status(status, fields.location));
        self.stage = if bodiless || status == 204 || status == 304 {
            Stage::Length(0)
        } else if fields.chunked {
            Stage::ChunkLine
        } else if let Some(length) = fields.length {
            if length > most {
                return Err(Failure::new(Kind::TooLarge, format!("the body has {length} octets; at most {most} are taken")));
            }
            Stage::Length(length)
        } else {
            self.closes = true;
            Stage::UntilClose
        };
        Ok(Some(used))
    }

    fn hold(&mut self, piece: &[u8], longest: usize, what: &str) -> Result<(), Failure> {
        if self.held.len() + piece.len() > longest {
            return Err(Failure::protocol(format!("a {what} of the answer is longer than {longest} octets")));
        }
        self.held.extend_from_slice(piece);
        Ok(())
    }

    /// The line that ends in this piece, without its end, and what it used of it.
    fn line(&mut self, piece: &[u8]) -> Result<Option<(usize, Vec<u8>)>, Failure> {
        let Some(end) = piece.iter().position(|octet| *octet == b'\n') else {
            self.hold(piece, LONGEST_CHUNK_LINE, "line")?;
            return Ok(None);
        };
        self.hold(&piece[..end], LONGEST_CHUNK_LINE, "line")?;
        let mut line = std::mem::take(&mut self.held);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some((end + 1, line)))
    }

    /// After a line of the chunked coding; whether the answer is whole.
    fn end_of_line(&mut self, line: &[u8]) -> Result<bool, Failure> {
        match self.stage {
            Stage::ChunkLine => {
                let size = chunk_size(line)?;
                self.stage = if size == 0 { Stage::Trailer } else { Stage::Chunk(size) };
                Ok(false)
            }
            Stage::ChunkEnd if line.is_empty() => {
                self.stage = Stage::ChunkLine;
                Ok(false)
            }
            Stage::ChunkEnd => Err(Failure::protocol("a chunk of the answer is longer than its size says")),
            _ => Ok(line.is_empty()),
        }
    }
}

/// Whether octets are the frame with which a server of HTTP/2 begins.
fn is_settings(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, _, 4, 0, 0, 0, 0, 0, ..])
}

fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    let digits = line.split(|octet| *octet == b';').next().unwrap_or_default().trim_ascii();
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let plain = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let size = plain.then(|| u64::from_str_radix(text, 16).ok()).flatten();
    size.ok_or_else(|| Failure::protocol("a chunk of the answer begins without a size"))
}

/// What the headers say of the body and the connection.
#[derive(Default)]
struct Fields<'h> {
    length: Option<u64>,
    chunked: bool,
    closes: Option<bool>,
    location: Option<&'h [u8]>,
}

impl<'h> Fields<'h> {
    fn of(headers: &[httparse::Header<'h>]) -> Result<Self, Failure> {
        let mut fields = Fields::default();
        for header in headers {
            // Most headers go by their length alone.
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    let text = std::str::from_utf8(header.value).unwrap_or_default().trim();
                    let length = text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok()).flatten();
                    let length: u64 = length.ok_or_else(|| Failure::protocol("the answer has a Content-Length that is no number"))?;
                    if fields.length.is_some_and(|other| other != length) {
                        return Err(Failure::protocol("the answer has two Content-Lengths"));
                    }
                    fields.length = Some(length);
                }
                8 if header.name.eq_ignore_ascii_case("location") => fields.location = Some(header.value),
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => fields.chunked = has(header.value, b"chunked"),
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    if has(header.value, b"close") {
                        fields.closes = Some(true);
                    } else if has(header.value, b"keep-alive") {
                        fields.closes = Some(false);
                    }
                }
                _ => {}
            }
        }
        Ok(fields)
    }
}

/// Whether a list of words has this one.
fn has(list: &[u8], word: &[u8]) -> bool {
    list.split(|octet| *octet == b',').any(|it| it.trim_ascii().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
