//! Handles the frames that a server sends.

use super::{Changes, Connection, Failure, Head, Kind, MAX_UNREAD_BYTES, Stage, Table, WINDOW_BYTES, frame, hpack};

const NO_HTTP2: &str = "the answer of the server is not HTTP/2: it may speak HTTP/1.1 only; leave out --http2 and --grpc";

impl Connection {
    /// Handles the next bytes from the server.
    ///
    /// An error concerns the whole connection.
    pub fn take(&mut self, mut piece: &[u8], changes: &mut Changes) -> Result<(), Failure> {
        self.receptions += 1;
        while !piece.is_empty() {
            if !self.partial.is_empty() {
                piece = self.complete(piece, changes)?;
                continue;
            }
            match Head::read(piece) {
                Some(head) if piece.len() >= self.checked(head)? => {
                    let (payload, rest) = piece[frame::HEAD..].split_at(head.length);
                    self.frame(head, payload, changes)?;
                    piece = rest;
                }
                _ => {
                    self.partial.extend_from_slice(piece);
                    break;
                }
            }
        }
        if self.out.len() > MAX_UNREAD_BYTES {
            Err(Failure::protocol("the server sends requests for answers, but reads nothing"))
        } else {
            Ok(())
        }
    }

    /// Completes a partial frame. Returns the rest of the piece.
    fn complete<'p>(&mut self, piece: &'p [u8], changes: &mut Changes) -> Result<&'p [u8], Failure> {
        let whole = Head::read(&self.partial).map_or(frame::HEAD, |head| frame::HEAD + head.length);
        let (used, rest) = piece.split_at((whole - self.partial.len()).min(piece.len()));
        self.partial.extend_from_slice(used);
        if let Some(head) = Head::read(&self.partial)
            && self.checked(head)? == self.partial.len()
        {
            let mut partial = std::mem::take(&mut self.partial);
            self.frame(head, &partial[frame::HEAD..], changes)?;
            partial.clear();
            self.partial = partial;
        }
        Ok(rest)
    }

    /// The length of the frame including its head. Fails if the frame is too long.
    fn checked(&self, head: Head) -> Result<usize, Failure> {
        if head.length <= frame::MOST {
            return Ok(frame::HEAD + head.length);
        }
        Err(Failure::protocol(if self.settled {
            format!("the server sends a frame of {} bytes, the limit is {}", head.length, frame::MOST)
        } else {
            NO_HTTP2.to_owned()
        }))
    }

    /// Whether this frame may occur now.
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
        if wrong { Err(Failure::protocol(format!("the server sends a frame for the wrong stream {}", head.stream))) } else { Ok(()) }
    }

    fn frame(&mut self, head: Head, payload: &[u8], changes: &mut Changes) -> Result<(), Failure> {
        self.allowed(head)?;
        match head.kind {
            frame::DATA => self.data(head, payload, changes),
            frame::HEADERS => {
                let part = frame::unwrapped(head, payload)?;
                let ends = head.has(frame::END_STREAM);
                if head.has(frame::END_HEADERS) {
                    return self.headers(head.stream, ends, part, changes);
                }
                self.block.clear();
                self.block_of = Some((head.stream, ends));
                self.hold_block(part)
            }
            frame::CONTINUATION => self.continuation(head, payload, changes),
            frame::RST_STREAM => {
                self.is_reset(head.stream, frame::number(payload)?, changes);
                Ok(())
            }
            frame::SETTINGS if head.has(frame::ACK) => Ok(()),
            frame::SETTINGS => self.settings(payload),
            frame::PUSH_PROMISE => Err(Failure::protocol("the server pushes an answer without a request")),
            frame::PING if payload.len() != 8 => Err(Failure::protocol("a PING of the server has a wrong length")),
            frame::PING => {
                if !head.has(frame::ACK) {
                    frame::write(frame::PING, frame::ACK, 0, payload, &mut self.out);
                }
                Ok(())
            }
            frame::GOAWAY => self.handle_goaway(payload, changes),
            frame::WINDOW_UPDATE => self.window_grows(head.stream, frame::number(payload)?),
            _ => Ok(()), // Unknown frames are ignored.
        }
    }

    #[inline]
    fn data(&mut self, head: Head, payload: &[u8], changes: &mut Changes) -> Result<(), Failure> {
        if overflows(0, &mut self.taken, head.length, &mut self.out) {
            return Err(overflown());
        }
        let piece = frame::unwrapped(head, payload)?;
        let Some(place) = self.place_of(head.stream) else { return Ok(()) }; // The call was given up.
        let exchange = &mut self.exchanges[place];
        if let Err(failure) = exchange.data(piece, &self.spec) {
            self.fail(place, failure, changes);
        } else if head.has(frame::END_STREAM) {
            self.finish(place, changes);
        } else if overflows(head.stream, &mut exchange.taken, head.length, &mut self.out) {
            return Err(overflown());
        }
        Ok(())
    }

    fn continuation(&mut self, head: Head, payload: &[u8], changes: &mut Changes) -> Result<(), Failure> {
        let Some((stream, ends)) = self.block_of else {
            return Err(Failure::protocol("the server continues a header block that it has not begun"));
        };
        self.hold_block(payload)?;
        if !head.has(frame::END_HEADERS) {
            return Ok(());
        }
        self.block_of = None;
        let block = std::mem::take(&mut self.block);
        self.headers(stream, ends, &block, changes)?;
        self.block = block;
        Ok(())
    }

    fn hold_block(&mut self, part: &[u8]) -> Result<(), Failure> {
        self.spec.settings.limits.check_head(self.block.len() + part.len(), "header block")?;
        self.block.extend_from_slice(part);
        Ok(())
    }

    /// Handles a complete header block. It must always be decoded, because later blocks depend on it.
    fn headers(&mut self, stream: u32, ends: bool, block: &[u8], changes: &mut Changes) -> Result<(), Failure> {
        let place = self.place_of(stream);
        let fields = self.fields.read(block)?;
        let Some(place) = place else { return Ok(()) };
        if let Err(failure) = self.exchanges[place].headers(fields, ends, &self.spec) {
            self.fail(place, failure, changes);
        } else if ends {
            self.finish(place, changes);
        }
        Ok(())
    }

    /// The answer is complete.
    #[inline]
    fn finish(&mut self, place: usize, changes: &mut Changes) {
        let exchange = &mut self.exchanges[place];
        let result = exchange.judge(&self.spec, &mut self.known[exchange.call.step]);
        if result.is_ok() && !self.spec.step(&exchange.call).takes.is_empty() {
            changes.taken.push((place, std::mem::take(&mut exchange.call.taken)));
        }
        if exchange.sent < exchange.body.len() {
            self.reset(place); // The server answered before it had received the whole request.
        }
        self.answered = true;
        self.end(place, result, changes);
    }

    /// A call fails, but the connection can still be used.
    fn fail(&mut self, place: usize, failure: Failure, changes: &mut Changes) {
        self.reset(place);
        self.end(place, Err(failure), changes);
    }

    fn end(&mut self, place: usize, result: Result<(), Failure>, changes: &mut Changes) {
        self.close(place);
        changes.ended.push((place, result));
        if !self.waiting.is_empty() {
            self.call_waiting();
        }
    }

    fn is_reset(&mut self, stream: u32, code: u32, changes: &mut Changes) {
        if let Some(place) = self.place_of(stream) {
            let why = format!("the server reset the stream of the call: {}", frame::code_name(code));
            self.end(place, Err(Failure::new(Kind::Reset, why)), changes);
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
                    self.table = Table::JustDisabled;
                }
                frame::MAX_CONCURRENT_STREAMS => self.most_streams = value,
                frame::INITIAL_WINDOW_SIZE => self.windows_begin_with(i64::from(value))?,
                frame::MAX_FRAME_SIZE if !(frame::MOST as u32..1 << 24).contains(&value) => {
                    return Err(Failure::protocol("the server sets an invalid frame size"));
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
            return Err(Failure::protocol("the server enlarges a window by 0"));
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

    /// The server accepts no new calls. Another connection can make the calls that it did not process.
    fn handle_goaway(&mut self, payload: &[u8], changes: &mut Changes) -> Result<(), Failure> {
        let ([last, code, ..], _) = payload.as_chunks::<4>() else {
            return Err(Failure::protocol("the server sends GOAWAY without a reason"));
        };
        let (last, code) = (u32::from_be_bytes(*last) & frame::LAST_STREAM, u32::from_be_bytes(*code));
        self.goes_away = true;
        for place in 0..self.exchanges.len() {
            let exchange = &self.exchanges[place];
            if exchange.stage == Stage::Idle || exchange.is_open() && exchange.stream <= last {
                continue;
            }
            let call = self.exchanges[place].call.clone();
            self.close(place);
            // Otherwise, a server that never answers would cause endless retries.
            if code == frame::NO_ERROR && self.answered {
                changes.retry.push((place, call));
            } else {
                let why = format!("the server accepts no more calls on this connection: {}", frame::code_name(code));
                changes.ended.push((place, Err(Failure::new(Kind::Closed, why))));
            }
        }
        self.waiting.clear();
        Ok(())
    }
}

/// Counts received bytes, and sends a window update when half of the window is used. Returns whether the server exceeded the window.
fn overflows(stream: u32, taken: &mut i64, more: usize, out: &mut Vec<u8>) -> bool {
    *taken += more as i64;
    if *taken > WINDOW_BYTES {
        return true;
    }
    if *taken > WINDOW_BYTES / 2 {
        frame::write(frame::WINDOW_UPDATE, 0, stream, &(*taken as u32).to_be_bytes(), out);
        *taken = 0;
    }
    false
}

fn overflown() -> Failure {
    Failure::protocol("the server sends more than its window allows")
}

fn too_large() -> Failure {
    Failure::protocol("the server makes a window larger than allowed")
}
