//! What one side of a connection receives: packages, one after the other.

use std::io::{ErrorKind, Read};

use callbench_contract::Failure;

use super::super::intake::Intake;
use super::super::line::{closed, too_large};
use super::super::stream::Socket;
use super::package::{HEADER, Header};

pub struct Inbox {
    stream: Socket,
    intake: Intake,
    limit: usize,
    /// Length of the package last taken, header included.
    frame: usize,
}

impl Inbox {
    pub fn new(stream: Socket, limit: usize) -> Self {
        Inbox { stream, intake: Intake::new(), limit, frame: 0 }
    }

    /// Lets go of the package before, and takes the next one if it is there already.
    pub fn take(&mut self) -> Result<Option<Header>, Failure> {
        self.intake.consume(self.frame);
        self.frame = 0;
        let Some(header) = Header::decode(self.intake.bytes())? else { return Ok(None) };
        if header.length > self.limit {
            return Err(too_large(header.length, self.limit));
        }
        if self.intake.bytes().len() < HEADER + header.length {
            return Ok(None);
        }
        self.frame = HEADER + header.length;
        Ok(Some(header))
    }

    /// Reads once; false if nothing arrived within the socket's timeout.
    pub fn read(&mut self) -> Result<bool, Failure> {
        let wanted = Header::decode(self.intake.bytes())?.map_or(0, |header| header.length) + HEADER;
        match self.intake.read_with(wanted, |room| self.stream.read(room)) {
            Ok(0) => Err(closed()),
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(_) => Err(closed()),
        }
    }

    /// Whether a part of a package is there.
    pub fn partly(&self) -> bool {
        !self.intake.bytes().is_empty()
    }

    /// The id in the header of a package that is not all there, for refusing it.
    pub fn pending(&self) -> u32 {
        Header::decode(self.intake.bytes()).ok().flatten().map_or(0, |header| header.id)
    }

    /// The body of the package last taken.
    pub fn body(&self) -> &[u8] {
        &self.intake.bytes()[HEADER.min(self.frame)..self.frame]
    }

    /// Throws away what comes.
    pub fn discard(&mut self) -> Result<bool, Failure> {
        self.intake.consume(usize::MAX);
        self.frame = 0;
        self.read()
    }
}
