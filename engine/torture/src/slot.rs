//! One place for a connection, and what the one that is there does.

use std::net::TcpStream;

use crate::socket::{self, Moved};
use crate::tally::Tally;
use crate::wish::{Reads, Wish};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// There is no connection.
    Nothing,
    Connecting,
    Sending,
    /// All is sent; it is held.
    Holding,
}

/// How a step left the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It goes on with the next event.
    Waits,
    /// One octet has been sent, and the next is not due yet.
    Drips,
    /// The last octet has been sent, or there was none.
    Sent,
    /// The server ended it.
    Ended,
}

#[derive(Debug)]
pub struct Slot {
    pub stream: Option<TcpStream>,
    pub doing: Doing,
    /// Counts the connections that were here, so that what concerns one that is gone is known as such.
    pub generation: u32,
    sent: u64,
    answered: bool,
}

impl Slot {
    pub fn new() -> Self {
        Slot { stream: None, doing: Doing::Nothing, generation: 0, sent: 0, answered: false }
    }

    pub fn take(&mut self, stream: TcpStream) {
        self.generation = self.generation.wrapping_add(1);
        (self.stream, self.doing, self.sent, self.answered) = (Some(stream), Doing::Connecting, 0, false);
    }

    /// Sends what goes now; an octet only where they are to drip.
    pub fn send(&mut self, wish: &Wish, tally: &mut Tally) -> Step {
        let Some(stream) = self.stream.as_mut() else { return Step::Waits };
        loop {
            let mut octets = wish.from(self.sent);
            if octets.is_empty() {
                return Step::Sent;
            }
            if wish.drip_ms > 0 {
                octets = &octets[..1];
            }
            match socket::written(stream, octets) {
                Moved::Octets(written) => {
                    self.sent += written as u64;
                    tally.sent_bytes += written as u64;
                    if wish.drip_ms > 0 {
                        return if wish.from(self.sent).is_empty() { Step::Sent } else { Step::Drips };
                    }
                }
                Moved::Later => return Step::Waits,
                Moved::Closed => return server_ended(tally, false),
                Moved::Reset => return server_ended(tally, true),
            }
        }
    }

    /// Reads what there is, all of it or one octet.
    pub fn read(&mut self, wish: &Wish, scratch: &mut [u8], tally: &mut Tally) -> Step {
        let Some(stream) = self.stream.as_mut() else { return Step::Waits };
        let all = wish.reads == Reads::All;
        let room = if all { scratch.len() } else { 1 };
        loop {
            match socket::read(stream, &mut scratch[..room]) {
                Moved::Octets(read) => {
                    tally.received_bytes += read as u64;
                    if !self.answered {
                        self.answered = true;
                        tally.answered += 1;
                    }
                    if !all {
                        return Step::Waits;
                    }
                }
                Moved::Later => return Step::Waits,
                Moved::Closed => return server_ended(tally, false),
                Moved::Reset => return server_ended(tally, true),
            }
        }
    }
}

pub fn server_ended(tally: &mut Tally, reset: bool) -> Step {
    if reset {
        tally.reset_by_server += 1;
    } else {
        tally.closed_by_server += 1;
    }
    Step::Ended
}
