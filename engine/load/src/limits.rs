//! How much of an answer is taken. Each limit can be raised, and its error says how.

use callbench_kit::{Failure, Kind};

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of a head, a line of the chunked coding, and all trailers together.
    pub head_bytes: usize,
    pub body_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { head_bytes: 1 << 20, body_bytes: 1 << 30 }
    }
}

impl Limits {
    /// Fails if this part of an answer that is no body has more bytes than are taken.
    pub fn check_head(&self, bytes: usize, part: &str) -> Result<(), Failure> {
        if bytes <= self.head_bytes {
            return Ok(());
        }
        let why = format!("the {part} of the answer is longer than {} bytes: raise this limit with --max-head-bytes", self.head_bytes);
        Err(Failure::new(Kind::TooLarge, why))
    }

    /// Fails if a body has more bytes than are taken.
    pub fn check_body(&self, bytes: u64) -> Result<(), Failure> {
        if bytes <= self.body_bytes {
            return Ok(());
        }
        let why = format!("the body of the answer is longer than {} bytes: raise this limit with --max-body-bytes", self.body_bytes);
        Err(Failure::new(Kind::TooLarge, why))
    }
}
