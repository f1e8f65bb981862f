//! `shm`: two rings in shared memory, one per direction. A waiting side sleeps on a futex and is only woken if it sleeps.
//!
//! The server creates the memory and passes it on at a rendezvous. It is sealed against shrinking, because a shorter memory would kill the server
//! with a bus error.

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

use super::line::{Caller, Line, Patience};
use super::rendezvous::{self, Control};
use super::ring::{self, Place, Ring};
use super::wait::{Futex, Wait};
use super::{Channel, Connection, Route, only};

pub struct Shm;

/// What the memory holds.
#[repr(C)]
struct Rings {
    requests: Ring,
    answers: Ring,
}

const SIZE: NonZeroUsize = NonZeroUsize::new(size_of::<Rings>()).unwrap();

/// The memory, mapped.
struct Mapping(NonNull<Rings>);

// SAFETY: the mapping belongs to the process, not to a thread, and `Rings` is made to be shared.
unsafe impl Send for Mapping {}

impl Mapping {
    fn of(memory: &OwnedFd) -> Result<Self, Failure> {
        let both = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses touches nothing that exists. Both callers have made sure that
        // the memory is as long as `SIZE` and stays so.
        let address = unsafe { mmap(None, SIZE, both, MapFlags::MAP_SHARED | MapFlags::MAP_POPULATE, memory.as_fd(), 0) };
        Ok(Mapping(address.map_err(std::io::Error::from)?.cast()))
    }

    fn rings(&self) -> &Rings {
        // SAFETY: mapped as long as `self` lives, aligned to a page, and any bytes are valid `Rings`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `of` with this length; no reference outlives `self`.
        let _ = unsafe { munmap(self.0.cast(), SIZE.get()) };
    }
}

/// One end, client's or server's.
struct End<W> {
    mapping: Mapping,
    control: Control,
    server: bool,
    sent: Place,
    taken: Place,
    message: Vec<u8>,
    wait: PhantomData<W>,
}

impl<W: Wait> End<W> {
    fn new(memory: &OwnedFd, control: Control, server: bool) -> Result<Self, Failure> {
        let mapping = Mapping::of(memory)?;
        Ok(End { mapping, control, server, sent: Place::default(), taken: Place::default(), message: Vec::new(), wait: PhantomData })
    }
}

impl<W: Wait> Line for End<W> {
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        let rings = self.mapping.rings();
        let ring = if self.server { &rings.answers } else { &rings.requests };
        ring::write::<W>(ring, &mut self.sent, message, patience, &self.control)
    }

    fn receive(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        let rings = self.mapping.rings();
        let ring = if self.server { &rings.requests } else { &rings.answers };
        ring::read::<W>(ring, &mut self.taken, &mut self.message, patience, &self.control)
    }

    fn received(&self) -> &[u8] {
        &self.message
    }
}

fn make<W: Wait>(control: Control) -> Result<(End<W>, Vec<OwnedFd>), Failure> {
    let memory = memfd_create(c"callbench-rings", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING).map_err(std::io::Error::from)?;
    nix::unistd::ftruncate(&memory, SIZE.get() as i64).map_err(std::io::Error::from)?;
    let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
    fcntl(&memory, FcntlArg::F_ADD_SEALS(seals)).map_err(std::io::Error::from)?;
    Ok((End::new(&memory, control, true)?, vec![memory]))
}

fn dial<W: Wait>(to: &Connect) -> Result<End<W>, Failure> {
    let (control, [memory]) = rendezvous::join(to)?;
    let size = nix::sys::stat::fstat(&memory).map_err(std::io::Error::from)?.st_size;
    let seals = fcntl(&memory, FcntlArg::F_GET_SEALS).map_err(std::io::Error::from)?;
    if size != SIZE.get() as i64 || !SealFlag::from_bits_truncate(seals).contains(SealFlag::F_SEAL_SHRINK) {
        return Err(Failure::protocol("the server's shared memory is not laid out as this client expects: use one version on both sides"));
    }
    End::new(&memory, control, false)
}

pub fn serve<W: Wait>(channel: &str, routes: Vec<Route>) -> Result<Box<dyn Server>, Failure> {
    rendezvous::serve(channel, only(routes, channel)?.handler, make::<W>)
}

pub fn connect<W: Wait>(to: &Connect) -> Result<Box<dyn Connection>, Failure> {
    let place = to.clone();
    Ok(Box::new(Caller::new(to.timeout, move || dial::<W>(&place))?))
}

impl Channel for Shm {
    fn name(&self) -> &'static str {
        "shm"
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        serve::<Futex>("shm", routes)
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        connect::<Futex>(to)
    }
}
