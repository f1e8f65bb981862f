//! The exchange of kernel objects between two processes: an abstract Unix socket over which the server passes descriptors to the client.
//!
//! The name is random, and both sides check that the other has the same user. The server creates the objects, so a client cannot supply a harmful
//! one. The socket stays open with the objects: when it is closed, the other side has ended.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Arc;
use std::time::Duration;

use callbench_contract::endpoint::{Connect, Server};
use callbench_contract::{Failure, Kind};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, sendmsg, setsockopt, socket, sockopt,
};

use super::acceptor::Acceptor;
use super::line::{Line, answer_all, closed, refused};
use super::{Handler, random};

/// How long each side waits for the other's part of the handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The longest refusal that is passed on.
const SENTENCE: usize = 1024;

/// The socket of a rendezvous that took place.
pub struct Control(Arc<OwnedFd>);

impl Control {
    /// Whether the other side has ended.
    pub fn hung_up(&self) -> bool {
        let mut sockets = [PollFd::new(self.0.as_fd(), PollFlags::POLLHUP)];
        let seen = poll(&mut sockets, PollTimeout::ZERO);
        matches!(seen, Ok(1..)) || seen.is_err_and(|error| error != nix::Error::EINTR)
    }

    pub fn check(&self) -> Result<(), Failure> {
        if self.hung_up() { Err(closed()) } else { Ok(()) }
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Opens an abstract socket with an unguessable name.
pub fn listen(channel: &str) -> Result<(String, UnixListener), Failure> {
    let name = format!("callbench-{channel}-{}", random::name()?);
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
    Ok((format!("@{name}"), listener))
}

/// Connects to a socket of `listen`, and checks its user. If the queue is full, it waits no longer than `timeout`.
pub fn reach(endpoint: &str, timeout: Duration) -> Result<UnixStream, Failure> {
    let name = endpoint.strip_prefix('@').ok_or_else(|| refused(endpoint, &"an abstract socket's name begins with @"))?;
    let address = nix::sys::socket::UnixAddr::new_abstract(name.as_bytes()).map_err(|error| refused(endpoint, &error))?;
    let stream = socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).map_err(std::io::Error::from)?;
    let stream = UnixStream::from(stream);
    stream.set_write_timeout(Some(timeout.max(Duration::from_millis(1))))?;
    nix::sys::socket::connect(stream.as_raw_fd(), &address).map_err(|error| match error {
        nix::Error::EAGAIN => Failure::new(Kind::Timeout, format!("{endpoint} does not accept connections")),
        error => refused(endpoint, &error),
    })?;
    same_user(&stream)?;
    Ok(stream)
}

/// Abstract names have no file permissions. So both sides ask the kernel for the other's user.
pub fn same_user(socket: &impl AsFd) -> Result<(), Failure> {
    let peer = nix::sys::socket::getsockopt(socket, sockopt::PeerCredentials).map_err(std::io::Error::from)?;
    if peer.uid() == nix::unistd::geteuid().as_raw() {
        return Ok(());
    }
    Err(Failure::new(Kind::Refused, format!("the other side belongs to user {}: run both as one user", peer.uid())))
}

/// Serves `handler` over lines from `make`, which creates the server's end and the descriptors of the client's end.
pub fn serve<L, M>(channel: &str, handler: Arc<dyn Handler>, make: M) -> Result<Box<dyn Server>, Failure>
where
    L: Line,
    M: Fn(Control) -> Result<(L, Vec<OwnedFd>), Failure> + Send + Sync + 'static,
{
    let (endpoint, listener) = listen(channel)?;
    Acceptor::start(endpoint, listener, move |socket, ending| {
        if same_user(&socket).is_err() {
            return;
        }
        let ends = make(Control(Arc::clone(&socket)));
        if let Ok(mut line) = hand_over(&socket, ends) {
            answer_all(&mut line, &*handler, ending);
        }
    })
}

/// Sends one byte, 0, with the descriptors, or 1 and the sentence why there are none.
fn hand_over<L>(socket: &OwnedFd, made: Result<(L, Vec<OwnedFd>), Failure>) -> Result<L, Failure> {
    setsockopt(socket, sockopt::SendTimeout, &nix::sys::time::TimeVal::from(libc::timeval { tv_sec: 10, tv_usec: 0 }))
        .map_err(std::io::Error::from)?;
    let sent = |bytes: &[u8], messages: &[ControlMessage<'_>]| {
        sendmsg::<()>(socket.as_raw_fd(), &[IoSlice::new(bytes)], messages, MsgFlags::MSG_NOSIGNAL, None).map_err(std::io::Error::from)
    };
    match made {
        Ok((line, descriptors)) => {
            let raw: Vec<_> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
            sent(&[0], &[ControlMessage::ScmRights(&raw)])?;
            Ok(line)
        }
        Err(failure) => {
            let mut bytes = vec![1];
            bytes.extend(failure.message.bytes().take(SENTENCE));
            sent(&bytes, &[])?;
            Err(failure)
        }
    }
}

/// The client's side: the socket and the `N` descriptors that the server hands over.
pub fn join<const N: usize>(to: &Connect) -> Result<(Control, [OwnedFd; N]), Failure> {
    let stream = reach(&to.endpoint, to.timeout)?;
    stream.set_read_timeout(Some(to.timeout.clamp(Duration::from_millis(1), HANDSHAKE)))?;
    let mut bytes = [0; SENTENCE + 1];
    let mut space = nix::cmsg_space!([std::os::fd::RawFd; 8]);
    let (count, descriptors) = {
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let got =
            recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut space), MsgFlags::MSG_CMSG_CLOEXEC).map_err(std::io::Error::from)?;
        let mut descriptors = Vec::new();
        for message in got.cmsgs().map_err(std::io::Error::from)? {
            if let ControlMessageOwned::ScmRights(raw) = message {
                // SAFETY: the kernel has just put these descriptors into this process; nobody else knows them.
                descriptors.extend(raw.into_iter().map(|raw| unsafe { OwnedFd::from_raw_fd(raw) }));
            }
        }
        (got.bytes, descriptors)
    };
    match bytes[..count].split_first() {
        None => Err(closed()),
        Some((0, _)) => match <[OwnedFd; N]>::try_from(descriptors) {
            Ok(descriptors) => Ok((Control(Arc::new(stream.into())), descriptors)),
            Err(other) => Err(Failure::protocol(format!("the server handed over {} descriptors, not {N}", other.len()))),
        },
        Some((_, sentence)) => Err(Failure::new(Kind::OutOfResources, String::from_utf8_lossy(sentence))),
    }
}
