//! A link that the kernel makes by itself: its queue lets each frame go at its time, and no process of ours wakes up for it.
//!
//! A frame comes from a host to an interface of the middle namespace, where the program `entry` takes it. It waits in the queue of one end
//! of a cable within that namespace; at the cable's other end `exit` hands it to the other host.

mod bpf;
mod code;
pub mod plan;
mod program;
mod queue;

use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;

use crate::cable::{End, Party, Route, wait_until_it_sends};
use crate::emulator::Tally;
use crate::failure::{Failure, Result};
use crate::hosts::{CLIENT, SERVER};
use crate::namespace::Namespace;
use plan::Plan;
use program::{SHARED, Shared};
use queue::Side;

/// The cables in the middle: where a frame waits, and where it comes out. What comes out is for the host whose hardware address it bears.
const LINES: [[End; 2]; 2] =
    [[end("wait1", 31, None), end("out1", 32, Some(SERVER))], [end("wait2", 41, None), end("out2", 42, Some(CLIENT))]];
/// What waits is counted by the program, not by the kernel: more than it ever lets in.
const WAITING: u32 = 10_000_000;

const fn end(name: &'static str, number: u32, party: Option<Party>) -> End {
    End { name, number, party }
}

/// A link made by the kernel. It ends with the namespace in the middle.
pub struct Shaper {
    shared: [OwnedFd; 2],
}

/// What one direction is made of, before anything of it exists.
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
    /// Joins two interfaces of `middle`, which the calling thread is in: `ends` are the client's and the server's.
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

    /// Begins to count anew; while nothing travels.
    pub fn forget(&self) -> Result<()> {
        let none = [0_u64; SHARED];
        let cleared = self.shared.iter().try_for_each(|map| bpf::set(map, &none));
        cleared.map_err(|error| Failure::kernel("cannot begin to count anew", error))
    }

    /// Takes away what a start that failed has left at the ends.
    pub fn clear(ends: [End; 2]) -> Result<()> {
        let mut route = Route::open()?;
        for end in ends {
            queue::unhook(&mut route, end.number);
        }
        Ok(())
    }

    /// What became of the frames: to the server, to the client.
    pub fn tallies(&self) -> Result<[Tally; 2]> {
        let [to_server, to_client] = &self.shared;
        Ok([tally(to_server)?, tally(to_client)?])
    }
}

/// Lays the cable in which the frames of a direction wait.
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

fn tally(map: &OwnedFd) -> Result<Tally> {
    let shared = bpf::value::<SHARED>(map).map_err(|error| Failure::kernel("cannot read what the kernel's programs counted", error))?;
    let number = |which: Shared| shared[which as usize];
    Ok(Tally {
        frames: number(Shared::Frames),
        octets: number(Shared::Octets),
        left: number(Shared::Left),
        left_octets: number(Shared::LeftOctets),
        overflowed: number(Shared::Overflowed),
        missed: number(Shared::Missed),
        ..Tally::default()
    })
}

fn refused((error, log): (Errno, String)) -> Failure {
    // The last lines say what it was.
    let why: Vec<_> = log.lines().rev().take(3).collect();
    Failure::kernel(format!("the kernel takes no program of ours for frames ({})", why.join("; ")), error)
}
