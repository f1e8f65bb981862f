//! `mqueue`: a pair of POSIX message queues, one per direction.
//!
//! The kernel carries at most 8192 bytes at once, so a longer message is sent in pieces. Calls alternate, so frames need no header: more pieces
//! follow a piece of priority 1, and the piece of priority 0 is the last. (The kernel delivers higher priorities first, and those are exactly the
//! earlier pieces.) The names of the queues are unlinked as soon as they are open.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use callbench_contract::{Failure, Kind};
use nix::mqueue::{MQ_OFlag, MqAttr, MqdT, mq_getattr, mq_open, mq_timedreceive, mq_unlink};
use nix::sys::stat::Mode;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

use super::line::{Caller, Line, Patience, too_large};
use super::rendezvous::{self, Control};
use super::{Channel, Connection, Route, only, random};
use callbench_contract::endpoint::LIMIT;

/// What the kernel lets anyone have, see /proc/sys/fs/mqueue.
const PIECE: usize = 8192;
const DEPTH: i64 = 10;

const LAST: u32 = 0;
const MORE: u32 = 1;
/// An empty piece that announces the end of a side, so that the queues are released immediately.
const LEAVE: u32 = 2;

/// How long a server waits for queues of clients that have just ended: the check interval of a `line` and some more.
const RETURNED: Duration = Duration::from_millis(300);

pub struct Mqueue;

/// One end, client's or server's.
struct End {
    control: Control,
    /// Keeps the descriptors open; `to` and `from` are the same descriptors in the form for the system calls.
    _open: [OwnedFd; 2],
    to: MqdT,
    from: MqdT,
    piece: Vec<u8>,
    message: Vec<u8>,
}

impl End {
    fn new(control: Control, to: OwnedFd, from: OwnedFd) -> Result<Self, Failure> {
        let form = |queue: &OwnedFd| {
            // SAFETY: the descriptor is open as long as `_open` holds it, and an MqdT does not close it.
            unsafe { MqdT::from_raw_fd(queue.as_raw_fd()) }
        };
        let (sends, receives) = (form(&to), form(&from));
        let size = mq_getattr(&receives).map_err(std::io::Error::from)?.msgsize();
        if size != PIECE as i64 {
            return Err(Failure::protocol(format!("the queue carries pieces of {size} bytes, not {PIECE}: use one version on both sides")));
        }
        Ok(End { control, _open: [to, from], to: sends, from: receives, piece: vec![0; PIECE], message: Vec::new() })
    }

    fn send_piece(&self, piece: &[u8], priority: u32, patience: &mut Patience) -> Result<(), Failure> {
        loop {
            let slice = patience.slice();
            match timed_send(&self.to, piece, priority, slice) {
                Ok(()) => return Ok(()),
                Err(nix::Error::EINTR) => {}
                Err(nix::Error::ETIMEDOUT) => {
                    self.control.check()?;
                    patience.wasted(slice)?;
                }
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
    }

    /// The length of the next piece and whether more follow.
    fn receive_piece(&mut self, patience: &mut Patience) -> Result<(usize, bool), Failure> {
        let mut gone = false;
        loop {
            let (slice, mut priority) = (patience.slice(), LAST);
            match mq_timedreceive(&self.from, &mut self.piece, &mut priority, &after(if gone { Duration::ZERO } else { slice })) {
                Ok(_) if priority >= LEAVE => return Err(super::line::closed()),
                Ok(length) => return Ok((length, priority != LAST)),
                Err(nix::Error::EINTR) => {}
                Err(nix::Error::ETIMEDOUT) if gone => return Err(super::line::closed()),
                // The other side may have answered before it ended: checks the queue once more.
                Err(nix::Error::ETIMEDOUT) => {
                    gone = self.control.hung_up();
                    patience.wasted(slice)?;
                }
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // A queue that is full already has the other side reading, and then looking.
        let _ = timed_send(&self.to, &[], LEAVE, Duration::ZERO);
    }
}

/// Message queues need the absolute time of the timeout.
fn after(slice: Duration) -> TimeSpec {
    clock_gettime(ClockId::CLOCK_REALTIME).unwrap_or(TimeSpec::new(0, 0)) + TimeSpec::from(slice)
}

fn timed_send(to: &MqdT, piece: &[u8], priority: u32, slice: Duration) -> nix::Result<()> {
    let until = after(slice);
    // SAFETY: piece and time live through the call, and the length is the piece's.
    let sent = unsafe { libc::mq_timedsend(to.as_raw_fd(), piece.as_ptr().cast(), piece.len(), priority, until.as_ref()) };
    nix::errno::Errno::result(sent).map(drop)
}

impl Line for End {
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        if message.len() > LIMIT {
            // A length cannot be announced here, so the connection is closed.
            return Err(too_large(message.len(), LIMIT));
        }
        let (early, last) = message.split_at(message.len().saturating_sub(1) / PIECE * PIECE);
        for piece in early.chunks(PIECE) {
            self.send_piece(piece, MORE, patience)?;
        }
        self.send_piece(last, LAST, patience)
    }

    fn receive(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        self.message.clear();
        loop {
            let (length, more) = self.receive_piece(patience)?;
            // In small steps, for the reason given in `ring`.
            self.piece[..length].chunks(1024).for_each(|part| self.message.extend_from_slice(part));
            if !more {
                return Ok(());
            }
            if self.message.len() > LIMIT {
                return Err(too_large(self.message.len(), LIMIT));
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.message
    }
}

/// A queue without a name: two descriptors of it, the first to send, the second to receive.
fn queue(depth: i64) -> Result<[OwnedFd; 2], Failure> {
    let name = format!("/callbench-{}", random::name()?);
    let attributes = MqAttr::new(0, depth, PIECE as i64, 0);
    let only_owner = Mode::S_IRUSR | Mode::S_IWUSR;
    let create = MQ_OFlag::O_CREAT | MQ_OFlag::O_EXCL | MQ_OFlag::O_WRONLY | MQ_OFlag::O_CLOEXEC;
    let send = mq_open(name.as_str(), create, only_owner, Some(&attributes)).map_err(|error| match error {
        nix::Error::EMFILE | nix::Error::ENOMEM | nix::Error::ENOSPC | nix::Error::EINVAL => {
            let sentence = format!(
                "the kernel gives no message queue of {depth} times {PIECE} bytes ({error}), and each client needs two: connect fewer \
                 clients, serve with a smaller option depth, or raise the user's limit (ulimit -q)"
            );
            Failure::new(Kind::OutOfResources, sentence)
        }
        error => std::io::Error::from(error).into(),
    })?;
    // SAFETY: mq_open has just made this descriptor; an MqdT does not close it.
    let send = unsafe { OwnedFd::from_raw_fd(send.as_raw_fd()) };
    let receive = mq_open(name.as_str(), MQ_OFlag::O_RDONLY | MQ_OFlag::O_CLOEXEC, only_owner, None);
    mq_unlink(name.as_str()).map_err(std::io::Error::from)?;
    // SAFETY: as above.
    let receive = unsafe { OwnedFd::from_raw_fd(receive.map_err(std::io::Error::from)?.as_raw_fd()) };
    Ok([send, receive])
}

fn make(control: Control, depth: i64) -> Result<(End, Vec<OwnedFd>), Failure> {
    let until = Instant::now() + RETURNED;
    let ([ask, asked], [answer, answered]) = loop {
        match queue(depth).and_then(|ask| Ok((ask, queue(depth)?))) {
            Err(failure) if failure.kind == Kind::OutOfResources && Instant::now() < until => thread::sleep(Duration::from_millis(10)),
            made => break made?,
        }
    };
    Ok((End::new(control, answer, asked)?, vec![ask, answered]))
}

fn depth(options: &Options) -> Result<i64, Failure> {
    let Some(value) = options.get("depth") else { return Ok(DEPTH) };
    value
        .as_i64()
        .filter(|depth| (1..=DEPTH).contains(depth))
        .ok_or_else(|| Failure::new(Kind::BadRequest, format!("option depth is {value}: it must be a whole number from 1 to {DEPTH}")))
}

impl Channel for Mqueue {
    fn name(&self) -> &'static str {
        "mqueue"
    }

    fn unavailable(&self) -> Option<String> {
        let limits = "/proc/sys/fs/mqueue/msgsize_max";
        match std::fs::read_to_string(limits).map(|text| text.trim().parse::<usize>().unwrap_or(0)) {
            Ok(PIECE..) => None,
            Ok(size) => Some(format!("the kernel carries {size} bytes at once, and {PIECE} are needed: raise {limits}")),
            Err(_) => Some("the kernel has no POSIX message queues".to_owned()),
        }
    }

    fn options(&self) -> &'static [&'static str] {
        &["depth"]
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        let depth = depth(options)?;
        rendezvous::serve("mqueue", only(routes, "mqueue")?.handler, move |control| make(control, depth))
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let place = to.clone();
        let dial = move || {
            let (control, [to, from]) = rendezvous::join(&place)?;
            End::new(control, to, from)
        };
        Ok(Box::new(Caller::new(to.timeout, dial)?))
    }
}
