//! Zstandard frames (RFC 8878), by the reference library.

use std::cell::RefCell;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, InBuffer, OutBuffer, ResetDirective, compress_bound, get_error_name};

use super::super::trouble::Trouble;
use super::KEPT;
use super::inflating::{Step, whole};

/// The contexts have hundreds of kilobytes, so each thread keeps its own.
struct Zstd {
    deflate: CCtx<'static>,
    inflate: DCtx<'static>,
    buffer: Vec<u8>,
}

thread_local! {
    static ZSTD: RefCell<Zstd> = RefCell::new(Zstd { deflate: CCtx::create(), inflate: DCtx::create(), buffer: Vec::new() });
}

/// Replaces the bytes from `body` on by their compressed form.
pub fn deflate(level: u8, body: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    ZSTD.with_borrow_mut(|Zstd { deflate, buffer, .. }| {
        let wrong = |code| Trouble::cannot_carry(format!("zstd does not compress this body: {}", get_error_name(code)));
        deflate.set_parameter(CParameter::CompressionLevel(i32::from(level))).map_err(wrong)?;
        buffer.clear();
        buffer.reserve(compress_bound(out.len() - body));
        deflate.compress2(buffer, &out[body..]).map_err(wrong)?;
        out.truncate(body);
        out.extend_from_slice(buffer);
        buffer.shrink_to(KEPT);
        Ok(())
    })
}

/// Gives the inflated body to `read`.
pub fn inflated<T>(body: &[u8], read: impl FnOnce(&[u8]) -> T) -> Result<T, Trouble> {
    ZSTD.with_borrow_mut(|Zstd { inflate, buffer, .. }| {
        let wrong = |code| Trouble::protocol(format!("the body is no Zstandard frame: {}", get_error_name(code)));
        inflate.reset(ResetDirective::SessionOnly).map_err(wrong)?;
        buffer.clear();
        let mut from = InBuffer::around(body);
        let outcome = whole(body, buffer, |buffer| {
            let written = buffer.len();
            let left = inflate.decompress_stream(&mut OutBuffer::around_pos(buffer, written), &mut from).map_err(wrong)?;
            Ok(if left == 0 { Step::Over(from.pos()) } else { Step::Going })
        });
        let outcome = outcome.map(|()| read(buffer));
        buffer.clear();
        buffer.shrink_to(KEPT);
        outcome
    })
}
