//! A link that the kernel implements: its queue releases each frame at the right time, without waking a process of ours.
//!
//! A frame comes from a host to an interface of the middle namespace, where the program `entry` handles it. It waits in the queue of one end of a
//! cable within that namespace. At the other end of the cable, `exit` passes it to the other host.

mod bpf;
mod code;
pub mod plan;
mod program;
mod queue;

use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;

use crate::cable::{End, Party, Route, wait_until_it_sends};
use crate::emulator::LinkCounts;
use crate::failure::{Failure, Result};
use crate::hosts::{CLIENT, SERVER};
use crate::namespace::Namespace;
use plan::Plan;
use program::{SHARED, Shared};
use queue::Side;

/// The cables in the middle, in which frames wait. The frame's hardware address decides which host receives it.
const LINES: [[End; 2]; 2] =
    [[end("wait1", 31, None), end("out1", 32, Some(SERVER))], [end("wait2", 41, None), end("out2", 42, Some(CLIENT))]];
/// The program limits the queue, not the kernel. So the kernel's limit is higher than any count of the program.
const WAITING: u32 = 10_000_000;

const fn end(name: &'static str, number: u32, party: Option<Party>) -> End {
    End { name, number, party }
}

/// A link of the kernel. It ends with the middle namespace.
pub struct Shaper {
    shared: [OwnedFd; 2],
}

/// The parts of one direction, before they are created.
struct Parts {
    shared: OwnedFd,
    entry: OwnedFd,
    trim: OwnedFd,
    exit: OwnedFd,
}

impl Parts {
    fn make(plan: &Plan, wait: End, to: End) -> Result<Self> {
        let shared = bpf::map(SHARED as u32 * 8).map_err(|error| Failure::kernel("the kernel shares no numbers with us", error))?;
        let load = |code: Vec<u64>| bpf::program(&code).map_err(refused);
        let map = shared.as_raw_fd();
        let (entry, exit) = (load(program::entry(plan, map, wait.number))?, load(program::exit(plan, map, to.number))?);
        Ok(Parts { entry, trim: load(program::trim())?, exit, shared })
    }
}

impl Shaper {
    /// Connects two interfaces of `middle`, which the calling thread is in: `ends` are the client's and the server's.
    pub fn start(middle: &Namespace, ends: [End; 2], plans: &[Plan; 2], mtu: u32) -> Result<Self> {
        let [client, server] = ends;
        let parts = [Parts::make(&plans[0], LINES[0][0], server)?, Parts::make(&plans[1], LINES[1][0], client)?];
        let mut route = Route::open()?;
        for ((line, plan), part) in LINES.iter().zip(plans).zip(&parts) {
            lay(&mut route, middle, line, plan, part, mtu)?;
        }
        for (end, part) in ends.iter().zip(&parts) {
            queue::hook(&mut route, end.number)?;
            queue::run(&mut route, end.number, Side::Arriving, &part.entry)?;
        }
        Ok(Shaper { shared: parts.map(|it| it.shared) })
    }

    /// Resets the counts. No frame may be in flight.
    pub fn forget(&self) -> Result<()> {
        let none = [0_u64; SHARED];
        let cleared = self.shared.iter().try_for_each(|map| bpf::set(map, &none));
        cleared.map_err(|error| Failure::kernel("cannot begin to count anew", error))
    }

    /// Removes what a failed start has left.
    pub fn clear(ends: [End; 2]) -> Result<()> {
        let mut route = Route::open()?;
        for end in ends {
            queue::unhook(&mut route, end.number);
        }
        Ok(())
    }

    /// The counts of the frames to the server and to the client.
    pub fn counts(&self) -> Result<[LinkCounts; 2]> {
        let [to_server, to_client] = &self.shared;
        Ok([link_counts(to_server)?, link_counts(to_client)?])
    }
}

/// Creates the cable in which the frames of a direction wait.
fn lay(route: &mut Route, middle: &Namespace, line: &[End; 2], plan: &Plan, part: &Parts, mtu: u32) -> Result<()> {
    let [wait, out] = *line;
    route.cable(wait, out, middle, mtu)?;
    if plan.takes_time() {
        route.waiting(wait.name, WAITING)?;
        queue::keep_apart(route, wait.number, plan)?;
    }
    for (end, side, program) in [(wait, Side::Leaving, &part.trim), (out, Side::Arriving, &part.exit)] {
        queue::hook(route, end.number)?;
        queue::run(route, end.number, side, program)?;
        route.up(end.name)?;
    }
    wait_until_it_sends(wait.name)
}

fn link_counts(map: &OwnedFd) -> Result<LinkCounts> {
    let shared = bpf::value::<SHARED>(map).map_err(|error| Failure::kernel("cannot read what the kernel's programs counted", error))?;
    let number = |which: Shared| shared[which as usize];
    Ok(LinkCounts {
        frames: number(Shared::Frames),
        bytes: number(Shared::Bytes),
        left: number(Shared::Left),
        left_bytes: number(Shared::LeftBytes),
        overflowed: number(Shared::Overflowed),
        missed: number(Shared::Missed),
        ..LinkCounts::default()
    })
}

fn refused((error, log): (Errno, String)) -> Failure {
    // The last lines contain the reason.
    let why: Vec<_> = log.lines().rev().take(3).collect();
    Failure::kernel(format!("the kernel takes no program of ours for frames ({})", why.join("; ")), error)
}
