//! LZ4 frames, by `lz4_flex`.

use std::cell::RefCell;
use std::io::{self, BufRead, Read, Write};

use lz4_flex::frame::{FrameDecoder, FrameEncoder};

use super::super::LIMIT;
use super::super::trouble::Trouble;
use super::KEPT;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Replaces the bytes from `body` on by their compressed form.
pub fn deflate(body: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        let mut frame = FrameEncoder::new(std::mem::take(buffer));
        let written = frame.write_all(&out[body..]).and_then(|()| Ok(frame.finish()?));
        *buffer = written.map_err(|error| Trouble::cannot_carry(format!("lz4 does not compress this body: {error}")))?;
        out.truncate(body);
        out.extend_from_slice(buffer);
        buffer.shrink_to(KEPT);
        Ok(())
    })
}

/// A body that notes whether more bytes were requested than it has, because the library treats the end of the bytes as the end of the frame.
struct Body<'a> {
    left: &'a [u8],
    ran_dry: bool,
}

impl Read for Body<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.ran_dry |= self.left.is_empty();
        self.left.read(out)
    }
}

/// Gives the inflated body to `read`.
pub fn inflated<T>(body: &[u8], read: impl FnOnce(&[u8]) -> T) -> Result<T, Trouble> {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        let outcome = inflate_into(body, buffer).map(|()| read(buffer));
        buffer.clear();
        buffer.shrink_to(KEPT);
        outcome
    })
}

fn inflate_into(body: &[u8], buffer: &mut Vec<u8>) -> Result<(), Trouble> {
    let mut frame = FrameDecoder::new(Body { left: body, ran_dry: false });
    loop {
        let part = frame.fill_buf().map_err(|error| Trouble::protocol(format!("the body is no LZ4 frame: {error}")))?;
        let length = part.len();
        if length == 0 {
            break;
        }
        if length > LIMIT - buffer.len() {
            return Err(Trouble::protocol(format!("the body inflates beyond the {LIMIT} bytes of a message")));
        }
        buffer.extend_from_slice(part);
        frame.consume(length);
    }
    let Body { left, ran_dry } = frame.into_inner();
    match (ran_dry, left) {
        (true, _) => Err(Trouble::protocol("the compressed body ends too early")),
        (false, []) => Ok(()),
        _ => Err(Trouble::protocol("bytes are left behind the compressed body")),
    }
}
