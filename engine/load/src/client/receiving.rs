//! A client's answer: it is read, taken apart and judged.

use callbench_kit::{Failure, Kind, clock};

use super::{CallSpec, Client, Reader, Seen};
use crate::answer::Progress;
use crate::events::{Event, Events, READS_A_TURN};
use crate::request::Request;
use crate::script::{Step, take};

/// A delayed acknowledgement takes 40 ms on Linux (`TCP_DELACK_MIN`). It is counted from the piece before, which was read a moment later.
const HELD_BACK_NS: u64 = 37_000_000;
/// Of an answer that was held back, so that no further pause of it counts.
const COUNTED: u64 = u64::MAX;
/// A longer correct answer is not remembered.
const MAX_RIGHT_BYTES: usize = 4096;

impl Client {
    pub(super) fn receive(&mut self, event: Event, spec: &CallSpec, reader: &mut Reader) -> Result<Option<()>, Failure> {
        let token = self.token();
        let unsent = self.is_unsent(spec.request(&self.cursor));
        let Some(wire) = self.wire.as_mut() else { return Ok(None) };
        let (step, settings) = (&spec.script.steps[self.cursor.step], &spec.settings);
        let bodiless = step.requests[self.cursor.request].bodiless;
        for _ in 0..READS_A_TURN {
            let read = match wire.read(reader.scratch) {
                Ok(None) => return Ok(None),
                Ok(Some(read)) => read,
                // What this side still sent made the server reset the connection, behind its answer.
                Err(_) if self.answer.ended() && unsent => 0,
                Err(failure) => return Err(self.broken.take().unwrap_or(failure)),
            };
            if read == 0 && self.kept && !self.answer.begun {
                return self.closed_unsaid(spec, reader.events);
            }
            if read == 0 {
                return self.closed(step, reader.seen).map(Some);
            }
            let piece = &reader.scratch[..read];
            self.received += read as u64;
            let begins = !self.answer.begun;
            if begins && reader.seen.right == piece && !event.ended() {
                return Ok(Some(()));
            }
            if is_late(self.piece_at) {
                (self.held_back, self.piece_at) = (self.held_back + 1, COUNTED);
            }
            let progress = self.answer.take(piece, &step.expected, bodiless, settings.limits)?;
            if let Progress::Complete { left } = progress {
                if left > 0 {
                    return Err(Failure::protocol(format!("{left} bytes follow the end of the answer: its length is wrong")));
                }
                self.answer.closes |= event.ended();
                self.judge(step, reader.seen)?;
                if begins && !self.answer.closes && !step.expected.keep_body && step.takes.is_empty() && read <= MAX_RIGHT_BYTES {
                    reader.seen.right.clear();
                    reader.seen.right.extend_from_slice(piece);
                }
                return Ok(Some(()));
            }
            if self.piece_at < COUNTED {
                self.piece_at = clock::now();
            }
            if read < reader.scratch.len() && wire.short_reads_empty() && !event.ended() {
                return Ok(None);
            }
        }
        reader.events.watch_again(wire, token)?;
        Ok(None)
    }

    /// A whole answer: whether it is right, with the values that later requests use.
    fn judge(&mut self, step: &Step<Request>, seen: &mut Seen) -> Result<(), Failure> {
        self.answer.judge(&step.expected, &mut seen.known)?;
        if step.takes.is_empty() {
            return Ok(());
        }
        let (fields, body) = self.answer.taken();
        take::take(&step.takes, &step.expected.fields, fields, body, &mut self.cursor.values)
    }

    /// The server has closed a kept connection before the first byte of an answer. It may have done so before the request arrived, so a request that
    /// may be made twice is sent once more, on a new connection (RFC 9112, 9.3.1). Its time goes on.
    #[cold]
    fn closed_unsaid(&mut self, spec: &CallSpec, events: &Events) -> Result<Option<()>, Failure> {
        if !spec.request(&self.cursor).idempotent {
            let why = "the server closed a kept connection instead of an answer, and this method is not sent twice: let the server keep idle \
                       connections for longer, or open one for each call (--no-keep-alive)";
            return Err(Failure::new(Kind::Closed, why));
        }
        self.sent_again += 1;
        self.sent = 0;
        self.broken = None;
        self.answer.begin();
        self.close();
        self.connect(&spec.settings, events)?;
        Ok(None)
    }

    /// The server has closed the connection.
    fn closed(&mut self, step: &Step<Request>, seen: &mut Seen) -> Result<(), Failure> {
        if self.answer.ended() {
            return self.judge(step, seen);
        }
        Err(if self.answer.begun {
            Failure::new(
                Kind::Cut,
                format!("the server closed the connection in the middle of its answer, after {} bytes of its body", self.answer.bytes()),
            )
        } else {
            let closed = || Failure::new(Kind::Closed, "the server closed the connection instead of an answer");
            self.broken.take().unwrap_or_else(closed)
        })
    }
}

/// Whether a further piece comes long after the one at `before`; not if there was none, or its answer is counted already.
fn is_late(before: u64) -> bool {
    (1..COUNTED).contains(&before) && clock::now().saturating_sub(before) >= HELD_BACK_NS
}
