//! A non-blocking connection, with or without TLS.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use callbench_kit::{Failure, Kind};
use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage};
use rustls::{ClientConfig, ClientConnection, StreamOwned, pki_types::ServerName};

use crate::tls::failure;

/// The TLS settings of a connection.
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
    /// Starts to connect. The result is known when the socket becomes writable.
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
            .map_err(|error| Failure::new(Kind::Certificate, format!("TLS cannot start: {error}")))?;
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

    /// Writes as much as possible now. Returns the number of bytes, 0 if the socket would block.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        let written = match self {
            Wire::Plain(stream) => stream.write(bytes),
            Wire::Secure(stream) => stream.write(bytes).and_then(|written| match stream.flush() {
                Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
                _ => Ok(written),
            }),
        };
        written.or_else(|error| match self {
            _ if would_block(&error) => Ok(0),
            Wire::Plain(_) => Err(of(&error)),
            Wire::Secure(stream) => Err(broken(stream, &error)),
        })
    }

    /// Reads the available bytes. None: the socket would block; 0: the other side has closed the connection.
    #[inline]
    pub fn read(&mut self, into: &mut [u8]) -> Result<Option<usize>, Failure> {
        let read = match self {
            Wire::Plain(stream) => stream.read(into),
            Wire::Secure(stream) => read_secure(stream, into),
        };
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if would_block(&error) => Ok(None),
            Err(error) => Err(of(&error)),
        }
    }

    /// Continues the handshake. Returns whether it is complete.
    pub fn continue_handshake(&mut self) -> Result<bool, Failure> {
        let Wire::Secure(stream) = self else { return Ok(true) };
        let stream = stream.as_mut();
        match stream.conn.complete_io(&mut stream.sock) {
            Ok(_) => Ok(!stream.conn.is_handshaking()),
            Err(error) if would_block(&error) => Ok(!stream.conn.is_handshaking()),
            Err(error) => Err(broken(stream, &error)),
        }
    }

    /// Sends buffered TLS data as far as possible now.
    #[inline]
    pub fn push(&mut self) -> Result<(), Failure> {
        let Wire::Secure(stream) = self else { return Ok(()) };
        while stream.conn.wants_write() {
            match stream.conn.write_tls(&mut stream.sock) {
                Ok(_) => {}
                Err(error) if would_block(&error) => return Ok(()),
                Err(error) => return Err(of(&error)),
            }
        }
        Ok(())
    }

    /// Fails if TLS has not negotiated this protocol. Without TLS, nothing is negotiated.
    pub fn require_protocol(&self, protocol: &[u8]) -> Result<(), Failure> {
        match self {
            Wire::Secure(stream) if stream.conn.alpn_protocol() != Some(protocol) => {
                let why = "the server has not agreed on HTTP/2 (ALPN h2): it may speak HTTP/1.1 only; leave out --http2 and --grpc";
                Err(Failure::protocol(why))
            }
            _ => Ok(()),
        }
    }

    /// Whether a read that fills only part of the buffer has emptied the socket.
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

/// Reads from TLS without writing, because a server that takes no more bytes may still have answered. An empty `Ok` is the end.
fn read_secure(stream: &mut StreamOwned<ClientConnection, TcpStream>, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.conn.reader().read(into) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            // Many servers close the connection without the TLS message for it.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
            other => return other,
        }
        stream.conn.read_tls(&mut stream.sock)?;
        if let Err(refused) = stream.conn.process_new_packets() {
            let _ = stream.conn.write_tls(&mut stream.sock); // Tells the server why, if it still listens.
            return Err(io::Error::new(ErrorKind::InvalidData, refused));
        }
    }
}

/// Why a TLS connection broke: the last message of the server, if there is one. A server that refuses while this side still writes resets the
/// connection, but its message is still in the receive buffer.
#[cold]
fn broken(stream: &mut StreamOwned<ClientConnection, TcpStream>, error: &io::Error) -> Failure {
    if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) {
        while matches!(stream.conn.read_tls(&mut stream.sock), Ok(read) if read > 0) {
            if let Err(refused) = stream.conn.process_new_packets() {
                return failure::failure(&refused);
            }
        }
    }
    of(error)
}

fn would_block(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn of_system(error: Errno) -> Failure {
    of(&io::Error::from(error))
}

/// The failure for a socket error.
fn of(error: &io::Error) -> Failure {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return failure::failure(tls);
    }
    match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Failure::new(Kind::Reset, "the server reset the connection"),
        ErrorKind::AddrNotAvailable => {
            let why = "no port is left for another connection (closed ones wait for a minute): keep connections, or make fewer";
            Failure::new(Kind::OutOfResources, why)
        }
        ErrorKind::ConnectionRefused => Failure::new(Kind::Refused, "no server listens on this port"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            Failure::new(Kind::Refused, format!("no route to the server: {error}"))
        }
        ErrorKind::TimedOut => Failure::new(Kind::Timeout, "the kernel gave up the connection"),
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
