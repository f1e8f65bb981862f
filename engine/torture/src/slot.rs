//! The state of one connection.

use std::net::TcpStream;

use crate::counts::Counts;
use crate::settings::{Reads, Settings};
use crate::socket::{self, Transfer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Closed,
    Connecting,
    Sending,
    /// Everything is sent, and the connection stays open.
    Holding,
}

/// The result of sending or reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The socket would block. The next event continues.
    WouldBlock,
    /// One byte is sent, and the next one is not due yet.
    SentOneByte,
    /// The last byte is sent, or there was none.
    Sent,
    /// The server closed the connection.
    Ended,
}

#[derive(Debug)]
pub struct Slot {
    pub stream: Option<TcpStream>,
    pub state: State,
    /// The number of connections in this slot so far. Timers and events of earlier connections are recognised by it.
    pub generation: u32,
    sent: u64,
    answered: bool,
}

impl Slot {
    pub fn new() -> Self {
        Slot { stream: None, state: State::Closed, generation: 0, sent: 0, answered: false }
    }

    pub fn take(&mut self, stream: TcpStream) {
        self.generation = self.generation.wrapping_add(1);
        (self.stream, self.state, self.sent, self.answered) = (Some(stream), State::Connecting, 0, false);
    }

    /// Sends as much as possible now, or one byte if bytes are sent one by one.
    pub fn send(&mut self, settings: &Settings, counts: &mut Counts) -> Step {
        let Some(stream) = self.stream.as_mut() else { return Step::WouldBlock };
        loop {
            let mut bytes = settings.bytes_from(self.sent);
            if bytes.is_empty() {
                return Step::Sent;
            }
            if settings.byte_interval_ms > 0 {
                bytes = &bytes[..1];
            }
            match socket::write(stream, bytes) {
                Transfer::Bytes(written) => {
                    self.sent += written as u64;
                    counts.sent_bytes += written as u64;
                    if settings.byte_interval_ms > 0 {
                        return if settings.bytes_from(self.sent).is_empty() { Step::Sent } else { Step::SentOneByte };
                    }
                }
                Transfer::WouldBlock => return Step::WouldBlock,
                Transfer::Closed => return server_ended(counts, false),
                Transfer::Reset => return server_ended(counts, true),
            }
        }
    }

    /// Reads everything that is available, or one byte.
    pub fn read(&mut self, settings: &Settings, scratch: &mut [u8], counts: &mut Counts) -> Step {
        let Some(stream) = self.stream.as_mut() else { return Step::WouldBlock };
        let all = settings.reads == Reads::All;
        let room = if all { scratch.len() } else { 1 };
        loop {
            match socket::read(stream, &mut scratch[..room]) {
                Transfer::Bytes(read) => {
                    counts.received_bytes += read as u64;
                    if !self.answered {
                        self.answered = true;
                        counts.answered += 1;
                    }
                    if !all {
                        return Step::WouldBlock;
                    }
                }
                Transfer::WouldBlock => return Step::WouldBlock,
                Transfer::Closed => return server_ended(counts, false),
                Transfer::Reset => return server_ended(counts, true),
            }
        }
    }
}

pub fn server_ended(counts: &mut Counts, reset: bool) -> Step {
    if reset {
        counts.reset_by_server += 1;
    } else {
        counts.closed_by_server += 1;
    }
    Step::Ended
}
