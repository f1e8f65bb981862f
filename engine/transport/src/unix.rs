//! `unix`: an abstract Unix stream socket. A message is its length, four bytes with the least first, and its bytes; both go in one
//! `writev` and come in one read where the kernel has them.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::Failure;
use callbench_kit::stack::{Connect, Listen, Options, Server};

use super::acceptor::Acceptor;
use super::intake::Intake;
use super::line::{Caller, Line, Patience, answer_all, closed, too_large};
use super::rendezvous::{listen, reach, same_user};
use super::{Channel, Connection, Route, only};
use callbench_kit::stack::LIMIT;

pub struct Unix;

/// A message's length before its bytes.
pub const HEADER: usize = 4;

/// The header of a message; one beyond `LIMIT` is announced, for the other side to refuse.
#[must_use]
pub fn header(message: &[u8]) -> [u8; HEADER] {
    u32::try_from(message.len()).unwrap_or(u32::MAX).to_le_bytes()
}

/// The length of the message at the start of `bytes`, header included, once the header is there.
pub fn framed(bytes: &[u8]) -> Result<Option<usize>, Failure> {
    let Some(header) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
    let length = u32::from_le_bytes(*header) as usize;
    if length > LIMIT { Err(too_large(length, LIMIT)) } else { Ok(Some(HEADER + length)) }
}

struct End<S> {
    stream: S,
    intake: Intake,
    /// Length of the message received last, header included.
    frame: usize,
    /// How long the kernel lets a read or write wait; zero: for ever.
    slice: Duration,
}

impl<S> End<S> {
    fn new(stream: S, slice: Duration) -> Self {
        End { stream, intake: Intake::new(), frame: 0, slice }
    }
}

/// What to do after a read or write that failed: again, or give up.
pub fn again(error: &io::Error, slice: Duration, patience: &mut Patience) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => patience.wasted(slice),
        ErrorKind::Interrupted => Ok(()),
        _ => Err(closed()),
    }
}

impl<S: Read + Write + Send> Line for End<S> {
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        let header = header(message);
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
            let frame = framed(self.intake.bytes())?;
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

impl Channel for Unix {
    fn name(&self) -> &'static str {
        "unix"
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        let handler = only(routes, "unix")?.handler;
        let (endpoint, listener) = listen("unix")?;
        Acceptor::start(endpoint, listener, move |socket, ending| {
            if same_user(&socket).is_ok() {
                answer_all(&mut End::new(Socket(socket), Duration::ZERO), &*handler, ending);
            }
        })
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let place = to.clone();
        let dial = move || {
            let slice = even_slice(place.timeout);
            let stream = reach(&place.endpoint, place.timeout)?;
            stream.set_read_timeout(Some(slice))?;
            stream.set_write_timeout(Some(slice))?;
            Ok(End::new(stream, slice))
        };
        Ok(Box::new(Caller::<End<UnixStream>, _>::new(to.timeout, dial)?))
    }
}

/// A time-out in even slices of at most 100 ms: the kernel's own time-out is set once and not at each call, and what a part that
/// came used up of it is noticed at the next slice.
#[must_use]
pub fn even_slice(timeout: Duration) -> Duration {
    let count = timeout.as_millis().div_ceil(100).clamp(1, u128::from(u32::MAX)) as u32;
    (timeout / count).max(Duration::from_millis(1))
}

/// The server's end: the acceptor keeps a reference too, to shut it down.
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
