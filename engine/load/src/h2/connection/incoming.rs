//! The frames that a server sends.

use super::{Connection, Failure, Head, Kind, LONGEST_BLOCK, MOST_UNREAD, News, ROOM, Stage, Table, frame, hpack};

const NO_HTTP2: &str = "what the server says is no HTTP/2: it may speak HTTP/1.1 only; ask it without --http2 or --grpc";

impl Connection {
    /// Takes the next octets of the server.
    ///
    /// A failure is one of the whole connection.
    pub fn take(&mut self, mut piece: &[u8], news: &mut News) -> Result<(), Failure> {
        self.heard += 1;
        while !piece.is_empty() {
            if !self.held.is_empty() {
                piece = self.complete(piece, news)?;
                continue;
            }
            match Head::read(piece) {
                Some(head) if piece.len() >= self.checked(head)? => {
                    let (payload, rest) = piece[frame::HEAD..].split_at(head.length);
                    self.frame(head, payload, news)?;
                    piece = rest;
                }
                _ => {
                    self.held.extend_from_slice(piece);
                    break;
                }
            }
        }
        if self.out.len() > MOST_UNREAD { Err(Failure::protocol("the server asks on and on, and reads nothing")) } else { Ok(()) }
    }

    /// Goes on with a frame of which not all had come; gives what is left of the piece.
    fn complete<'p>(&mut self, piece: &'p [u8], news: &mut News) -> Result<&'p [u8], Failure> {
        let whole = Head::read(&self.held).map_or(frame::HEAD, |head| frame::HEAD + head.length);
        let (used, rest) = piece.split_at((whole - self.held.len()).min(piece.len()));
        self.held.extend_from_slice(used);
        if let Some(head) = Head::read(&self.held)
            && self.checked(head)? == self.held.len()
        {
            let mut held = std::mem::take(&mut self.held);
            self.frame(head, &held[frame::HEAD..], news)?;
            held.clear();
            self.held = held;
        }
        Ok(rest)
    }

    /// The length of a whole frame with its head, where one so long may come.
    fn checked(&self, head: Head) -> Result<usize, Failure> {
        if head.length <= frame::MOST {
            return Ok(frame::HEAD + head.length);
        }
        Err(Failure::protocol(if self.settled {
            format!("the server sends a frame of {} octets, and no more than {} were allowed", head.length, frame::MOST)
        } else {
            NO_HTTP2.to_owned()
        }))
    }

    /// Whether a frame may come now.
    fn allowed(&self, head: Head) -> Result<(), Failure> {
        if !self.settled && (head.kind != frame::SETTINGS || head.has(frame::ACK)) {
            return Err(Failure::protocol(NO_HTTP2));
        }
        if self.block_of.is_some_and(|(stream, _)| head.kind != frame::CONTINUATION || head.stream != stream) {
            return Err(Failure::protocol("the server interrupts a header block with another frame"));
        }
        let unopened = head.stream & 1 == 0 || head.stream >= self.next_stream;
        let wrong = match head.kind {
            frame::DATA | frame::HEADERS | frame::RST_STREAM | frame::CONTINUATION => unopened,
            frame::SETTINGS | frame::PING | frame::GOAWAY => head.stream != 0,
            _ => false,
        };
        if wrong { Err(Failure::protocol(format!("the server sends a frame of the wrong stream {}", head.stream))) } else { Ok(()) }
    }

    fn frame(&mut self, head: Head, payload: &[u8], news: &mut News) -> Result<(), Failure> {
        self.allowed(head)?;
        match head.kind {
            frame::DATA => self.data(head, payload, news),
            frame::HEADERS => {
                let part = frame::unwrapped(head, payload)?;
                let ends = head.has(frame::END_STREAM);
                if head.has(frame::END_HEADERS) {
                    return self.headers(head.stream, ends, part, news);
                }
                self.block.clear();
                self.block_of = Some((head.stream, ends));
                self.hold_block(part)
            }
            frame::CONTINUATION => self.continuation(head, payload, news),
            frame::RST_STREAM => {
                self.is_reset(head.stream, frame::number(payload)?, news);
                Ok(())
            }
            frame::SETTINGS if head.has(frame::ACK) => Ok(()),
            frame::SETTINGS => self.settings(payload),
            frame::PUSH_PROMISE => Err(Failure::protocol("the server pushes what nobody asked for")),
            frame::PING if payload.len() != 8 => Err(Failure::protocol("a PING of the server has a wrong length")),
            frame::PING => {
                if !head.has(frame::ACK) {
                    frame::write(frame::PING, frame::ACK, 0, payload, &mut self.out);
                }
                Ok(())
            }
            frame::GOAWAY => self.goes_away(payload, news),
            frame::WINDOW_UPDATE => self.window_grows(head.stream, frame::number(payload)?),
            _ => Ok(()), // Others are extensions, to be ignored.
        }
    }

    #[inline]
    fn data(&mut self, head: Head, payload: &[u8], news: &mut News) -> Result<(), Failure> {
        if overflows(0, &mut self.taken, head.length, &mut self.out) {
            return Err(overflown());
        }
        let piece = frame::unwrapped(head, payload)?;
        let Some(place) = self.place_of(head.stream) else { return Ok(()) }; // Of a call that was given up.
        let exchange = &mut self.exchanges[place];
        if let Err(failure) = exchange.data(piece, &self.asked) {
            self.fail(place, failure, news);
        } else if head.has(frame::END_STREAM) {
            self.finish(place, news);
        } else if overflows(head.stream, &mut exchange.taken, head.length, &mut self.out) {
            return Err(overflown());
        }
        Ok(())
    }

    fn continuation(&mut self, head: Head, payload: &[u8], news: &mut News) -> Result<(), Failure> {
        let Some((stream, ends)) = self.block_of else {
            return Err(Failure::protocol("the server goes on with a header block that it has not begun"));
        };
        self.hold_block(payload)?;
        if !head.has(frame::END_HEADERS) {
            return Ok(());
        }
        self.block_of = None;
        let block = std::mem::take(&mut self.block);
        self.headers(stream, ends, &block, news)?;
        self.block = block;
        Ok(())
    }

    fn hold_block(&mut self, part: &[u8]) -> Result<(), Failure> {
        if self.block.len() + part.len() > LONGEST_BLOCK {
            return Err(Failure::protocol(format!("a header block of the answer is longer than {LONGEST_BLOCK} octets")));
        }
        self.block.extend_from_slice(part);
        Ok(())
    }

    /// A whole header block. It is read whoever it is for: the next ones depend on it.
    fn headers(&mut self, stream: u32, ends: bool, block: &[u8], news: &mut News) -> Result<(), Failure> {
        let place = self.place_of(stream);
        let fields = self.fields.read(block)?;
        let Some(place) = place else { return Ok(()) };
        if let Err(failure) = self.exchanges[place].headers(fields, ends, &self.asked) {
            self.fail(place, failure, news);
        } else if ends {
            self.finish(place, news);
        }
        Ok(())
    }

    /// An answer is whole.
    #[inline]
    fn finish(&mut self, place: usize, news: &mut News) {
        let exchange = &mut self.exchanges[place];
        let result = exchange.judged(&self.asked, &mut self.known);
        if exchange.sent < exchange.body.len() {
            self.reset(place); // The server has answered before it had the whole request.
        }
        self.answered = true;
        self.end(place, result, news);
    }

    /// A call goes wrong, and the connection with it does not.
    fn fail(&mut self, place: usize, failure: Failure, news: &mut News) {
        self.reset(place);
        self.end(place, Err(failure), news);
    }

    fn end(&mut self, place: usize, result: Result<(), Failure>, news: &mut News) {
        self.close(place);
        news.ended.push((place, result));
        if !self.waiting.is_empty() {
            self.call_waiting();
        }
    }

    fn is_reset(&mut self, stream: u32, code: u32, news: &mut News) {
        if let Some(place) = self.place_of(stream) {
            let why = format!("the server reset the stream of the call: {}", frame::code_name(code));
            self.end(place, Err(Failure::new(Kind::Reset, why)), news);
        }
    }

    fn settings(&mut self, payload: &[u8]) -> Result<(), Failure> {
        let (all, []) = payload.as_chunks::<6>() else {
            return Err(Failure::protocol("the settings of the server have a wrong length"));
        };
        for [a, b, value @ ..] in all {
            let value = u32::from_be_bytes(*value);
            match u16::from_be_bytes([*a, *b]) {
                frame::HEADER_TABLE_SIZE if (value as usize) < hpack::SIZE && self.table != Table::Unused => {
                    self.table = Table::TakenAway;
                }
                frame::MAX_CONCURRENT_STREAMS => self.most_streams = value,
                frame::INITIAL_WINDOW_SIZE => self.windows_begin_with(i64::from(value))?,
                frame::MAX_FRAME_SIZE if !(frame::MOST as u32..1 << 24).contains(&value) => {
                    return Err(Failure::protocol("the server allows frames of no possible size"));
                }
                _ => {}
            }
        }
        frame::write(frame::SETTINGS, frame::ACK, 0, &[], &mut self.out);
        self.settled = true;
        self.send_bodies();
        self.call_waiting();
        Ok(())
    }

    fn windows_begin_with(&mut self, size: i64) -> Result<(), Failure> {
        let more = size - self.first_window;
        self.first_window = size;
        let mut fits = size <= frame::LARGEST_WINDOW;
        for exchange in self.exchanges.iter_mut().filter(|it| it.is_open()) {
            exchange.window += more;
            fits &= exchange.window <= frame::LARGEST_WINDOW;
        }
        if fits { Ok(()) } else { Err(too_large()) }
    }

    fn window_grows(&mut self, stream: u32, more: u32) -> Result<(), Failure> {
        let more = i64::from(more & frame::LAST_STREAM);
        if more == 0 {
            return Err(Failure::protocol("the server makes a window larger by nothing"));
        }
        let window = match stream {
            0 => &mut self.window,
            _ => match self.place_of(stream) {
                Some(place) => &mut self.exchanges[place].window,
                None => return Ok(()),
            },
        };
        *window += more;
        if *window > frame::LARGEST_WINDOW {
            return Err(too_large());
        }
        self.send_bodies();
        Ok(())
    }

    /// The server takes no new calls. What it has not looked at, another connection can make.
    fn goes_away(&mut self, payload: &[u8], news: &mut News) -> Result<(), Failure> {
        let ([last, code, ..], _) = payload.as_chunks::<4>() else {
            return Err(Failure::protocol("the server goes away without saying why"));
        };
        let (last, code) = (u32::from_be_bytes(*last) & frame::LAST_STREAM, u32::from_be_bytes(*code));
        self.leaves = true;
        for place in 0..self.exchanges.len() {
            let exchange = &self.exchanges[place];
            let (Stage::Waiting(values) | Stage::Open(values)) = exchange.stage else { continue };
            if exchange.is_open() && exchange.stream <= last {
                continue;
            }
            self.close(place);
            // A server that answers nothing at all would be asked for ever.
            if code == frame::NO_ERROR && self.answered {
                news.again.push((place, values));
            } else {
                let why = format!("the server takes no calls on this connection any more: {}", frame::code_name(code));
                news.ended.push((place, Err(Failure::new(Kind::Closed, why))));
            }
        }
        self.waiting.clear();
        Ok(())
    }
}

/// Counts octets that have come, and gives their room back when half of it is used; whether more have come than there was room for.
fn overflows(stream: u32, taken: &mut i64, more: usize, out: &mut Vec<u8>) -> bool {
    *taken += more as i64;
    if *taken > ROOM {
        return true;
    }
    if *taken > ROOM / 2 {
        frame::write(frame::WINDOW_UPDATE, 0, stream, &(*taken as u32).to_be_bytes(), out);
        *taken = 0;
    }
    false
}

fn overflown() -> Failure {
    Failure::protocol("the server sends more than its window allows")
}

fn too_large() -> Failure {
    Failure::protocol("the server makes a window larger than windows can be")
}
