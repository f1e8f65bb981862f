//! Half a pair: one host, whose other one is on another machine. Frames between them travel there as datagrams of UDP.
//!
//! Nothing of the machine's own network is changed: its interfaces, addresses and rules stay. The half ends with this process, whatever ends it.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, getsockname, socket};

use crate::cable::{END, Party, Route, wait_until_it_sends};
use crate::emulator::carried::HEADER;
use crate::emulator::profile::{Link, Maker};
use crate::emulator::{self, Emulator, LinkCounts};
use crate::examine::Way;
use crate::failure::{Failure, Result};
use crate::hosts::{CLIENT, SERVER};
use crate::namespace::Namespace;
use crate::offload;
use crate::pair::{AT_CLIENT, AT_SERVER, LEFT, RIGHT, host};

/// What a frame's way through the tunnel adds to it: headers of IP and UDP, the emulator's own, and Ethernet's.
const ADDED: u32 = 20 + 8 + HEADER as u32 + 14;
/// Of the headers that an IPv4 host must take.
const LEAST_MTU: u32 = 576;
/// A port that nobody listens at.
const DISCARD: u16 = 9;
const TRY: Duration = Duration::from_millis(200);

/// A socket of the machine's own network. It is opened before this process has one of its own, and listens nowhere yet.
pub struct Tunnel {
    socket: Arc<OwnedFd>,
}

impl Tunnel {
    pub fn open() -> Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let opened = socket(AddressFamily::Inet, SockType::Datagram, flags, None);
        Ok(Tunnel { socket: Arc::new(opened.map_err(|error| Failure::kernel("cannot open a socket", error))?) })
    }

    /// Takes any free port of an address of this machine. Returns the port.
    pub fn listen(&self, address: Ipv4Addr) -> Result<u16> {
        emulator::prepare(&self.socket)?;
        bind(self.socket.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(address, 0)))
            .and_then(|()| getsockname::<SockaddrIn>(self.socket.as_raw_fd()))
            .map(|own| own.port())
            .map_err(|error| Failure::kernel(format!("cannot listen at {address}"), error))
    }

    /// Takes datagrams of the other machine alone from now on. Returns the longest packet that a frame may carry.
    fn connect(&self, other: SocketAddrV4) -> Result<u32> {
        connect(self.socket.as_raw_fd(), &SockaddrIn::from(other))
            .map_err(|error| Failure::kernel(format!("cannot send to {other}"), error))?;
        // What came before may be anybody's.
        // SAFETY: a null buffer of no bytes; each datagram is cut off and dropped.
        while unsafe { libc::recv(self.socket.as_raw_fd(), std::ptr::null_mut(), 0, libc::MSG_DONTWAIT) } >= 0 {}
        let (mut mtu, mut length): (libc::c_int, _) = (0, size_of::<libc::c_int>() as libc::socklen_t);
        // SAFETY: the kernel writes at most `length` bytes of a number.
        let done =
            unsafe { libc::getsockopt(self.socket.as_raw_fd(), libc::IPPROTO_IP, libc::IP_MTU, (&raw mut mtu).cast(), &raw mut length) };
        Errno::result(done).map_err(|error| Failure::kernel(format!("cannot ask for the longest packet to {other}"), error))?;
        Ok(u32::try_from(mtu).unwrap_or_default().saturating_sub(ADDED).max(LEAST_MTU))
    }
}

/// The host, and what moves its frames. That is declared first, so that it ends before its interfaces.
pub struct Half {
    emulator: Emulator,
    _middle: Namespace,
    pub host: Namespace,
    pub own: Party,
    other: Party,
}

impl Half {
    /// Creates the host at one end of a link. What `link` does to frames of both directions is done here; None: at the other half.
    pub fn make(tunnel: &Tunnel, sends: Way, other: SocketAddrV4, link: Option<&Link>, mtu: u32) -> Result<Self> {
        if link.is_some_and(|link| link.maker == Some(Maker::Kernel)) {
            return Err(Failure::bad("the kernel's queue makes no link between machines: leave its maker out"));
        }
        let mtu = mtu.min(tunnel.connect(other)?);
        let namespace = host()?;
        let middle = Namespace::make()?;
        let (near, end, own, other) = match sends {
            Way::ToServer => (LEFT, AT_CLIENT, CLIENT, SERVER),
            Way::ToClient => (RIGHT, AT_SERVER, SERVER, CLIENT),
        };
        let mut route = Route::open()?;
        route.cable(near, end, &namespace, mtu)?;
        route.up(near.name)?;
        namespace.enter()?;
        let mut route = Route::open()?;
        route.up(END)?;
        route.address(END, own, other)?;
        wait_until_it_sends(END)?;
        // A datagram holds no more than a frame of the line.
        offload::switch(END, false)?;
        middle.enter()?;
        wait_until_it_sends(near.name)?;
        offload::switch(near.name, false)?;
        let (frames, tunnel) = (Arc::new(emulator::open(near.name)?), Arc::clone(&tunnel.socket));
        let ends = match sends {
            Way::ToServer => [frames, tunnel],
            Way::ToClient => [tunnel, frames],
        };
        let plain = Link::plain();
        let emulator = Emulator::between(ends, link.unwrap_or(&plain), Some(mtu as usize + 18))?;
        Ok(Half { emulator, _middle: middle, host: namespace, own, other })
    }

    /// Whether the other host answers within this time: it refuses a datagram for a port that nobody listens at.
    pub fn reaches(&self, patience: Duration) -> Result<bool> {
        self.host.enter()?;
        let deadline = Instant::now() + patience;
        let failed = |error: std::io::Error| Failure::io("cannot send to the other host", &error);
        let sender = UdpSocket::bind((self.own.address, 0)).map_err(failed)?;
        sender.set_read_timeout(Some(TRY)).map_err(failed)?;
        sender.connect((self.other.address, DISCARD)).map_err(failed)?;
        while Instant::now() < deadline {
            // Sending may meet the refusal of the datagram before.
            let met = sender.send(&[0]).and_then(|_| sender.recv(&mut [0; 64]));
            if met.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The counts of the frames to the server and to the client.
    pub fn counts(&mut self) -> Result<[LinkCounts; 2]> {
        self.emulator.counts()
    }
}
