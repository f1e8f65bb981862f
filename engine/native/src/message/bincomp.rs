//! `BinMessage` with its body compressed: everything behind the header is one zlib stream (RFC 1950) and the header's flag says so.
//!
//! A body of more than 4,096 bytes is compressed, in both directions; the 28 bytes of the header do not count. The vendor's default is 4,096 too, but
//! whether it counts the header, and whether exactly 4,096 is compressed, is not public: readers go by the flag, so that either works.
//! An inflated body is no longer than a message may be.

use std::cell::RefCell;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Fault};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::bin::{BODY, Bin, COMPRESSED, Header, read_answer, read_call, refuse_header};
use super::trouble::Trouble;
use super::{LIMIT, Message, Refusal, Reply};

/// The longest body that goes as it is.
const PLAIN: usize = 4096;

/// What a thread keeps between calls; a longer buffer is given back, since one great answer must not stay in memory for good.
const KEPT: usize = 1 << 20;

/// How many times its compressed length a body is first thought to be.
const GUESS: usize = 4;

/// zlib's states are a quarter of a megabyte: making one costs more than a small body does, so that each thread keeps its own.
struct Zlib {
    deflate: Compress,
    inflate: Decompress,
    buffer: Vec<u8>,
}

thread_local! {
    static ZLIB: RefCell<Zlib> =
        RefCell::new(Zlib { deflate: Compress::new(Compression::default(), true), inflate: Decompress::new(true), buffer: Vec::new() });
}

pub struct BinComp;

impl Message for BinComp {
    fn name(&self) -> &'static str {
        "bincomp"
    }

    fn content_type(&self) -> &'static str {
        Bin.content_type()
    }

    fn write_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        let start = out.len();
        Bin.write_request(call, out)?;
        Ok(deflate(start, out)?)
    }

    fn read_request(&self, bytes: &[u8]) -> (Reply, Result<Call, Fault>) {
        let (header, body) = match Header::read(bytes) {
            Ok(read) => read,
            Err(trouble) => return Reply::default().refuse(Refusal::Unreadable, trouble.into_message()),
        };
        match header.flags {
            0 => read_call(&header, body),
            COMPRESSED => {
                let mark = header.mark();
                inflated(body, |body| read_call(&header, body))
                    .unwrap_or_else(|trouble| Reply { mark, ..Reply::default() }.refuse(Refusal::Unreadable, trouble.into_message()))
            }
            _ => refuse_header(&header),
        }
    }

    fn write_answer(&self, reply: &Reply, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let start = out.len();
        Bin.write_answer(reply, answer, out)?;
        Ok(deflate(start, out)?)
    }

    fn write_fault(&self, reply: &Reply, message: &str, out: &mut Vec<u8>) {
        Bin.write_fault(reply, message, out);
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        let (header, body) = Header::read(bytes)?;
        match header.flags {
            0 => read_answer(&header, call, body),
            COMPRESSED => inflated(body, |body| read_answer(&header, call, body))?,
            other => Err(Failure::protocol(format!("flags {other:#04x} are not among those that this message has"))),
        }
    }
}

/// Compresses the body of the message that begins at `start`, where it is long enough.
fn deflate(start: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let body = start + BODY;
    if out.len() - body <= PLAIN {
        return Ok(());
    }
    ZLIB.with_borrow_mut(|Zlib { deflate, buffer, .. }| {
        deflate.reset();
        buffer.clear();
        buffer.reserve(bound(out.len() - body));
        match deflate.compress_vec(&out[body..], buffer, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => {}
            _ => return Err(Trouble::cannot_carry("zlib does not compress this body")),
        }
        out.truncate(body);
        out.extend_from_slice(buffer);
        out[start + 5] = COMPRESSED;
        buffer.shrink_to(KEPT);
        Ok(())
    })
}

/// The most that zlib makes of so many bytes: stored blocks of up to 16 KiB with 5 bytes each, and the frame.
fn bound(length: usize) -> usize {
    length + 5 * (length / 16_383 + 1) + 64
}

/// Gives the inflated body to `read`.
fn inflated<T>(body: &[u8], read: impl FnOnce(&[u8]) -> T) -> Result<T, Trouble> {
    ZLIB.with_borrow_mut(|Zlib { inflate, buffer, .. }| {
        inflate.reset(true);
        buffer.clear();
        let outcome = inflate_into(inflate, body, buffer).map(|()| read(buffer));
        buffer.clear();
        buffer.shrink_to(KEPT);
        outcome
    })
}

fn inflate_into(inflate: &mut Decompress, body: &[u8], buffer: &mut Vec<u8>) -> Result<(), Trouble> {
    buffer.reserve_exact((body.len() * GUESS).min(LIMIT));
    loop {
        let read = inflate.total_in() as usize;
        match inflate.decompress_vec(&body[read..], buffer, FlushDecompress::None) {
            Ok(_) if buffer.len() > LIMIT => {
                return Err(Trouble::protocol(format!("the body inflates beyond the {LIMIT} bytes of a message")));
            }
            Ok(Status::StreamEnd) if inflate.total_in() as usize == body.len() => return Ok(()),
            Ok(Status::StreamEnd) => return Err(Trouble::protocol("bytes are left behind the compressed body")),
            Ok(_) if buffer.len() < buffer.capacity() => return Err(Trouble::protocol("the compressed body ends too early")),
            Ok(_) => buffer.reserve_exact(buffer.len().min(LIMIT - buffer.len()).max(PLAIN)),
            Err(error) => return Err(Trouble::protocol(format!("the body is no zlib stream: {error}"))),
        }
    }
}
