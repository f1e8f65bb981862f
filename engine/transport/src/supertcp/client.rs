//! The client's side of `supertcp`.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use callbench_contract::endpoint::Connect;
use callbench_contract::{Failure, Kind as FailureKind};

use super::super::line::{Patience, closed, timed_out, too_large};
use super::super::stream::{Socket, even_slice};
use super::super::{Connection, network, random};
use super::Settings;
use super::inbox::Inbox;
use super::outbox::{Outbox, Shared, lock};
use super::package::{GREETING, Header, Kind, acknowledged};

/// A connection that has been greeted.
struct Link {
    inbox: Inbox,
    outbox: Shared,
    slice: Duration,
    settings: Settings,
    /// The server's limit.
    limit: usize,
    last: u32,
}

/// What a package was to the calls that wait.
enum Came {
    Answer(u32),
    /// The server has the request and is at it.
    Arrived,
    Nothing,
}

impl Link {
    fn open(to: &Connect, settings: Settings, guid: &[u8; 16]) -> Result<Self, Failure> {
        let stream = network::dial(&to.endpoint, to.timeout)?;
        let slice = even_slice(to.timeout.min(settings.resend));
        stream.set_read_timeout(Some(slice))?;
        stream.set_write_timeout(Some(slice))?;
        let stream: Arc<OwnedFd> = Arc::new(stream.into());
        let outbox = Outbox::open(Socket(Arc::clone(&stream)), slice, true)?;
        let inbox = Inbox::new(Socket(stream), settings.limit);
        let mut link = Link { inbox, outbox, slice, settings, limit: 0, last: 0 };
        let mut patience = Patience::of(to.timeout);
        lock(&link.outbox).send(Kind::Hello, settings.acknowledge, 0, &[&GREETING[..], guid].concat(), &mut patience)?;
        let header = loop {
            if let Some(header) = link.next(&mut patience)? {
                break header;
            }
        };
        let limit = link.inbox.body().strip_prefix(guid).and_then(|limit| limit.try_into().ok()).map(u64::from_le_bytes);
        let Some(limit) = limit.filter(|_| header.kind == Kind::Welcome) else {
            return Err(Failure::protocol(format!("{} does not greet as this channel's server does: connect to one", to.endpoint)));
        };
        link.limit = usize::try_from(limit).unwrap_or(usize::MAX).min(u32::MAX as usize);
        Ok(link)
    }

    /// The next package; None if none arrived within the socket's timeout.
    fn next(&mut self, patience: &mut Patience) -> Result<Option<Header>, Failure> {
        loop {
            if let Some(header) = self.inbox.take()? {
                return Ok(Some(header));
            }
            if self.inbox.partly() {
                patience.partly()?;
            }
            if !self.inbox.read()? {
                patience.wasted(self.slice)?;
                return Ok(None);
            }
        }
    }

    fn check(&self, request: &[u8]) -> Result<(), Failure> {
        if request.len() > self.limit { Err(too_large(request.len(), self.limit)) } else { Ok(()) }
    }

    fn request(&self, id: u32, body: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        lock(&self.outbox).send(Kind::Request, self.settings.acknowledge, id, body, patience)
    }

    fn came(&mut self, header: &Header, owed: &mut Vec<u32>) -> Result<Came, Failure> {
        match header.kind {
            Kind::Answer => {
                if header.wants {
                    owed.push(header.id);
                }
                Ok(Came::Answer(header.id))
            }
            Kind::Acknowledgement => Ok(Came::Arrived),
            Kind::Pong => Ok(Came::Nothing),
            Kind::Ping => {
                lock(&self.outbox).send(Kind::Pong, false, header.id, &[], &mut Patience::of(self.slice))?;
                Ok(Came::Nothing)
            }
            Kind::Refusal => {
                let sentence = format!("the server refuses: {}", String::from_utf8_lossy(self.inbox.body()));
                Err(Failure::new(FailureKind::TooLarge, sentence))
            }
            other => Err(Failure::protocol(format!("a server does not send packages of kind {other:?} here"))),
        }
    }

    /// One call: its answer is the inbox's body.
    fn call(&mut self, request: &[u8], timeout: Duration) -> Result<(), Failure> {
        self.last = self.last.wrapping_add(1);
        let (id, mut patience, mut arrived, mut sent) = (self.last, Patience::of(timeout), false, None);
        self.request(id, request, &mut patience)?;
        let mut owed = Vec::new();
        loop {
            let Some(header) = self.next(&mut patience)? else {
                // The clock is first read after the first timeout of the socket, so a fast call never reads it.
                let sent = sent.get_or_insert_with(Instant::now);
                if self.settings.acknowledge && !arrived && sent.elapsed() + self.slice >= self.settings.resend {
                    self.request(id, request, &mut patience)?;
                    *sent = Instant::now();
                }
                continue;
            };
            let came = self.came(&header, &mut owed)?;
            if !owed.is_empty() {
                let mut outbox = lock(&self.outbox);
                owed.drain(..).for_each(|id| outbox.owe(id));
            }
            match came {
                Came::Answer(answered) if answered == id => return Ok(()),
                Came::Arrived => arrived |= acknowledged(&header, self.inbox.body()).any(|it| it == id),
                Came::Answer(_) | Came::Nothing => {}
            }
        }
    }

    /// Sends all requests on a separate thread, so that neither side waits for the other to read.
    fn call_many(&mut self, requests: &[&[u8]], timeout: Duration) -> Result<Vec<Vec<u8>>, Failure> {
        let first = self.last.wrapping_add(1);
        self.last = self.last.wrapping_add(requests.len() as u32);
        let (outbox, acknowledge, sent) = (Arc::clone(&self.outbox), self.settings.acknowledge, AtomicBool::new(false));
        thread::scope(|scope| {
            let writer = thread::Builder::new().name("writer".to_owned()).spawn_scoped(scope, || -> Result<(), Failure> {
                let mut patience = Patience::of(timeout);
                for (id, request) in (0..).zip(requests).map(|(at, request)| (first.wrapping_add(at), request)) {
                    lock(&outbox).send(Kind::Request, acknowledge, id, request, &mut patience)?;
                }
                sent.store(true, Ordering::Release);
                Ok(())
            });
            let writer = writer.map_err(|error| {
                Failure::new(FailureKind::OutOfResources, format!("the thread that sends requests cannot be started: {error}"))
            })?;
            let answers = self.collect(first, requests, timeout, &sent);
            writer.join().map_err(|_| Failure::new(FailureKind::Internal, "the writing thread failed"))??;
            answers
        })
    }

    /// Matches answers to requests by id, in whatever order they come.
    fn collect(&mut self, first: u32, requests: &[&[u8]], timeout: Duration, sent: &AtomicBool) -> Result<Vec<Vec<u8>>, Failure> {
        let mut open: HashMap<u32, usize> = (0..requests.len()).map(|at| (first.wrapping_add(at as u32), at)).collect();
        let (mut answers, mut owed, mut patience) = (vec![Vec::new(); requests.len()], Vec::new(), Patience::of(timeout));
        let (until, mut tried) = (Instant::now() + timeout, Instant::now());
        while !open.is_empty() {
            if Instant::now() > until {
                return Err(timed_out());
            }
            match self.next(&mut patience)? {
                Some(header) => match self.came(&header, &mut owed)? {
                    Came::Answer(id) => open.remove(&id).into_iter().for_each(|at| answers[at] = self.inbox.body().to_vec()),
                    Came::Arrived | Came::Nothing => {}
                },
                None if self.settings.acknowledge && sent.load(Ordering::Acquire) && tried.elapsed() >= self.settings.resend => {
                    for (id, at) in &open {
                        self.request(*id, requests[*at], &mut patience)?;
                    }
                    tried = Instant::now();
                }
                None => {}
            }
            self.owe(&mut owed);
        }
        Ok(answers)
    }

    /// Notes what is owed, but never waits for a writer that may be waiting for this reader.
    fn owe(&self, owed: &mut Vec<u32>) {
        if let Ok(mut outbox) = self.outbox.try_lock() {
            owed.drain(..).for_each(|id| outbox.owe(id));
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The timer thread may hold the outbox for a moment, but the server must be notified now.
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner).shut();
    }
}

/// A client of `supertcp`. It keeps its GUID over connections. A failed connection is replaced for the next call.
pub struct Client {
    to: Connect,
    settings: Settings,
    guid: [u8; 16],
    link: Option<Link>,
}

impl Client {
    pub fn connect(to: &Connect) -> Result<Self, Failure> {
        let (settings, guid) = (Settings::of(&to.options)?, random::octets()?);
        let link = Some(Link::open(to, settings, &guid)?);
        Ok(Client { to: to.clone(), settings, guid, link })
    }

    fn link(&mut self) -> Result<&mut Link, Failure> {
        if self.link.is_none() {
            self.link = Some(Link::open(&self.to, self.settings, &self.guid)?);
        }
        self.link.as_mut().ok_or_else(closed)
    }

    /// Makes many calls at once over the same connection. The answers have the order of the requests.
    pub fn call_many(&mut self, requests: &[&[u8]]) -> Result<Vec<Vec<u8>>, Failure> {
        let timeout = self.to.timeout;
        let link = self.link()?;
        requests.iter().try_for_each(|request| link.check(request))?;
        let made = link.call_many(requests, timeout);
        if made.is_err() {
            self.link = None;
        }
        made
    }
}

impl Connection for Client {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        let timeout = self.to.timeout;
        let link = self.link()?;
        link.check(request)?;
        if let Err(failure) = link.call(request, timeout) {
            self.link = None;
            return Err(failure);
        }
        self.link.as_ref().map(|link| link.inbox.body()).ok_or_else(closed)
    }

    fn connections(&self) -> usize {
        usize::from(self.link.is_some())
    }
}
