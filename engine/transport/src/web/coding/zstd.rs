//! Zstandard (RFC 8878), by the reference library, at level 3: the library's default.

use std::cell::RefCell;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, compress_bound, get_error_name};

use super::{Coding, Step, Unreadable, inflate};

pub const ZSTD: &dyn Coding = &Zstd;
const LEVEL: i32 = 3;
/// The largest window that a reader of HTTP must have: 8 MiB (RFC 9659).
const WINDOW_LOG: u32 = 23;

struct Zstd;

/// The contexts have hundreds of kilobytes, so each thread keeps its own.
struct State {
    deflate: CCtx<'static>,
    inflate: DCtx<'static>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State { deflate: CCtx::create(), inflate: DCtx::create() });
}

impl Coding for Zstd {
    fn name(&self) -> &'static str {
        "zstd"
    }

    fn compress(&self, body: &[u8]) -> Result<Vec<u8>, String> {
        STATE.with_borrow_mut(|State { deflate, .. }| {
            let wrong = |code| format!("zstd does not compress this body: {}", get_error_name(code));
            deflate.set_parameter(CParameter::CompressionLevel(LEVEL)).map_err(wrong)?;
            let mut out = Vec::with_capacity(compress_bound(body.len()));
            deflate.compress2(&mut out, body).map_err(wrong)?;
            Ok(out)
        })
    }

    fn decompress(&self, body: &[u8]) -> Result<Vec<u8>, Unreadable> {
        STATE.with_borrow_mut(|State { inflate: state, .. }| {
            let wrong = |code| format!("the body is no Zstandard frame: {}", get_error_name(code));
            state.reset(ResetDirective::SessionOnly).map_err(|code| Unreadable::Broken(wrong(code)))?;
            state.set_parameter(DParameter::WindowLogMax(WINDOW_LOG)).map_err(|code| Unreadable::Broken(wrong(code)))?;
            let mut from = InBuffer::around(body);
            inflate(body, |out| {
                let written = out.len();
                let left = state.decompress_stream(&mut OutBuffer::around_pos(out, written), &mut from).map_err(wrong)?;
                Ok(if left == 0 { Step::Over(from.pos()) } else { Step::Going })
            })
        })
    }
}
