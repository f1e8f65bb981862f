//! Parses an HTTP/1.1 answer incrementally, in pieces of any size.

use callbench_kit::{Failure, Kind};

use crate::body::Body;
use crate::expected::Expected;

/// The limit for the head of an answer.
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 100;
/// The limit for the line that begins a chunk.
const MAX_CHUNK_LINE_BYTES: usize = 1024;

/// The part of the answer that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Head,
    /// The bytes of the body that are still missing.
    Length(u64),
    /// The line with the size of a chunk.
    ChunkLine,
    /// The bytes of a chunk that are still missing, then its line end.
    Chunk(u64),
    ChunkEnd,
    /// The lines after the last chunk, until an empty line.
    Trailer,
    /// Everything until the server closes the connection.
    UntilClose,
}

/// The result of parsing one piece.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// The answer is incomplete.
    More,
    /// The answer is complete. `left` bytes of the piece do not belong to it.
    Complete { left: usize },
}

/// The answer that is being received.
#[derive(Debug)]
pub struct Answer {
    stage: Stage,
    /// An incomplete head or line.
    partial: Vec<u8>,
    body: Body,
    /// Fields of the head that are kept, in the order in which they are expected; None: it has none of that name.
    fields: Vec<Option<Vec<u8>>>,
    /// Whether the server closes the connection after this answer.
    pub closes: bool,
    /// Whether at least one byte has been received.
    pub begun: bool,
}

impl Default for Answer {
    fn default() -> Self {
        Answer { stage: Stage::Head, partial: Vec::new(), body: Body::default(), fields: Vec::new(), closes: false, begun: false }
    }
}

impl Answer {
    /// Prepares for the next answer. The memory is reused.
    pub fn begin(&mut self) {
        self.stage = Stage::Head;
        self.partial.clear();
        self.body.begin();
        self.fields.clear();
        self.closes = false;
        self.begun = false;
    }

    /// Parses the next bytes. `bodiless`: the answer to this request has no body. `most`: the limit of the body in bytes.
    ///
    /// Fails with `protocol` if this is not HTTP, with `too-large` if a limit is exceeded.
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
                            return Ok(Progress::Complete { left: piece.len() - used });
                        }
                        used
                    }
                    None => return Ok(Progress::More),
                },
            };
            piece = &piece[next..];
            if self.stage == Stage::Length(0) {
                return Ok(Progress::Complete { left: piece.len() });
            }
            if piece.is_empty() {
                return Ok(Progress::More);
            }
        }
    }

    /// The connection has ended. Returns whether the answer is complete.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.stage == Stage::UntilClose
    }

    /// Checks the complete answer. `known` is the last correct body.
    pub fn judge(&mut self, expected: &Expected, known: &mut Vec<u8>) -> Result<(), Failure> {
        self.body.wrong(expected, known).map_or(Ok(()), Err)
    }

    /// The body, if it was to be kept.
    pub fn kept_body(&mut self) -> Vec<u8> {
        self.body.kept_body()
    }

    /// The fields of the head and the body that were kept.
    #[must_use]
    pub fn taken(&self) -> (&[Option<Vec<u8>>], &[u8]) {
        (&self.fields, self.body.whole())
    }

    /// The bytes of the body received so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.body.seen
    }

    fn take_body(&mut self, piece: &[u8], left: u64, expected: &Expected, most: u64) -> Result<usize, Failure> {
        let used = left.min(piece.len() as u64) as usize;
        self.body.take(&piece[..used], expected);
        if self.body.seen > most {
            return Err(Failure::new(Kind::TooLarge, format!("the body is longer than {most} bytes")));
        }
        Ok(used)
    }

    /// Parses the head if it is complete. Returns how many bytes of the piece it used.
    fn head(&mut self, piece: &[u8], expected: &Expected, bodiless: bool, most: u64) -> Result<Option<usize>, Failure> {
        if self.partial.is_empty() {
            if let Some(used) = self.read_head(piece, expected, bodiless, most)? {
                return Ok(Some(used));
            }
            self.hold(piece, MAX_HEAD_BYTES, "head")?;
            return Ok(None);
        }
        let before = self.partial.len();
        self.hold(piece, MAX_HEAD_BYTES, "head")?;
        let partial = std::mem::take(&mut self.partial);
        let used = self.read_head(&partial, expected, bodiless, most)?;
        self.partial = partial;
        Ok(used.map(|used| {
            self.partial.clear();
            used - before
        }))
    }

    fn read_head(&mut self, bytes: &[u8], expected: &Expected, bodiless: bool, most: u64) -> Result<Option<usize>, Failure> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        let used = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(used)) => used,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) if is_settings(bytes) => return Err(Failure::protocol("the server speaks HTTP/2 only: use --http2")),
            Err(error) => return Err(Failure::protocol(format!("the answer is not HTTP: {error}"))),
        };
        let status = parsed.code.unwrap_or_default();
        let fields = Fields::of(parsed.headers)?;
        self.closes = fields.closes.unwrap_or(parsed.version == Some(0));
        if (100..200).contains(&status) && status != 101 {
            return Ok(Some(used)); // The final answer follows this interim answer.
        }
        self.body.set_wrong(expected.wrong_status(status, fields.location));
        self.fields.extend(expected.fields.iter().map(|field| {
            let found = parsed.headers.iter().find_map(|header| field.of(header.name, header.value));
            found.map(<[u8]>::to_vec)
        }));
        self.stage = if bodiless || status == 204 || status == 304 {
            Stage::Length(0)
        } else if fields.chunked {
            Stage::ChunkLine
        } else if let Some(length) = fields.length {
            if length > most {
                return Err(Failure::new(Kind::TooLarge, format!("the body has {length} bytes; the limit is {most}")));
            }
            Stage::Length(length)
        } else {
            self.closes = true;
            Stage::UntilClose
        };
        Ok(Some(used))
    }

    fn hold(&mut self, piece: &[u8], longest: usize, what: &str) -> Result<(), Failure> {
        if self.partial.len() + piece.len() > longest {
            return Err(Failure::protocol(format!("a {what} of the answer is longer than {longest} bytes")));
        }
        self.partial.extend_from_slice(piece);
        Ok(())
    }

    /// The line that ends in this piece, without its line end, and how many bytes of the piece it used.
    fn line(&mut self, piece: &[u8]) -> Result<Option<(usize, Vec<u8>)>, Failure> {
        let Some(end) = piece.iter().position(|byte| *byte == b'\n') else {
            self.hold(piece, MAX_CHUNK_LINE_BYTES, "line")?;
            return Ok(None);
        };
        self.hold(&piece[..end], MAX_CHUNK_LINE_BYTES, "line")?;
        let mut line = std::mem::take(&mut self.partial);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some((end + 1, line)))
    }

    /// Handles a line of the chunked encoding. Returns whether the answer is complete.
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

/// Whether the bytes are the frame with which an HTTP/2 server begins.
fn is_settings(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, _, 4, 0, 0, 0, 0, 0, ..])
}

fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let plain = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let size = plain.then(|| u64::from_str_radix(text, 16).ok()).flatten();
    size.ok_or_else(|| Failure::protocol("a chunk of the answer begins without a size"))
}

/// What the headers say about the body and the connection.
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
            // The length alone rules out most headers.
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    let text = std::str::from_utf8(header.value).unwrap_or_default().trim();
                    let length = text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok()).flatten();
                    let length: u64 = length.ok_or_else(|| Failure::protocol("the answer has a Content-Length that is not a number"))?;
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

/// Whether the comma-separated list contains the word.
fn has(list: &[u8], word: &[u8]) -> bool {
    list.split(|byte| *byte == b',').any(|it| it.trim_ascii().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
