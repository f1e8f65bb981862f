//! `pipe`: a pair of named pipes, one per direction. Messages have the same frames as in `unix`.
//!
//! The pipes are created in their own directory, opened and unlinked before the client knows them. So nothing is left behind, however the processes
//! end. The client receives its ends at a rendezvous. Both sides wait for the pipe and for the socket of the rendezvous together, so they notice each
//! other's end.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use nix::unistd::{mkdtemp, mkfifo};

use super::intake::Intake;
use super::line::{Caller, Line, Patience, closed, too_large};
use super::rendezvous::{self, Control};
use super::stream::{HEADER, Prefix};
use super::{Channel, Connection, Route, only};
use callbench_contract::endpoint::LIMIT;

pub struct Pipe;

/// One end, client's or server's.
struct End {
    control: Control,
    to: File,
    from: File,
    intake: Intake,
    /// Length of the message received last, header included.
    frame: usize,
}

impl End {
    fn new(control: Control, to: OwnedFd, from: OwnedFd) -> Self {
        End { control, to: File::from(to), from: File::from(from), intake: Intake::new(), frame: 0 }
    }

    /// Waits until `pipe` is ready for `what`, or the other side has gone.
    fn ready(&self, pipe: &File, what: PollFlags, patience: &mut Patience) -> Result<(), Failure> {
        loop {
            let left = patience.left();
            let mut both = [PollFd::new(pipe.as_fd(), what), PollFd::new(self.control.as_fd(), PollFlags::POLLHUP)];
            match poll(&mut both, left.map_or(PollTimeout::NONE, milliseconds)) {
                Ok(0) => patience.wasted(left.unwrap_or_default())?,
                Ok(_) if both[0].any() == Some(true) => return Ok(()),
                Ok(_) => return Err(closed()),
                Err(nix::Error::EINTR) => {}
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
    }
}

/// For `poll`: rounded up, so that the last part of a millisecond is waited for and not spun through.
fn milliseconds(slice: Duration) -> PollTimeout {
    PollTimeout::try_from(slice + Duration::from_nanos(999_999)).unwrap_or(PollTimeout::MAX)
}

impl Line for End {
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        let header = Prefix::Little.header(message);
        let body = if message.len() > LIMIT { &[] } else { message };
        let mut parts = [IoSlice::new(&header), IoSlice::new(body)];
        let mut parts = &mut parts[..];
        while !parts.is_empty() {
            match (&self.to).write_vectored(parts) {
                Ok(0) => return Err(closed()),
                Ok(count) => IoSlice::advance_slices(&mut parts, count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.ready(&self.to, PollFlags::POLLOUT, patience)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(closed()),
            }
        }
        if message.len() > LIMIT { Err(too_large(message.len(), LIMIT)) } else { Ok(()) }
    }

    fn receive(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        self.intake.consume(self.frame);
        self.frame = 0;
        loop {
            let frame = Prefix::Little.framed(self.intake.bytes())?;
            if let Some(frame) = frame.filter(|frame| *frame <= self.intake.bytes().len()) {
                self.frame = frame;
                return Ok(());
            }
            if !self.intake.bytes().is_empty() {
                patience.partly()?;
            }
            self.ready(&self.from, PollFlags::POLLIN, patience)?;
            let mut from = &self.from;
            match self.intake.read_with(frame.unwrap_or(HEADER), |room| from.read(room)) {
                Ok(0) => return Err(closed()),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => return Err(closed()),
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.intake.bytes()[HEADER..self.frame]
    }
}

/// Both ends of a new pipe in `folder`, unlinked: the first to write, the second to read.
fn pipe(folder: &Path) -> Result<[OwnedFd; 2], Failure> {
    let path = folder.join("pipe");
    mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).map_err(std::io::Error::from)?;
    // Reading first: opening to write, without waiting, needs a reader.
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
    let from = OpenOptions::new().read(true).custom_flags(flags).open(&path);
    let to = OpenOptions::new().write(true).custom_flags(flags).open(&path);
    std::fs::remove_file(&path)?;
    Ok([to?.into(), from?.into()])
}

fn make(control: Control) -> Result<(End, Vec<OwnedFd>), Failure> {
    let folder = mkdtemp(&std::env::temp_dir().join("callbench-XXXXXX")).map_err(std::io::Error::from)?;
    let pipes = pipe(&folder).and_then(|ask| Ok((ask, pipe(&folder)?)));
    std::fs::remove_dir(&folder)?;
    let ([ask, asked], [answer, answered]) = pipes?;
    Ok((End::new(control, answer, asked), vec![ask, answered]))
}

impl Channel for Pipe {
    fn name(&self) -> &'static str {
        "pipe"
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        rendezvous::serve("pipe", only(routes, "pipe")?.handler, make)
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let place = to.clone();
        let dial = move || {
            let (control, [to, from]) = rendezvous::join(&place)?;
            Ok(End::new(control, to, from))
        };
        Ok(Box::new(Caller::new(to.timeout, dial)?))
    }
}
