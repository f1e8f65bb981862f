//! gzip (RFC 1952), by zlib-rs, at level 6: the library's default.

use std::cell::RefCell;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::{Coding, Step, Unreadable, inflate};

pub const GZIP: &dyn Coding = &Gzip;
const LEVEL: u32 = 6;
/// A window of 32 KiB, the largest.
const WINDOW: u8 = 15;

struct Gzip;

/// A state has 256 KiB, so each thread keeps its own.
struct State {
    deflate: Compress,
    inflate: Decompress,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State {
        deflate: Compress::new_gzip(Compression::new(LEVEL), WINDOW),
        inflate: Decompress::new_gzip(WINDOW),
    });
}

impl Coding for Gzip {
    fn name(&self) -> &'static str {
        "gzip"
    }

    fn compress(&self, body: &[u8]) -> Result<Vec<u8>, String> {
        STATE.with_borrow_mut(|State { deflate, .. }| {
            deflate.reset();
            // Room for a body that does not become shorter: stored blocks with 5 bytes each, and the frame.
            let mut out = Vec::with_capacity(body.len() + body.len() / 1024 + 64);
            match deflate.compress_vec(body, &mut out, FlushCompress::Finish) {
                Ok(Status::StreamEnd) => Ok(out),
                _ => Err("gzip does not compress this body".to_owned()),
            }
        })
    }

    fn decompress(&self, body: &[u8]) -> Result<Vec<u8>, Unreadable> {
        STATE.with_borrow_mut(|State { inflate: state, .. }| {
            // `reset` forgets that the stream has gzip's frame.
            *state = Decompress::new_gzip(WINDOW);
            inflate(body, |out| {
                let read = state.total_in() as usize;
                match state.decompress_vec(&body[read..], out, FlushDecompress::None) {
                    Ok(Status::StreamEnd) => Ok(Step::Over(state.total_in() as usize)),
                    Ok(_) => Ok(Step::Going),
                    Err(error) => Err(format!("the body is no gzip: {error}")),
                }
            })
        })
    }
}
