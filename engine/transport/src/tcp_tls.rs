//! `tcp-tls`: the messages of `tcp` over TLS.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use nix::sys::socket::{setsockopt, sockopt};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ConnectionCommon, ServerConnection, SideData, Stream};

use super::acceptor::Acceptor;
use super::line::{Caller, answer_all, refused};
use super::network::{dial, listen};
use super::stream::{End, Prefix, Socket, even_slice};
use super::{Channel, Connection, Route, key_log, only, tls};

pub struct TcpTls;

/// By ALPN there is nothing to choose from.
const PROTOCOLS: &[&str] = &[];

impl Channel for TcpTls {
    fn name(&self) -> &'static str {
        "tcp-tls"
    }

    fn options(&self) -> &'static [&'static str] {
        &[key_log::OPTION]
    }

    fn serve(&self, routes: Vec<Route>, at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        let handler = only(routes, "tcp-tls")?.handler;
        let listener = listen(at)?;
        let address = listener.local_addr()?;
        let (config, fingerprint) = tls::server(address, PROTOCOLS)?;
        Acceptor::start(format!("{address}{}{fingerprint}", tls::MARK), listener, move |socket, ending| {
            let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { return };
            // How a connection ended is its client's to know.
            if setsockopt(&socket, sockopt::TcpNoDelay, &true).is_ok() {
                let stream = Encrypted { connection, socket: Socket(socket) };
                answer_all(&mut End::new(stream, Prefix::Big, Duration::ZERO), &*handler, ending);
            }
        })
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let (address, fingerprint) =
            tls::parted(&to.endpoint).ok_or_else(|| refused(&to.endpoint, &"it names no certificate: #sha256= and its fingerprint"))?;
        let config = tls::client(fingerprint, PROTOCOLS, &to.options)?;
        let (address, timeout) = (address.to_owned(), to.timeout);
        let reach = move || {
            let slice = even_slice(timeout);
            let mut stream = dial(&address, timeout)?;
            let name = ServerName::IpAddress(stream.peer_addr()?.ip().into());
            let mut connection = ClientConnection::new(Arc::clone(&config), name).map_err(Failure::protocol)?;
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            while connection.is_handshaking() {
                connection.complete_io(&mut stream).map_err(|error| tls::failure(&error))?;
            }
            stream.set_read_timeout(Some(slice))?;
            stream.set_write_timeout(Some(slice))?;
            Ok(End::new(Encrypted { connection, socket: stream }, Prefix::Big, slice))
        };
        Ok(Box::new(Caller::<End<Encrypted<ClientConnection, TcpStream>>, _>::new(timeout, reach)?))
    }
}

/// A socket and the TLS over it. rustls has such a type, but it writes length and message as two records.
struct Encrypted<C, S> {
    connection: C,
    socket: S,
}

impl<C, D, S> Encrypted<C, S>
where
    C: DerefMut + Deref<Target = ConnectionCommon<D>>,
    D: SideData,
    S: Read + Write,
{
    fn stream(&mut self) -> Stream<'_, C, S> {
        Stream { conn: &mut self.connection, sock: &mut self.socket }
    }
}

impl<C, D, S> Read for Encrypted<C, S>
where
    C: DerefMut + Deref<Target = ConnectionCommon<D>>,
    D: SideData,
    S: Read + Write,
{
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.stream().read(room)
    }
}

impl<C, D, S> Write for Encrypted<C, S>
where
    C: DerefMut + Deref<Target = ConnectionCommon<D>>,
    D: SideData,
    S: Read + Write,
{
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream().write(bytes)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.stream().write_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream().flush()
    }
}
