//! Parses an HTTP/1.1 answer incrementally, in pieces of any size.

use callbench_kit::Failure;
use httparse::Response;

use crate::body::Body;
use crate::expected::Expected;
use crate::limits::Limits;

mod head;

use head::Coding;

/// A head that is still shorter is parsed with every piece, so that what is not HTTP is noticed at once.
const SHORT_HEAD_BYTES: usize = 32;

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
    /// The bytes of all trailers so far.
    trailer_bytes: usize,
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
        Answer {
            stage: Stage::Head,
            partial: Vec::new(),
            trailer_bytes: 0,
            body: Body::default(),
            fields: Vec::new(),
            closes: false,
            begun: false,
        }
    }
}

impl Answer {
    /// Prepares for the next answer. The memory is reused.
    pub fn begin(&mut self) {
        self.stage = Stage::Head;
        self.partial.clear();
        self.trailer_bytes = 0;
        self.body.begin();
        self.fields.clear();
        self.closes = false;
        self.begun = false;
    }

    /// Parses the next bytes. `bodiless`: the answer to this request has no body.
    ///
    /// Fails with `protocol` if this is not HTTP, with `too-large` if a limit is exceeded.
    #[inline]
    pub fn take(&mut self, mut piece: &[u8], expected: &Expected, bodiless: bool, limits: Limits) -> Result<Progress, Failure> {
        self.begun |= !piece.is_empty();
        loop {
            let next = match self.stage {
                Stage::Head => match self.head(piece, expected, bodiless, limits)? {
                    Some(used) => used,
                    None => return Ok(Progress::More),
                },
                Stage::Length(left) => {
                    let used = self.take_body(piece, left, expected, limits)?;
                    self.stage = Stage::Length(left - used as u64);
                    used
                }
                Stage::Chunk(left) => {
                    let used = self.take_body(piece, left, expected, limits)?;
                    self.stage = if used as u64 == left { Stage::ChunkEnd } else { Stage::Chunk(left - used as u64) };
                    used
                }
                Stage::UntilClose => self.take_body(piece, u64::MAX, expected, limits)?,
                Stage::ChunkLine | Stage::ChunkEnd | Stage::Trailer => match self.line(piece, limits)? {
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

    fn take_body(&mut self, piece: &[u8], left: u64, expected: &Expected, limits: Limits) -> Result<usize, Failure> {
        let used = left.min(piece.len() as u64) as usize;
        self.body.take(&piece[..used], expected);
        limits.check_body(self.body.seen)?;
        Ok(used)
    }

    /// Parses the head if it is complete. Returns how many bytes of the piece it used.
    fn head(&mut self, piece: &[u8], expected: &Expected, bodiless: bool, limits: Limits) -> Result<Option<usize>, Failure> {
        if self.partial.is_empty() {
            let empty_lines = piece.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let begun = &piece[empty_lines..];
            let used = self.read_head(begun, expected, bodiless, limits)?;
            if used.is_none() {
                limits.check_head(begun.len(), "head")?;
                self.partial.extend_from_slice(begun);
            }
            return Ok(used.map(|used| empty_lines + used));
        }
        let before = self.partial.len();
        let mut whole = std::mem::take(&mut self.partial);
        // What follows the head is its body, which has a limit of its own.
        let room = limits.head_bytes.saturating_sub(before) + 1;
        whole.extend_from_slice(&piece[..piece.len().min(room)]);
        let complete = head::end(&whole, before);
        limits.check_head(complete.unwrap_or(whole.len()), "head")?;
        let parses = complete.is_some() || whole.len() <= SHORT_HEAD_BYTES;
        let used = if parses { self.read_head(&whole[..complete.unwrap_or(whole.len())], expected, bodiless, limits)? } else { None };
        match (used, complete) {
            (Some(_), Some(end)) if end > before => {
                whole.clear();
                self.partial = whole;
                Ok(Some(end - before))
            }
            (None, None) => {
                self.partial = whole;
                Ok(None)
            }
            _ => Err(Failure::protocol("the answer is not HTTP: its head has no proper end")),
        }
    }

    fn read_head(&mut self, bytes: &[u8], expected: &Expected, bodiless: bool, limits: Limits) -> Result<Option<usize>, Failure> {
        let parsed = head::parse(bytes, |response| self.take_head(response, expected, bodiless, limits))?;
        let Some((used, ())) = parsed else { return Ok(None) };
        limits.check_head(used, "head")?;
        Ok(Some(used))
    }

    /// What a complete head says. After an interim one, the head of the final answer follows.
    fn take_head(&mut self, response: &Response, expected: &Expected, bodiless: bool, limits: Limits) -> Result<(), Failure> {
        let status = response.code.unwrap_or_default();
        if (100..200).contains(&status) && status != 101 {
            return Ok(());
        }
        let old = response.version == Some(0);
        let fields = head::Fields::of(response.headers)?;
        // HTTP/1.0 has no transfer codings, so the end of such a body is not certain.
        self.closes = fields.closes || old && (!fields.keeps_alive || fields.coding != Coding::None);
        self.body.set_wrong(expected.wrong_status(status, fields.location));
        self.fields.extend(expected.fields.iter().map(|field| {
            let value = response.headers.iter().find_map(|header| field.of(header.name, header.value));
            value.map(|value| head::unfolded(value).into_owned())
        }));
        self.stage = if bodiless || matches!(status, 101 | 204 | 304) {
            // After 101, the connection would belong to another protocol, for which nobody has asked.
            self.closes |= status == 101;
            Stage::Length(0)
        } else if fields.coding == Coding::Chunked {
            Stage::ChunkLine
        } else if let Some(length) = fields.length.filter(|_| fields.coding == Coding::None) {
            limits.check_body(length)?;
            Stage::Length(length)
        } else {
            self.closes = true;
            Stage::UntilClose
        };
        Ok(())
    }

    /// The line that ends in this piece, without its line end, and how many bytes of the piece it used.
    fn line(&mut self, piece: &[u8], limits: Limits) -> Result<Option<(usize, Vec<u8>)>, Failure> {
        let end = piece.iter().position(|byte| *byte == b'\n');
        let part = &piece[..end.unwrap_or(piece.len())];
        if self.stage == Stage::Trailer {
            self.trailer_bytes += part.len() + 1;
            limits.check_head(self.trailer_bytes, "trailer")?;
        }
        limits.check_head(self.partial.len() + part.len(), "chunk line")?;
        self.partial.extend_from_slice(part);
        if self.stage == Stage::ChunkEnd && !matches!(self.partial[..], [] | [b'\r']) {
            return Err(Failure::protocol("a chunk of the answer is longer than its size says"));
        }
        let Some(end) = end else { return Ok(None) };
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
            Stage::ChunkEnd => {
                self.stage = Stage::ChunkLine;
                Ok(false)
            }
            _ => Ok(line.is_empty()),
        }
    }
}

/// The size of a chunk. Extensions, which follow it, are ignored.
fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let plain = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let size = plain.then(|| u64::from_str_radix(text, 16).ok()).flatten();
    size.ok_or_else(|| Failure::protocol("a chunk of the answer begins without a size"))
}

#[cfg(test)]
mod tests;
