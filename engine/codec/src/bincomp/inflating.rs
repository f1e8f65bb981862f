//! What every compressor's reader keeps: an inflated body is no longer than a message may be, and a length that is merely claimed takes no memory.

use super::super::LIMIT;
use super::super::trouble::Trouble;
use super::PLAIN;

/// How many times its compressed length a body is first thought to be.
const GUESS: usize = 4;

/// What one step of a reader came to.
pub enum Step {
    /// There may be more.
    Going,
    /// The stream is over, so many octets of the body from its beginning.
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
