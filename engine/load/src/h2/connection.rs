//! One HTTP/2 connection without its socket. Received bytes go in. Bytes to send and the ends of calls come out.

use std::collections::VecDeque;
use std::sync::Arc;

use callbench_kit::{Failure, Kind};

use super::block::Table;
use super::call_spec::CallSpec;
use super::exchange::{Call, Exchange, Stage};
use super::fields::Reader;
use super::frame::{self, Head};
use crate::carrier::Ended;
use crate::hpack;

mod incoming;

/// The window for answers, of each stream and of the connection. It is large because answers are checked while they are received and not stored.
const WINDOW_BYTES: i64 = 1 << 30;
/// The limit of bytes that the server does not read.
const MAX_UNREAD_BYTES: usize = 1 << 30;

/// What the received bytes caused.
#[derive(Debug, Default)]
pub struct Changes {
    /// Calls that have ended, by the index of their client.
    pub ended: Vec<Ended>,
    /// Calls that the server did not process, so another connection can make them.
    pub retry: Vec<(usize, Call)>,
    /// What later requests of a client use, after an answer that had some of it.
    pub taken: Vec<(usize, Vec<Vec<u8>>)>,
}

pub struct Connection {
    spec: Arc<CallSpec>,
    /// Bytes to send.
    out: Vec<u8>,
    sent: usize,
    /// An incomplete frame.
    partial: Vec<u8>,
    fields: Reader,
    /// An incomplete header block, with its stream and whether the stream ends with it.
    block: Vec<u8>,
    block_of: Option<(u32, bool)>,
    /// Whether the server has sent its settings.
    settled: bool,
    table: Table,
    most_streams: u32,
    first_window: i64,
    window: i64,
    /// Received bytes for which no window update has been sent.
    taken: i64,
    next_stream: u32,
    /// One per client.
    exchanges: Vec<Exchange>,
    /// The probable exchange of a stream.
    places: Vec<u32>,
    open: u32,
    /// Calls that wait for a stream, and bodies that wait for a window.
    waiting: VecDeque<usize>,
    unsent: VecDeque<usize>,
    /// Whether the server accepts no new calls.
    goes_away: bool,
    answered: bool,
    receptions: u64,
    filled: Vec<u8>,
    /// By step: the last correct body.
    known: Vec<Vec<u8>>,
}

impl Connection {
    /// The preface and the settings are ready to be sent.
    #[must_use]
    pub fn new(spec: Arc<CallSpec>, clients: usize) -> Self {
        let mut out = frame::PREFACE.to_vec();
        let mut settings = Vec::new();
        for (name, value) in [(frame::ENABLE_PUSH, 0), (frame::INITIAL_WINDOW_SIZE, WINDOW_BYTES as u32)] {
            settings.extend_from_slice(&name.to_be_bytes());
            settings.extend_from_slice(&value.to_be_bytes());
        }
        frame::write(frame::SETTINGS, 0, 0, &settings, &mut out);
        frame::write(frame::WINDOW_UPDATE, 0, 0, &((WINDOW_BYTES - frame::WINDOW) as u32).to_be_bytes(), &mut out);
        let mut fields = Reader::default();
        fields.keep(&spec.wanted);
        Connection {
            table: spec.table(),
            known: vec![Vec::new(); spec.script.steps.len()],
            spec,
            out,
            sent: 0,
            partial: Vec::new(),
            fields,
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
            goes_away: false,
            answered: false,
            receptions: 0,
            filled: Vec::new(),
        }
    }

    /// Whether the server has sent its settings, so that calls can begin.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// The server's limit of simultaneous calls.
    #[must_use]
    pub fn most_streams(&self) -> u32 {
        self.most_streams
    }

    /// Whether new calls can begin on this connection.
    #[must_use]
    pub fn accepts_calls(&self) -> bool {
        !self.goes_away && self.next_stream < frame::LAST_STREAM - 4 * self.exchanges.len() as u32
    }

    /// Whether calls are in flight.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.open > 0 || !self.waiting.is_empty()
    }

    /// Whether this client's call is in flight on this connection.
    #[must_use]
    pub fn has(&self, place: usize) -> bool {
        self.exchanges[place].stage != Stage::Idle
    }

    /// Whether the server has sent nothing since this client's call began.
    #[must_use]
    pub fn is_silent(&self, place: usize) -> bool {
        self.exchanges[place].receptions == self.receptions
    }

    /// The bytes that remain to be sent.
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        &self.out[self.sent..]
    }

    /// Notes how many bytes have been sent.
    pub fn has_sent(&mut self, bytes: usize) {
        self.sent += bytes;
        if self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
        } else if self.sent > 1 << 20 {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Uses this specification for all further calls.
    pub fn use_spec(&mut self, spec: &Arc<CallSpec>) {
        if Arc::ptr_eq(&self.spec, spec) {
            return;
        }
        self.spec = Arc::clone(spec);
        self.known = vec![Vec::new(); spec.script.steps.len()]; // A different answer may be correct from now on.
        self.fields.keep(&spec.wanted);
        // The server's table has the fields of earlier requests. The new fields are added.
        if matches!(self.table, Table::Empty | Table::Filled) {
            self.table = spec.table();
        }
    }

    /// The body of the last answer to a client, if it was to be kept.
    pub fn kept_body(&mut self, place: usize) -> Vec<u8> {
        self.exchanges[place].kept_body()
    }

    /// Begins a call. The request is sent as soon as the server accepts another stream.
    #[inline]
    pub fn begin(&mut self, place: usize, call: Call) {
        self.exchanges[place].begin(call, self.receptions);
        if self.settled && self.open < self.most_streams && self.waiting.is_empty() {
            self.send_request(place);
        } else {
            self.waiting.push_back(place);
        }
    }

    /// Gives up a client's call.
    pub fn cancel(&mut self, place: usize) {
        if self.exchanges[place].is_open() {
            self.reset(place);
        } else {
            self.waiting.retain(|it| *it != place);
        }
        self.close(place);
        self.call_waiting();
    }

    /// The connection is lost: ends every call in flight. If an answer had begun, `why` receives the number of bytes of its body.
    pub fn lost(&mut self, why: &dyn Fn(Option<u64>) -> Failure, changes: &mut Changes) {
        for place in 0..self.exchanges.len() {
            if self.has(place) {
                changes.ended.push((place, Err(why(self.exchanges[place].answered()))));
                self.close(place);
            }
        }
        self.waiting.clear();
    }

    /// Sends a request on a new stream.
    fn send_request(&mut self, place: usize) {
        let stream = self.next_stream;
        self.next_stream += 2;
        self.open += 1;
        let slot = self.slot(stream);
        self.places[slot] = place as u32;
        let exchange = &mut self.exchanges[place];
        (exchange.stage, exchange.stream, exchange.window) = (Stage::Open, stream, self.first_window);
        let request = self.spec.request(&exchange.call);
        let body = request.body(&exchange.call, &mut self.filled);
        request.write_head(stream, self.table, &exchange.call, body.map(<[u8]>::len), &mut self.out);
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

    /// Sends as much of the waiting bodies as the windows allow.
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

    /// Starts calls that wait for a stream.
    fn call_waiting(&mut self) {
        while self.settled && !self.goes_away && self.open < self.most_streams {
            let Some(place) = self.waiting.pop_front() else { return };
            if self.exchanges[place].stage == Stage::Waiting {
                self.send_request(place);
            }
        }
    }

    /// Cancels a stream.
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

    /// The client of a stream.
    #[inline]
    fn place_of(&self, stream: u32) -> Option<usize> {
        let probable = self.places[self.slot(stream)] as usize;
        if self.exchanges[probable].stream == stream {
            return Some(probable);
        }
        // After hundreds of other calls, the entry may have been overwritten by another stream.
        self.exchanges.iter().position(|exchange| exchange.stream == stream)
    }
}

#[cfg(test)]
mod tests;
