//! A connection's octets, plain or through TLS, never waiting.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use callbench_kit::{Failure, Kind};
use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage};
use rustls::{ClientConfig, ClientConnection, StreamOwned, pki_types::ServerName};

use crate::tls::refusal;

/// How to make a connection secure.
#[derive(Clone, Debug)]
pub struct Tls {
    pub config: Arc<ClientConfig>,
    pub name: ServerName<'static>,
}

pub enum Wire {
    Plain(TcpStream),
    Secure(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Wire {
    /// Begins to connect; that it is connected, or is not, shows when the socket can be written to.
    pub fn connect(to: SocketAddr, tls: Option<&Tls>) -> Result<Self, Failure> {
        let family = if to.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket::socket(family, SockType::Stream, flags, None).map_err(of_system)?;
        socket::setsockopt(&socket, socket::sockopt::TcpNoDelay, &true).map_err(of_system)?;
        match socket::connect(std::os::fd::AsRawFd::as_raw_fd(&socket), &SockaddrStorage::from(to)) {
            Ok(()) | Err(Errno::EINPROGRESS) => {}
            Err(error) => return Err(of_system(error)),
        }
        let stream = TcpStream::from(socket);
        let Some(tls) = tls else { return Ok(Wire::Plain(stream)) };
        let connection = ClientConnection::new(Arc::clone(&tls.config), tls.name.clone())
            .map_err(|error| Failure::new(Kind::Certificate, format!("TLS cannot be begun: {error}")))?;
        Ok(Wire::Secure(Box::new(StreamOwned::new(connection, stream))))
    }

    /// Why connecting failed, if it did.
    pub fn connecting_failed(&mut self) -> Option<Failure> {
        let (Ok(Some(error)) | Err(error)) = self.socket().take_error() else { return None };
        Some(match self {
            Wire::Plain(_) => of(&error),
            Wire::Secure(stream) => broken(stream, &error),
        })
    }

    /// Writes what goes now, and gives how much that was; 0: nothing now.
    #[inline]
    pub fn write(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        let written = match self {
            Wire::Plain(stream) => stream.write(octets),
            Wire::Secure(stream) => stream.write(octets).and_then(|written| match stream.flush() {
                Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
                _ => Ok(written),
            }),
        };
        written.or_else(|error| match self {
            _ if later(&error) => Ok(0),
            Wire::Plain(_) => Err(of(&error)),
            Wire::Secure(stream) => Err(broken(stream, &error)),
        })
    }

    /// Reads what is there; None: nothing now; 0: the other side has closed.
    #[inline]
    pub fn read(&mut self, into: &mut [u8]) -> Result<Option<usize>, Failure> {
        let read = match self {
            Wire::Plain(stream) => stream.read(into),
            Wire::Secure(stream) => match stream.read(into) {
                // Many servers close TLS without saying so.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
                other => other,
            },
        };
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if later(&error) => Ok(None),
            Err(error) => Err(match self {
                Wire::Plain(_) => of(&error),
                Wire::Secure(stream) => broken(stream, &error),
            }),
        }
    }

    /// Goes on with the handshake; whether nothing of it is left to do.
    pub fn handshaken(&mut self) -> Result<bool, Failure> {
        let Wire::Secure(stream) = self else { return Ok(true) };
        let stream = stream.as_mut();
        match stream.conn.complete_io(&mut stream.sock) {
            Ok(_) => Ok(!stream.conn.is_handshaking()),
            Err(error) if later(&error) => Ok(!stream.conn.is_handshaking()),
            Err(error) => Err(broken(stream, &error)),
        }
    }

    /// Sends what TLS has kept back, where it can go now.
    #[inline]
    pub fn push(&mut self) -> Result<(), Failure> {
        let Wire::Secure(stream) = self else { return Ok(()) };
        while stream.conn.wants_write() {
            match stream.conn.write_tls(&mut stream.sock) {
                Ok(_) => {}
                Err(error) if later(&error) => return Ok(()),
                Err(error) => return Err(of(&error)),
            }
        }
        Ok(())
    }

    /// Fails where TLS was agreed on without this protocol. Without TLS there is nothing to agree on.
    pub fn must_speak(&self, protocol: &[u8]) -> Result<(), Failure> {
        match self {
            Wire::Secure(stream) if stream.conn.alpn_protocol() != Some(protocol) => {
                let why = "the server has not agreed on HTTP/2 (ALPN h2): it may speak HTTP/1.1 only; ask it without --http2 or --grpc";
                Err(Failure::protocol(why))
            }
            _ => Ok(()),
        }
    }

    /// Whether one reading that gave less than it could have has emptied the socket.
    pub fn short_reads_empty(&self) -> bool {
        matches!(self, Wire::Plain(_))
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Wire::Plain(stream) => stream,
            Wire::Secure(stream) => &stream.sock,
        }
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket().as_fd()
    }
}

/// Why a secure connection broke: what the server said last, if anything. A server that refuses us while we still write resets the
/// connection, and its word lies in our socket all the same.
#[cold]
fn broken(stream: &mut StreamOwned<ClientConnection, TcpStream>, error: &io::Error) -> Failure {
    if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) {
        while matches!(stream.conn.read_tls(&mut stream.sock), Ok(read) if read > 0) {
            if let Err(refused) = stream.conn.process_new_packets() {
                return refusal::failure(&refused);
            }
        }
    }
    of(error)
}

fn later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn of_system(error: Errno) -> Failure {
    of(&io::Error::from(error))
}

/// The failure that an error of a socket is.
fn of(error: &io::Error) -> Failure {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return refusal::failure(tls);
    }
    match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Failure::new(Kind::Reset, "the server reset the connection"),
        ErrorKind::AddrNotAvailable => {
            let why = "no port is left for another connection (closed ones wait for a minute): keep connections, or make fewer";
            Failure::new(Kind::OutOfResources, why)
        }
        ErrorKind::ConnectionRefused => Failure::new(Kind::Refused, "nobody listens there"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            Failure::new(Kind::Refused, format!("there is no way there: {error}"))
        }
        ErrorKind::TimedOut => Failure::new(Kind::Timeout, "the connection was given up by the kernel"),
        _ => match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE) => {
                let why = "no file descriptor is left for another connection: raise the limit (ulimit -n), or make fewer";
                Failure::new(Kind::OutOfResources, why)
            }
            Some(libc::ENOBUFS | libc::ENOMEM) => Failure::new(Kind::OutOfResources, "the kernel has no memory for another connection"),
            _ => Failure::new(Kind::Internal, error.to_string()),
        },
    }
}
