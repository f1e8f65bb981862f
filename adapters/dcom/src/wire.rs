//! Whole PDUs over a TCP connection.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::Failure;
use callbench_transport::intake::Intake;
use callbench_transport::line::{Patience, closed};
use callbench_transport::stream::{Socket, again};

use crate::pdu::{HEADER, Header, Unreadable};

/// One end of a connection.
pub struct Wire {
    stream: Socket,
    intake: Intake,
    /// Octets of the PDU received last.
    frame: usize,
    /// The kernel's timeout for a read or write; zero: none.
    slice: Duration,
}

impl Wire {
    #[must_use]
    pub fn new(socket: Arc<OwnedFd>, slice: Duration) -> Self {
        Wire { stream: Socket(socket), intake: Intake::new(), frame: 0, slice }
    }

    /// Waits for a PDU and keeps it until the next call. An unreadable PDU is the last one.
    pub fn receive(&mut self, patience: &mut Patience) -> Result<Result<Header, Unreadable>, Failure> {
        self.intake.consume(self.frame);
        self.frame = 0;
        let mut header = None;
        loop {
            let here = self.intake.bytes().len();
            if let (None, Some(octets)) = (header, self.intake.bytes().first_chunk::<HEADER>()) {
                match Header::read(octets) {
                    Ok(read) => header = Some(read),
                    Err(unreadable) => return Ok(Err(unreadable)),
                }
            }
            if let Some(header) = header.filter(|header| usize::from(header.length) <= here) {
                self.frame = usize::from(header.length);
                return Ok(Ok(header));
            }
            if here > 0 {
                patience.partly()?;
            }
            let wanted = header.map_or(HEADER, |header| usize::from(header.length));
            match self.intake.read_with(wanted, |room| self.stream.read(room)) {
                Ok(0) => return Err(closed()),
                Ok(_) => {}
                Err(error) => again(&error, self.slice, patience)?,
            }
        }
    }

    /// The PDU received last.
    #[must_use]
    pub fn pdu(&self) -> &[u8] {
        &self.intake.bytes()[..self.frame]
    }

    pub fn send(&mut self, octets: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        let mut rest = octets;
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(0) => return Err(closed()),
                Ok(count) => rest = &rest[count..],
                Err(error) => again(&error, self.slice, patience)?,
            }
            if !rest.is_empty() {
                patience.partly()?;
            }
        }
        Ok(())
    }
}
