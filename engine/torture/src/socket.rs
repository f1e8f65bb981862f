//! Non-blocking sockets.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage, sockopt};

/// The result of a read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Bytes(usize),
    WouldBlock,
    Closed,
    Reset,
}

/// Starts to connect. The result is known when the socket becomes writable.
pub fn start_connect(to: SocketAddr, receive_buffer: usize) -> Result<TcpStream, Errno> {
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

pub fn write(stream: &mut TcpStream, bytes: &[u8]) -> Transfer {
    transfer(stream.write(bytes))
}

/// The buffer is never empty here, so 0 bytes mean the end of the stream.
pub fn read(stream: &mut TcpStream, into: &mut [u8]) -> Transfer {
    match transfer(stream.read(into)) {
        Transfer::Bytes(0) => Transfer::Closed,
        other => other,
    }
}

fn transfer(result: io::Result<usize>) -> Transfer {
    match result {
        Ok(bytes) => Transfer::Bytes(bytes),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Transfer::WouldBlock,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Transfer::Closed,
        Err(_) => Transfer::Reset,
    }
}

/// Makes the connection end with a reset when it is closed.
pub fn reset_on_close(stream: &TcpStream) {
    let at_once = libc::linger { l_onoff: 1, l_linger: 0 };
    // An error means that the connection has already ended.
    let _ = socket::setsockopt(stream, sockopt::Linger, &at_once);
}

/// Raises the limit of open descriptors as far as allowed.
pub fn raise_descriptor_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
