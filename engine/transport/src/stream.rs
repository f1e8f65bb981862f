//! Whole messages over a stream of bytes, each after its length. `unix`, `tcp` and others use it.
//!
//! Length and message are sent with one `writev`, and received with one read if the kernel has both.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use callbench_contract::Failure;
use callbench_contract::endpoint::LIMIT;

use super::intake::Intake;
use super::line::{Line, Patience, closed, too_large};

/// A message's length before its bytes.
pub const HEADER: usize = 4;

/// The order of the length's four bytes.
#[derive(Clone, Copy, Debug)]
pub enum Prefix {
    /// The least byte first, as the machine has it.
    Little,
    /// The greatest byte first, as networks have it.
    Big,
}

impl Prefix {
    /// The header of a message. A message beyond `LIMIT` is only announced, and the other side refuses it.
    #[must_use]
    pub fn header(self, message: &[u8]) -> [u8; HEADER] {
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        match self {
            Prefix::Little => length.to_le_bytes(),
            Prefix::Big => length.to_be_bytes(),
        }
    }

    /// The length of the message at the start of `bytes`, header included, once the header is there.
    pub fn framed(self, bytes: &[u8]) -> Result<Option<usize>, Failure> {
        let Some(header) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let length = match self {
            Prefix::Little => u32::from_le_bytes(*header),
            Prefix::Big => u32::from_be_bytes(*header),
        } as usize;
        if length > LIMIT { Err(too_large(length, LIMIT)) } else { Ok(Some(HEADER + length)) }
    }
}

/// One end of a stream, client's or server's.
pub struct End<S> {
    stream: S,
    prefix: Prefix,
    intake: Intake,
    /// Length of the message received last, header included.
    frame: usize,
    /// The kernel's timeout for a read or write; zero: none.
    slice: Duration,
}

impl<S> End<S> {
    pub fn new(stream: S, prefix: Prefix, slice: Duration) -> Self {
        End { stream, prefix, intake: Intake::new(), frame: 0, slice }
    }
}

/// Decides after a failed read or write whether to repeat it.
pub fn again(error: &io::Error, slice: Duration, patience: &mut Patience) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => patience.wasted(slice),
        ErrorKind::Interrupted => Ok(()),
        _ => Err(closed()),
    }
}

impl<S: Read + Write + Send> Line for End<S> {
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        let header = self.prefix.header(message);
        let body = if message.len() > LIMIT { &[] } else { message };
        let mut parts = [IoSlice::new(&header), IoSlice::new(body)];
        let mut parts = &mut parts[..];
        while !parts.is_empty() {
            match self.stream.write_vectored(parts) {
                Ok(0) => return Err(closed()),
                Ok(count) => IoSlice::advance_slices(&mut parts, count),
                Err(error) => again(&error, self.slice, patience)?,
            }
            if !parts.is_empty() {
                patience.partly()?;
            }
        }
        if message.len() > LIMIT { Err(too_large(message.len(), LIMIT)) } else { Ok(()) }
    }

    fn receive(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        self.intake.consume(self.frame);
        self.frame = 0;
        loop {
            let frame = self.prefix.framed(self.intake.bytes())?;
            if let Some(frame) = frame.filter(|frame| *frame <= self.intake.bytes().len()) {
                self.frame = frame;
                return Ok(());
            }
            if !self.intake.bytes().is_empty() {
                patience.partly()?;
            }
            match self.intake.read_with(frame.unwrap_or(HEADER), |room| self.stream.read(room)) {
                Ok(0) => return Err(closed()),
                Ok(_) => {}
                Err(error) => again(&error, self.slice, patience)?,
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.intake.bytes()[HEADER..self.frame]
    }
}

/// A time-out in even slices of at most 100 ms: the kernel's own time-out is set once and not at each call, and what a part that
/// came used up of it is noticed at the next slice.
#[must_use]
pub fn even_slice(timeout: Duration) -> Duration {
    let count = timeout.as_millis().div_ceil(100).clamp(1, u128::from(u32::MAX)) as u32;
    (timeout / count).max(Duration::from_millis(1))
}

/// The server's end. The acceptor keeps a reference too, to shut it down.
pub struct Socket(pub Arc<OwnedFd>);

impl Read for Socket {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Ok(nix::unistd::read(&self.0, room)?)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(nix::sys::uio::writev(&self.0, parts)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
