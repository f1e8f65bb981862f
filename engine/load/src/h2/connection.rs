//! One connection of HTTP/2 without its socket: octets that have come go in, octets to be sent and ends of calls come out.

use std::collections::VecDeque;
use std::sync::Arc;

use callbench_kit::{Failure, Kind};

use super::asked::Asked;
use super::block::Table;
use super::exchange::{Exchange, Stage};
use super::fields::Reader;
use super::frame::{self, Head};
use crate::carrier::Ended;
use crate::hpack;
use crate::request::Values;

mod incoming;

/// The room that a server has for answers, of a stream and of the connection: they are judged as they come, and kept nowhere.
const ROOM: i64 = 1 << 30;
/// A header block may be so long.
const LONGEST_BLOCK: usize = 64 * 1024;
/// More that a server does not read is not kept for it.
const MOST_UNREAD: usize = 1 << 30;

/// What the octets of a server came to.
#[derive(Debug, Default)]
pub struct News {
    /// Calls that have ended, by the place of their client.
    pub ended: Vec<Ended>,
    /// Calls that the server has not looked at, so that another connection can make them.
    pub again: Vec<(usize, Values)>,
}

pub struct Connection {
    asked: Arc<Asked>,
    /// What is to be sent.
    out: Vec<u8>,
    sent: usize,
    /// A frame of which not all has come.
    held: Vec<u8>,
    fields: Reader,
    /// A header block of which not all has come, with its stream and whether that ends.
    block: Vec<u8>,
    block_of: Option<(u32, bool)>,
    /// Whether the server has said its settings.
    settled: bool,
    table: Table,
    most_streams: u32,
    first_window: i64,
    window: i64,
    /// Octets that have come without their room being given back.
    taken: i64,
    next_stream: u32,
    /// One a client, by its place.
    exchanges: Vec<Exchange>,
    /// Where a stream's exchange probably is.
    places: Vec<u32>,
    open: u32,
    /// Calls that wait for a stream, and bodies that wait for a window.
    waiting: VecDeque<usize>,
    unsent: VecDeque<usize>,
    /// Whether the server takes no new calls.
    leaves: bool,
    answered: bool,
    heard: u64,
    filled: Vec<u8>,
    /// The last right body, where bodies are taken apart.
    known: Vec<u8>,
}

impl Connection {
    /// For so many clients. What it says first waits to be sent.
    #[must_use]
    pub fn new(asked: Arc<Asked>, clients: usize) -> Self {
        let mut out = frame::PREFACE.to_vec();
        let mut settings = Vec::new();
        for (name, value) in [(frame::ENABLE_PUSH, 0), (frame::INITIAL_WINDOW_SIZE, ROOM as u32)] {
            settings.extend_from_slice(&name.to_be_bytes());
            settings.extend_from_slice(&value.to_be_bytes());
        }
        frame::write(frame::SETTINGS, 0, 0, &settings, &mut out);
        frame::write(frame::WINDOW_UPDATE, 0, 0, &((ROOM - frame::WINDOW) as u32).to_be_bytes(), &mut out);
        Connection {
            table: asked.table(),
            asked,
            out,
            sent: 0,
            held: Vec::new(),
            fields: Reader::default(),
            block: Vec::new(),
            block_of: None,
            settled: false,
            most_streams: u32::MAX,
            first_window: frame::WINDOW,
            window: frame::WINDOW,
            taken: 0,
            next_stream: 1,
            exchanges: (0..clients).map(|_| Exchange::default()).collect(),
            places: vec![0; (clients * 2).next_power_of_two()],
            open: 0,
            waiting: VecDeque::new(),
            unsent: VecDeque::new(),
            leaves: false,
            answered: false,
            heard: 0,
            filled: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Whether the server has said its settings, so that calls can begin.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// How many calls the server takes at once.
    #[must_use]
    pub fn most_streams(&self) -> u32 {
        self.most_streams
    }

    /// Whether calls can begin here still.
    #[must_use]
    pub fn takes_calls(&self) -> bool {
        !self.leaves && self.next_stream < frame::LAST_STREAM - 4 * self.exchanges.len() as u32
    }

    /// Whether calls are under way.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.open > 0 || !self.waiting.is_empty()
    }

    /// Whether the call of this client is under way here.
    #[must_use]
    pub fn has(&self, place: usize) -> bool {
        self.exchanges[place].stage != Stage::Idle
    }

    /// Whether the server has said nothing at all since this client's call began.
    #[must_use]
    pub fn is_dumb(&self, place: usize) -> bool {
        self.exchanges[place].heard == self.heard
    }

    /// What is to be sent, and has not been.
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        &self.out[self.sent..]
    }

    /// So much of it has been sent.
    pub fn has_sent(&mut self, octets: usize) {
        self.sent += octets;
        if self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
        } else if self.sent > 1 << 20 {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Makes all further calls by this.
    pub fn go_by(&mut self, asked: &Arc<Asked>) {
        if Arc::ptr_eq(&self.asked, asked) {
            return;
        }
        self.asked = Arc::clone(asked);
        self.known.clear(); // Another answer may be right from now on.
        // The server's table has the fields of other requests; those of the new one come on top.
        if matches!(self.table, Table::Empty | Table::Filled) {
            self.table = asked.table();
        }
    }

    /// The body of the answer to a client's last call, where it was to be kept.
    pub fn kept(&mut self, place: usize) -> Vec<u8> {
        self.exchanges[place].kept()
    }

    /// A client calls; its request is sent when the server has a stream for it.
    #[inline]
    pub fn begin(&mut self, place: usize, values: Values) {
        self.exchanges[place].begin(values, self.heard);
        if self.settled && self.open < self.most_streams && self.waiting.is_empty() {
            self.launch(place, values);
        } else {
            self.waiting.push_back(place);
        }
    }

    /// A client's call is given up.
    pub fn cancel(&mut self, place: usize) {
        if self.exchanges[place].is_open() {
            self.reset(place);
        } else {
            self.waiting.retain(|it| *it != place);
        }
        self.close(place);
        self.call_waiting();
    }

    /// The connection is gone: ends every call that is under way. `why` is told how much of the body had come, where an answer had begun.
    pub fn lost(&mut self, why: &dyn Fn(Option<u64>) -> Failure, news: &mut News) {
        for place in 0..self.exchanges.len() {
            if self.has(place) {
                news.ended.push((place, Err(why(self.exchanges[place].answered()))));
                self.close(place);
            }
        }
        self.waiting.clear();
    }

    /// Sends a request on a stream of its own.
    fn launch(&mut self, place: usize, values: Values) {
        let stream = self.next_stream;
        self.next_stream += 2;
        self.open += 1;
        let slot = self.slot(stream);
        self.places[slot] = place as u32;
        let exchange = &mut self.exchanges[place];
        (exchange.stage, exchange.stream, exchange.window) = (Stage::Open(values), stream, self.first_window);
        let body = self.asked.body(&values, &mut self.filled);
        self.asked.write_head(stream, self.table, &values, body.map(<[u8]>::len), &mut self.out);
        self.table = self.table.after_a_request();
        let Some(body) = body else { return };
        let length = body.len() as i64;
        if body.len() <= frame::MOST && length <= self.window && length <= exchange.window {
            frame::write(frame::DATA, frame::END_STREAM, stream, body, &mut self.out);
            self.window -= length;
            return;
        }
        exchange.body.extend_from_slice(body);
        self.unsent.push_back(place);
        self.send_bodies();
    }

    /// Sends of the bodies that wait what the windows let through.
    fn send_bodies(&mut self) {
        for _ in 0..self.unsent.len() {
            let Some(place) = self.unsent.pop_front() else { return };
            let exchange = &mut self.exchanges[place];
            while exchange.is_open() && exchange.sent < exchange.body.len() {
                let room = self.window.min(exchange.window).min(frame::MOST as i64).max(0) as usize;
                let part = &exchange.body[exchange.sent..];
                let part = &part[..part.len().min(room)];
                if part.is_empty() {
                    self.unsent.push_back(place);
                    break;
                }
                exchange.sent += part.len();
                let ends = if exchange.sent == exchange.body.len() { frame::END_STREAM } else { 0 };
                frame::write(frame::DATA, ends, exchange.stream, part, &mut self.out);
                self.window -= part.len() as i64;
                exchange.window -= part.len() as i64;
            }
        }
    }

    /// Lets calls begin that wait for a stream.
    fn call_waiting(&mut self) {
        while self.settled && !self.leaves && self.open < self.most_streams {
            let Some(place) = self.waiting.pop_front() else { return };
            if let Stage::Waiting(values) = self.exchanges[place].stage {
                self.launch(place, values);
            }
        }
    }

    /// Tells the server that a stream is of no interest any more.
    fn reset(&mut self, place: usize) {
        let stream = self.exchanges[place].stream;
        frame::write(frame::RST_STREAM, 0, stream, &frame::CANCEL.to_be_bytes(), &mut self.out);
    }

    fn close(&mut self, place: usize) {
        let exchange = &mut self.exchanges[place];
        if exchange.is_open() {
            self.open -= 1;
        }
        (exchange.stage, exchange.stream) = (Stage::Idle, 0);
        if !self.unsent.is_empty() {
            self.unsent.retain(|it| *it != place);
        }
    }

    fn slot(&self, stream: u32) -> usize {
        (stream >> 1) as usize & (self.places.len() - 1)
    }

    /// Whose stream it is.
    #[inline]
    fn place_of(&self, stream: u32) -> Option<usize> {
        let probable = self.places[self.slot(stream)] as usize;
        if self.exchanges[probable].stream == stream {
            return Some(probable);
        }
        // A call that lasts while hundreds of others end has lost its slot to one of them.
        self.exchanges.iter().position(|exchange| exchange.stream == stream)
    }
}

#[cfg(test)]
mod tests;
