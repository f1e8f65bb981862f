//! The offloads of an interface: work that the kernel leaves to hardware, which a virtual cable does not have.
//!
//! With offloads, a capture contains frames of 64 KiB that no real cable carries, and checksums that are not computed yet.

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::os::fd::AsRawFd;

use crate::failure::{Failure, Result};

const SIOCETHTOOL: libc::Ioctl = 0x8946;
/// The setters of include/uapi/linux/ethtool.h. Features that depend on others come before them.
const SWITCHES: [(u32, &str); 5] = [
    (0x1f, "tso"), // ETHTOOL_STSO
    (0x24, "gso"), // ETHTOOL_SGSO
    (0x2c, "gro"), // ETHTOOL_SGRO
    (0x15, "rx"),  // ETHTOOL_SRXCSUM
    (0x17, "tx"),  // ETHTOOL_STXCSUM
];

#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Switches every offload of an interface of this thread's namespace on or off.
pub fn switch(interface: &str, on: bool) -> Result<()> {
    let control = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
        .map_err(|error| Failure::kernel("cannot open a socket", error))?;
    let order: Vec<_> = if on { SWITCHES.iter().rev().collect() } else { SWITCHES.iter().collect() };
    for (command, name) in order {
        let mut value = Value { command: *command, data: u32::from(on) };
        // SAFETY: all zero bytes are a valid ifreq.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_data = std::ptr::from_mut(&mut value).cast();
        // SAFETY: the request names an interface and points at a value that outlives the call.
        let done = unsafe { libc::ioctl(control.as_raw_fd(), SIOCETHTOOL, &raw mut request) };
        match Errno::result(done) {
            // A kernel without this feature needs no switch.
            Ok(_) | Err(Errno::EOPNOTSUPP) => {}
            Err(error) => return Err(Failure::kernel(format!("cannot switch {name} of {interface}"), error)),
        }
    }
    Ok(())
}
