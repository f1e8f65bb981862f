//! zlib streams (RFC 1950), by zlib-rs.

use std::cell::RefCell;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::super::trouble::Trouble;
use super::KEPT;
use super::inflating::{Step, whole};

/// A zlib state has 256 KiB. Creating one costs more than compressing a small body, so each thread keeps its own, one per level.
struct Zlib {
    deflate: [Option<Compress>; 10],
    inflate: Decompress,
    buffer: Vec<u8>,
}

thread_local! {
    static ZLIB: RefCell<Zlib> =
        RefCell::new(Zlib { deflate: [const { None }; 10], inflate: Decompress::new(true), buffer: Vec::new() });
}

/// Replaces the bytes from `body` on by their compressed form.
pub fn deflate(level: u8, body: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    ZLIB.with_borrow_mut(|Zlib { deflate, buffer, .. }| {
        let deflate = deflate[usize::from(level)].get_or_insert_with(|| Compress::new(Compression::new(u32::from(level)), true));
        deflate.reset();
        buffer.clear();
        buffer.reserve(bound(out.len() - body));
        match deflate.compress_vec(&out[body..], buffer, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => {}
            _ => return Err(Trouble::cannot_carry("zlib does not compress this body")),
        }
        out.truncate(body);
        out.extend_from_slice(buffer);
        buffer.shrink_to(KEPT);
        Ok(())
    })
}

/// The maximum compressed length of this number of bytes: stored blocks of up to 16 KiB with 5 bytes each, and the frame. Level 1 does not check a
/// block before it writes it, and uses 9 bits for a byte without a shorter code.
fn bound(length: usize) -> usize {
    length + length / 8 + 5 * (length / 16_383 + 1) + 64
}

/// Gives the inflated body to `read`.
pub fn inflated<T>(body: &[u8], read: impl FnOnce(&[u8]) -> T) -> Result<T, Trouble> {
    ZLIB.with_borrow_mut(|Zlib { inflate, buffer, .. }| {
        inflate.reset(true);
        buffer.clear();
        let outcome = whole(body, buffer, |buffer| {
            let read = inflate.total_in() as usize;
            match inflate.decompress_vec(&body[read..], buffer, FlushDecompress::None) {
                Ok(Status::StreamEnd) => Ok(Step::Over(inflate.total_in() as usize)),
                Ok(_) => Ok(Step::Going),
                Err(error) => Err(Trouble::protocol(format!("the body is no zlib stream: {error}"))),
            }
        });
        let outcome = outcome.map(|()| read(buffer));
        buffer.clear();
        buffer.shrink_to(KEPT);
        outcome
    })
}
