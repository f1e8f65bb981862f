//! Receives every frame that an interface sends or receives. It is fast enough for an account, not for a flood.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::cable::index;
use crate::failure::{Failure, Kind, Result};

/// The buffer of the kernel. Frames beyond it are lost and counted.
const BUFFER: libc::c_int = 32 << 20;
/// The longest frame: segmentation offload makes frames of 64 KiB and headers.
const LONGEST: usize = 70_000;

/// An observed interface of the namespace in which it was opened.
pub struct Tap {
    socket: OwnedFd,
    buffer: Vec<u8>,
}

impl Tap {
    pub fn open(interface: &str) -> Result<Self> {
        let protocol = (libc::ETH_P_ALL as u16).to_be();
        // SAFETY: plain system call; the descriptor that comes back is owned below.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0) };
        if fd < 0 {
            let error = Errno::last();
            let what = format!("this kernel refuses a packet socket, so nothing can be counted ({}): CAP_NET_RAW is needed", error.desc());
            return Err(Failure::new(Kind::NoPackets, what));
        }
        // SAFETY: the descriptor has just been made and nobody else has it.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        let tap = Tap { socket, buffer: vec![0; LONGEST] };
        // Only root of the whole machine may exceed the system's limit. Other users get the limit, which is enough for an account.
        if tap.option(libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER).is_err() {
            tap.option(libc::SOL_SOCKET, libc::SO_RCVBUF, &BUFFER)
                .map_err(|error| Failure::kernel("cannot size a packet socket", error))?;
        }
        // SAFETY: all zeros is a valid sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = index(interface)? as i32;
        // SAFETY: the address is whole and its size is given.
        let bound = unsafe { libc::bind(tap.socket.as_raw_fd(), (&raw const address).cast(), size_of::<libc::sockaddr_ll>() as u32) };
        Errno::result(bound).map_err(|error| Failure::kernel(format!("cannot listen at {interface}"), error))?;
        Ok(tap)
    }

    fn option(&self, level: i32, name: i32, value: &libc::c_int) -> nix::Result<()> {
        let size = size_of::<libc::c_int>() as u32;
        // SAFETY: the value is an int and its size is given.
        Errno::result(unsafe { libc::setsockopt(self.socket.as_raw_fd(), level, name, std::ptr::from_ref(value).cast(), size) }).map(drop)
    }

    /// Passes every received frame to `each`: its time, its bytes and its length on the wire. Returns how many there were.
    pub fn drain(&mut self, mut each: impl FnMut(u64, &[u8], usize)) -> Result<u64> {
        let mut frames = 0;
        loop {
            // SAFETY: the buffer is ours, as long as said.
            let got = unsafe {
                libc::recv(
                    self.socket.as_raw_fd(),
                    self.buffer.as_mut_ptr().cast(),
                    self.buffer.len(),
                    libc::MSG_TRUNC | libc::MSG_DONTWAIT,
                )
            };
            match Errno::result(got) {
                Ok(length) => {
                    let length = length as usize;
                    let at_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
                    each(at_ns, &self.buffer[..length.min(LONGEST)], length);
                    frames += 1;
                }
                Err(Errno::EAGAIN) => return Ok(frames),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(Failure::kernel("cannot read captured frames", error)),
            }
        }
    }

    /// Frames that the kernel has dropped since the last call.
    pub fn lost(&self) -> Result<u64> {
        // SAFETY: all zeros is a valid tpacket_stats.
        let mut stats: libc::tpacket_stats = unsafe { zeroed() };
        let mut size = size_of::<libc::tpacket_stats>() as u32;
        // SAFETY: the kernel writes at most `size` bytes.
        let answer_of = unsafe {
            libc::getsockopt(self.socket.as_raw_fd(), libc::SOL_PACKET, libc::PACKET_STATISTICS, (&raw mut stats).cast(), &raw mut size)
        };
        Errno::result(answer_of).map_err(|error| Failure::kernel("cannot ask how many frames were lost", error))?;
        Ok(u64::from(stats.tp_drops))
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Waits until a frame is available or the time is over.
pub fn wait(tap: BorrowedFd<'_>, at_most: Duration) -> io::Result<()> {
    let timeout = PollTimeout::try_from(at_most.max(Duration::from_millis(1))).unwrap_or(PollTimeout::MAX);
    match poll(&mut [PollFd::new(tap, PollFlags::POLLIN)], timeout) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
