//! Content codings (RFC 9110, 8.4): a body is compressed, and `Content-Encoding` says how. One file a coding.
//!
//! A client compresses its requests without asking first, since it knows its server, and says in `Accept-Encoding` what it takes. A server
//! compresses its answer if the client takes that. Short bodies stay as they are on both sides.

mod gzip;
mod zstd;

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use callbench_contract::endpoint::LIMIT;
use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue};

pub use gzip::GZIP;
pub use zstd::ZSTD;

/// Bodies below this many bytes are not compressed: most of them would become longer.
pub const LEAST: usize = 150;
/// The maximum buffer that a thread keeps between calls.
const KEPT: usize = 1 << 20;
const IDENTITY: &str = "identity";

/// One coding, at one level.
pub trait Coding: Sync {
    /// The name in HTTP's headers.
    fn name(&self) -> &'static str;

    /// The compressed body; a sentence if the library fails.
    fn compress(&self, body: &[u8]) -> Result<Vec<u8>, String>;

    /// The body, which is exactly one compressed stream.
    fn decompress(&self, body: &[u8]) -> Result<Vec<u8>, Unreadable>;
}

impl fmt::Debug for dyn Coding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

/// Why a body is not what its header says.
#[derive(Debug, PartialEq)]
pub enum Unreadable {
    /// It inflates beyond the bytes of a message.
    TooLarge,
    Broken(String),
    /// A coding that is not spoken here.
    Unknown(String),
}

/// The result of one step of a decompressor.
enum Step {
    Going,
    /// The stream has ended behind this many bytes of the body.
    Over(usize),
}

/// Takes steps until the stream is over, with room for what comes. A claimed length alone allocates no memory.
fn inflate(body: &[u8], mut step: impl FnMut(&mut Vec<u8>) -> Result<Step, String>) -> Result<Vec<u8>, Unreadable> {
    let mut out = Vec::with_capacity((body.len() * 4).clamp(LEAST, KEPT));
    loop {
        match step(&mut out).map_err(Unreadable::Broken)? {
            _ if out.len() > LIMIT => return Err(Unreadable::TooLarge),
            Step::Over(read) if read == body.len() => return Ok(out),
            Step::Over(_) => return Err(Unreadable::Broken("bytes are left behind the compressed body".to_owned())),
            Step::Going if out.len() < out.capacity() => {
                return Err(Unreadable::Broken("the compressed body ends too early".to_owned()));
            }
            Step::Going => out.reserve(out.len().min(LIMIT + 1 - out.len()).max(KEPT / 16)),
        }
    }
}

/// A body on its way out: compressed, with the header that says so, unless it is short.
pub fn outgoing(coding: Option<&'static dyn Coding>, body: Bytes, headers: &mut HeaderMap) -> Result<Bytes, String> {
    let Some(coding) = coding.filter(|_| body.len() >= LEAST) else { return Ok(body) };
    let compressed = coding.compress(&body)?;
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    Ok(compressed.into())
}

/// A body as it was before it was compressed. `coding` is the one that is spoken here.
pub fn incoming(coding: &'static dyn Coding, body: Bytes, headers: &HeaderMap) -> Result<Bytes, Unreadable> {
    let said = headers.get(CONTENT_ENCODING).map_or(Cow::Borrowed(IDENTITY), |said| String::from_utf8_lossy(said.as_bytes()));
    match said.trim() {
        name if name.eq_ignore_ascii_case(coding.name()) => coding.decompress(&body).map(Bytes::from),
        name if name.eq_ignore_ascii_case(IDENTITY) => Ok(body),
        name => Err(Unreadable::Unknown(name.to_owned())),
    }
}

/// Whether who sent these headers takes a coding: it is named, or `*` is, and not with a weight of 0.
pub fn accepts(headers: &HeaderMap, coding: &'static dyn Coding) -> bool {
    let named = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    let mut any = false;
    for item in named {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="))).map_or(Ok(1.0), str::parse);
        let wanted = weight.is_ok_and(|weight: f32| weight > 0.0);
        if name.eq_ignore_ascii_case(coding.name()) {
            return wanted;
        }
        any |= name == "*" && wanted;
    }
    any
}

#[cfg(test)]
mod tests;
