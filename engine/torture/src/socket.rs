//! A connection's octets, never waiting.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage, sockopt};

/// What a read or a write came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    Octets(usize),
    /// Nothing now.
    Later,
    Closed,
    Reset,
}

/// Begins to connect; whether it came about shows when the socket can be written to.
pub fn connecting(to: SocketAddr, receive_buffer: usize) -> Result<TcpStream, Errno> {
    let family = if to.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket::socket(family, SockType::Stream, SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC, None)?;
    socket::setsockopt(&socket, sockopt::TcpNoDelay, &true)?;
    if receive_buffer > 0 {
        socket::setsockopt(&socket, sockopt::RcvBuf, &receive_buffer)?;
    }
    match socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error),
    }
}

pub fn written(stream: &mut TcpStream, octets: &[u8]) -> Moved {
    moved(stream.write(octets))
}

/// 0 octets asked for and none there are told apart: a buffer is never empty here.
pub fn read(stream: &mut TcpStream, into: &mut [u8]) -> Moved {
    match moved(stream.read(into)) {
        Moved::Octets(0) => Moved::Closed,
        other => other,
    }
}

fn moved(result: io::Result<usize>) -> Moved {
    match result {
        Ok(octets) => Moved::Octets(octets),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Moved::Later,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Moved::Closed,
        Err(_) => Moved::Reset,
    }
}

/// Lets the end of the connection be a reset.
pub fn will_reset(stream: &TcpStream) {
    let at_once = libc::linger { l_onoff: 1, l_linger: 0 };
    // Where that fails the connection has ended already.
    let _ = socket::setsockopt(stream, sockopt::Linger, &at_once);
}

/// As many descriptors as we may have.
pub fn allow_many() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
