//! Limits of every decompressor: the body is no longer than a message may be, and a claimed length alone allocates no memory.

use super::super::LIMIT;
use super::super::trouble::Trouble;
use super::PLAIN;

/// The assumed ratio of the inflated to the compressed length.
const GUESS: usize = 4;

/// The result of one step of a decompressor.
pub enum Step {
    /// There may be more.
    Going,
    /// The stream has ended; the length of the body.
    Over(usize),
}

/// Takes steps until the stream is over, with room for what comes. A step is given the buffer to append to.
pub fn whole(body: &[u8], buffer: &mut Vec<u8>, mut step: impl FnMut(&mut Vec<u8>) -> Result<Step, Trouble>) -> Result<(), Trouble> {
    buffer.reserve_exact((body.len() * GUESS).min(LIMIT));
    loop {
        match step(buffer)? {
            _ if buffer.len() > LIMIT => {
                return Err(Trouble::protocol(format!("the body inflates beyond the {LIMIT} bytes of a message")));
            }
            Step::Over(read) if read == body.len() => return Ok(()),
            Step::Over(_) => return Err(Trouble::protocol("bytes are left behind the compressed body")),
            Step::Going if buffer.len() < buffer.capacity() => return Err(Trouble::protocol("the compressed body ends too early")),
            Step::Going => buffer.reserve_exact(buffer.len().min(LIMIT - buffer.len()).max(PLAIN)),
        }
    }
}
