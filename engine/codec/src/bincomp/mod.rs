//! `BinMessage` with a compressed body: everything after the header is one zlib stream (RFC 1950), and a flag in the header says so.
//!
//! A body of more than 4,096 bytes is compressed, in both directions, not counting the 28 bytes of the header. The vendor's default is also 4,096. It
//! is not public whether it counts the header, and whether exactly 4,096 is compressed. Readers use the flag, so both work. An inflated body is no
//! longer than a message may be.
//!
//! The options `compressor` and `level` of a client choose another level, or a compressor that the vendor does not have, with a flag of our own. The
//! request's user word tells the server, so that both directions use the same compression: see `compression`. The word is zero without these options.

mod compression;
mod inflating;
mod lz4;
mod zlib;
mod zstd;

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_kit::stack::Options;
use callbench_service::{Answer, Call, Fault};

use super::bin::{BODY, Bin, Header, WORD, read_answer, read_call, refuse_header};
use super::trouble::Trouble;
use super::{Mark, Message, Refusal, Reply};
use compression::{Compression, Compressor};

/// The longest body that goes as it is.
const PLAIN: usize = 4096;

/// The maximum buffer that a thread keeps between calls. Longer buffers are freed, so that one large answer does not use memory permanently.
const KEPT: usize = 1 << 20;

/// The compression that this client asks for. A server uses the compression that each request names.
#[derive(Default)]
pub struct BinComp(Compression);

impl Message for BinComp {
    fn name(&self) -> &'static str {
        "bincomp"
    }

    fn content_type(&self) -> &'static str {
        Bin.content_type()
    }

    fn options(&self) -> &'static [&'static str] {
        &["compressor", "level"]
    }

    fn with(&self, options: &Options) -> Result<Option<Arc<dyn Message>>, Failure> {
        Ok(Compression::read(options)?.map(|compression| Arc::new(BinComp(compression)) as Arc<dyn Message>))
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let start = out.len();
        Bin.write_request(call, out)?;
        out[start + WORD..start + WORD + 2].copy_from_slice(&self.0.word());
        Ok(deflate(self.0, start, out)?)
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let (header, body) = match Header::read(bytes) {
            Ok(read) => read,
            Err(trouble) => return Reply::default().refuse(Refusal::Unreadable, trouble.into_message()),
        };
        let (mut reply, call) = match (header.flags, Compressor::of(header.flags)) {
            (0, _) => read_call(&header, body),
            (_, Some(compressor)) => inflated(compressor, body, |body| read_call(&header, body)).unwrap_or_else(|trouble| {
                Reply { mark: header.mark(), ..Reply::default() }.refuse(Refusal::Unreadable, trouble.into_message())
            }),
            (_, None) => refuse_header(&header),
        };
        if header.word != [0, 0] && Compression::of(header.word) != Compression::default() {
            reply.mark = header.mark_with_word();
        }
        (reply, call)
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let start = out.len();
        Bin.write_answer(reply, answer, out)?;
        let compression = if let Mark::Worded(_, word) = reply.mark { Compression::of(word) } else { Compression::default() };
        Ok(deflate(compression, start, out)?)
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        Bin.write_fault(reply, message, out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let (header, body) = Header::read(bytes)?;
        match (header.flags, Compressor::of(header.flags)) {
            (0, _) => read_answer(&header, call, body),
            (_, Some(compressor)) => inflated(compressor, body, |body| read_answer(&header, call, body))?,
            (other, None) => Err(Failure::protocol(format!("flags {other:#04x} are not among those that this message has"))),
        }
    }
}

/// Compresses the body of the message that begins at `start`, if it is long enough.
fn deflate(compression: Compression, start: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let body = start + BODY;
    if out.len() - body <= PLAIN {
        return Ok(());
    }
    match compression.compressor {
        Compressor::Zlib => zlib::deflate(compression.level, body, out)?,
        Compressor::Zstd => zstd::deflate(compression.level, body, out)?,
        Compressor::Lz4 => lz4::deflate(body, out)?,
    }
    out[start + 5] = compression.compressor.flag();
    Ok(())
}

/// Gives the inflated body to `read`.
fn inflated<T>(compressor: Compressor, body: &[u8], read: impl FnOnce(&[u8]) -> T) -> Result<T, Trouble> {
    match compressor {
        Compressor::Zlib => zlib::inflated(body, read),
        Compressor::Zstd => zstd::inflated(body, read),
        Compressor::Lz4 => lz4::inflated(body, read),
    }
}
