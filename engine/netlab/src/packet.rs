//! Packet sockets: the frames of an interface in both directions (packet(7)).

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;

use crate::cable;
use crate::failure::{Failure, Kind, Result};

const ALL: u16 = (libc::ETH_P_ALL as u16).to_be();

/// A packet socket. It receives nothing until it is bound.
pub fn socket() -> Result<OwnedFd> {
    // SAFETY: makes a descriptor, which is ours.
    let made = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0) };
    match Errno::result(made) {
        // SAFETY: as above.
        Ok(descriptor) => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        Err(error @ (Errno::EPERM | Errno::EAFNOSUPPORT)) => Err(Failure::new(
            Kind::NoPackets,
            format!(
                "no packet socket can be opened ({}), so nothing can be captured, counted or emulated; the link pair works without: \
                 CAP_NET_RAW and a kernel with CONFIG_PACKET would allow it",
                error.desc()
            ),
        )),
        Err(error) => Err(Failure::kernel("cannot open a packet socket", error)),
    }
}

/// Sets an option of packet(7).
pub fn set<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> Result<()> {
    set_at(socket, libc::SOL_PACKET, option, value).map_err(|error| Failure::kernel("cannot set up a packet socket", error))
}

/// Sets an option of any level.
pub fn set_at<T>(socket: &impl AsRawFd, level: libc::c_int, option: libc::c_int, value: &T) -> std::result::Result<(), Errno> {
    // SAFETY: the value is read, for its own length.
    let done =
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, std::ptr::from_ref(value).cast(), size_of::<T>() as libc::socklen_t) };
    Errno::result(done).map(drop)
}

/// Binds the socket to an interface: it receives every frame and sends there.
pub fn bind(socket: &OwnedFd, interface: &str) -> Result<()> {
    // SAFETY: all zero bytes are a valid address.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = ALL;
    address.sll_ifindex = cable::index(interface)? as i32;
    // SAFETY: the address is read, for its own length.
    let done = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size_of::<libc::sockaddr_ll>() as libc::socklen_t) };
    Errno::result(done).map(drop).map_err(|error| Failure::kernel(format!("cannot listen to {interface}"), error))
}

/// Frames seen and dropped since the last call, by the kernel's count. Frames seen include dropped ones.
pub fn statistics(socket: &OwnedFd) -> Result<(u64, u64)> {
    // SAFETY: all zero bytes are valid counters.
    let mut counters: libc::tpacket_stats_v3 = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tpacket_stats_v3>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes of counters.
    let done = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_PACKET, libc::PACKET_STATISTICS, (&raw mut counters).cast(), &raw mut length)
    };
    Errno::result(done).map_err(|error| Failure::kernel("cannot read a packet socket's counters", error))?;
    Ok((u64::from(counters.tp_packets), u64::from(counters.tp_drops)))
}
