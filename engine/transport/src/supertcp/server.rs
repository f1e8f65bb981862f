//! The server's side of `supertcp`: a thread a connection, which answers in order and holds each answer until it is acknowledged.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use callbench_contract::{Failure, Kind as FailureKind};
use nix::sys::socket::{setsockopt, sockopt};

use super::super::Handler;
use super::super::acceptor::Ending;
use super::super::line::{Patience, too_large};
use super::super::stream::Socket;
use super::Settings;
use super::inbox::Inbox;
use super::outbox::{Outbox, Shared, lock};
use super::package::{GREETING, Header, Kind, acknowledged};

/// A client that has not even pinged for so long is gone.
const SILENCE: Duration = Duration::from_secs(60);
/// Answers held at most: a client that acknowledges nothing must not fill the server's memory.
const HELD: usize = 4096;

struct Held {
    id: u32,
    sent: Instant,
    body: Vec<u8>,
}

struct Host<'a> {
    handler: &'a dyn Handler,
    settings: Settings,
    inbox: Inbox,
    outbox: Shared,
    wants: bool,
    /// The highest id answered. Requests come in order, so that a lower one has come before.
    last: Option<u32>,
    held: VecDeque<Held>,
    held_bytes: usize,
    spare: Vec<u8>,
}

/// Plays one connection, to its end.
pub fn host(socket: &Arc<OwnedFd>, handler: &dyn Handler, settings: Settings, ending: &Ending) -> Result<(), Failure> {
    let tick = settings.resend.div_f32(2.0).clamp(Duration::from_millis(1), Duration::from_secs(1));
    setsockopt(socket, sockopt::TcpNoDelay, &true).map_err(std::io::Error::from)?;
    let time = libc::timeval { tv_sec: tick.as_secs() as libc::time_t, tv_usec: libc::suseconds_t::from(tick.subsec_micros()) };
    setsockopt(socket, sockopt::ReceiveTimeout, &time.into()).map_err(std::io::Error::from)?;
    let outbox = Outbox::open(Socket(Arc::clone(socket)), Duration::ZERO, false)?;
    let inbox = Inbox::new(Socket(Arc::clone(socket)), settings.limit);
    let (held, spare) = (VecDeque::new(), Vec::new());
    let mut host = Host { handler, settings, inbox, outbox, wants: false, last: None, held, held_bytes: 0, spare };
    let ended = host.greet().and_then(|()| host.answer_all(ending));
    match &ended {
        Err(failure) if failure.kind == FailureKind::TooLarge => host.turn_away(&failure.message),
        _ => {}
    }
    ended
}

impl Host<'_> {
    fn next(&mut self) -> Result<Header, Failure> {
        let mut heard: Option<Instant> = None;
        loop {
            if let Some(header) = self.inbox.take()? {
                return Ok(header);
            }
            if !self.inbox.read()? {
                let now = Instant::now();
                if now - *heard.get_or_insert(now) > SILENCE {
                    return Err(Failure::new(FailureKind::Closed, "the client has been silent for too long"));
                }
                self.send_again(now)?;
            }
        }
    }

    fn send(&self, kind: Kind, wants: bool, id: u32, body: &[u8]) -> Result<(), Failure> {
        lock(&self.outbox).send(kind, wants, id, body, &mut Patience::endless())
    }

    fn greet(&mut self) -> Result<(), Failure> {
        let header = self.next()?;
        let guid = self.inbox.body().strip_prefix(GREETING).and_then(|guid| guid.first_chunk::<16>());
        let Some(guid) = guid.filter(|_| header.kind == Kind::Hello && header.length == GREETING.len() + 16) else {
            return Err(Failure::protocol("the first package is no greeting"));
        };
        let welcome = [&guid[..], &(self.settings.limit as u64).to_le_bytes()].concat();
        self.wants = header.wants;
        self.send(Kind::Welcome, false, header.id, &welcome)
    }

    fn answer_all(&mut self, ending: &Ending) -> Result<(), Failure> {
        while !ending.load(Ordering::Relaxed) {
            let header = self.next()?;
            for id in acknowledged(&header, self.inbox.body()) {
                release(&mut self.held, &mut self.held_bytes, &mut self.spare, id);
            }
            match header.kind {
                Kind::Request => self.answer(&header)?,
                Kind::Ping => self.send(Kind::Pong, false, header.id, &[])?,
                Kind::Acknowledgement | Kind::Pong => {}
                other => return Err(Failure::protocol(format!("a client does not send packages of kind {other:?}"))),
            }
        }
        Ok(())
    }

    fn answer(&mut self, header: &Header) -> Result<(), Failure> {
        if header.wants {
            lock(&self.outbox).owe(header.id);
        }
        if self.last.is_some_and(|last| header.id.wrapping_sub(last) as i32 <= 0) {
            return self.answer_again(header.id);
        }
        self.last = Some(header.id);
        let mut body = std::mem::take(&mut self.spare);
        body.clear();
        self.handler.answer(self.inbox.body(), &mut body);
        if body.len() > self.settings.limit {
            let sentence = too_large(body.len(), self.settings.limit).message;
            return self.send(Kind::Refusal, false, header.id, sentence.as_bytes());
        }
        self.send(Kind::Answer, self.wants, header.id, &body)?;
        if !self.wants {
            self.spare = body;
            return Ok(());
        }
        self.held_bytes += body.len();
        self.held.push_back(Held { id: header.id, sent: Instant::now(), body });
        // The last answer is held whatever its size; it is those before it that a client must have acknowledged.
        if self.held.len() > HELD || (self.held.len() > 1 && self.held_bytes > 2 * self.settings.limit) {
            return Err(Failure::protocol("the client acknowledges nothing"));
        }
        Ok(())
    }

    /// A request that came before is not carried out again. Its answer goes again where it is held; otherwise it has arrived.
    fn answer_again(&mut self, id: u32) -> Result<(), Failure> {
        let Some(held) = self.held.iter_mut().find(|held| held.id == id) else {
            return self.send(Kind::Acknowledgement, false, 0, &[]);
        };
        held.sent = Instant::now();
        lock(&self.outbox).send(Kind::Answer, true, id, &held.body, &mut Patience::endless())
    }

    fn send_again(&mut self, now: Instant) -> Result<(), Failure> {
        for held in self.held.iter_mut().filter(|held| now - held.sent >= self.settings.resend) {
            held.sent = now;
            lock(&self.outbox).send(Kind::Answer, true, held.id, &held.body, &mut Patience::endless())?;
        }
        Ok(())
    }

    /// Says why, and reads on for a moment: closing a socket with bytes unread would take the sentence back.
    fn turn_away(&mut self, sentence: &str) {
        let sent = self.send(Kind::Refusal, false, self.inbox.pending(), sentence.as_bytes());
        let until = Instant::now() + Duration::from_secs(1);
        while sent.is_ok() && Instant::now() < until && self.inbox.discard().unwrap_or(false) {}
    }
}

/// An answer that arrived is no longer held; its memory serves the next.
fn release(held: &mut VecDeque<Held>, bytes: &mut usize, spare: &mut Vec<u8>, id: u32) {
    let place = held.iter().position(|held| held.id == id);
    if let Some(gone) = place.and_then(|place| held.remove(place)) {
        *bytes -= gone.body.len();
        *spare = gone.body;
    }
}
