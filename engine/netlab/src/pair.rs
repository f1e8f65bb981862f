//! Two hosts and the link between them: a cable, or two cables and the emulator in its own namespace.

use crate::cable::{END, End, Route, wait_until_it_sends};
use crate::emulator::profile::{Link, Maker};
use crate::emulator::{Emulator, LinkCounts};
use crate::examine::{self, Way};
use crate::failure::{Failure, Result};
use crate::hosts::{CLIENT, Hosts, SERVER};
use crate::namespace::Namespace;
use crate::offload;
use crate::shaper::Shaper;
use crate::shaper::plan::Plan;

/// The MTU of a cable without a profile: Ethernet's.
pub const MTU: u32 = 1500;

/// The ends of the cables at the hosts and in the middle.
pub(crate) const AT_CLIENT: End = End { name: END, number: 11, party: Some(CLIENT) };
pub(crate) const AT_SERVER: End = End { name: END, number: 12, party: Some(SERVER) };
pub(crate) const LEFT: End = End { name: "left0", number: 21, party: None };
pub(crate) const RIGHT: End = End { name: "right0", number: 22, party: None };

/// Why the kernel does not implement a link although it was requested.
const SILENT: &str = "this kernel took the link's programs, and no frame came through";

/// Two hosts joined by a link.
pub struct Pair {
    pub hosts: Hosts,
    middle: Option<Middle>,
}

/// The link between the hosts, if there is a profile. The implementation is declared first, so that it ends before its interfaces.
struct Middle {
    works: Works,
    namespace: Namespace,
}

enum Works {
    Kernel(Shaper),
    /// With the reason why the kernel does not implement the link.
    Emulator(Emulator, String),
}

impl Pair {
    /// Creates the hosts and the link. The calling thread is in the server's host afterwards.
    pub fn make(mtu: u32, link: Option<&Link>) -> Result<Self> {
        let client = host()?;
        let server = host()?;
        let middle = match link {
            None => {
                Route::open()?.cable(AT_SERVER, AT_CLIENT, &client, mtu)?;
                None
            }
            Some(_) => Some(between(&client, &server, mtu)?),
        };
        let mut pair = Pair { hosts: Hosts { client, server }, middle: None };
        pair.connect()?;
        if let (Some(namespace), Some(link)) = (middle, link) {
            match link.grain(mtu) {
                None => pair.offload(false)?,
                Some(bytes) => pair.grain(bytes)?,
            }
            namespace.enter()?;
            for end in [LEFT.name, RIGHT.name] {
                wait_until_it_sends(end)?;
                if link.grain(mtu).is_none() {
                    offload::switch(end, false)?;
                }
            }
            let works = Works::begin(&namespace, link, mtu)?;
            pair.middle = Some(Middle { works, namespace });
            pair.prove(link, mtu)?;
        }
        pair.hosts.server.enter()?;
        Ok(pair)
    }

    /// Sends a datagram in each direction through a link of the kernel. If none arrives, which depends on the kernel version, the emulator is used.
    fn prove(&mut self, link: &Link, mtu: u32) -> Result<()> {
        let Some(Middle { works: Works::Kernel(_), .. }) = &self.middle else { return Ok(()) };
        let passes = examine::passes(&self.hosts, Way::ToServer)? && examine::passes(&self.hosts, Way::ToClient)?;
        let Some(Middle { works, namespace }) = &mut self.middle else { return Ok(()) };
        match works {
            Works::Kernel(shaper) if passes => shaper.forget(),
            _ if link.maker == Some(Maker::Kernel) => Err(Failure::bad(SILENT)),
            _ => {
                namespace.enter()?;
                Shaper::clear([LEFT, RIGHT])?;
                *works = Works::Emulator(Emulator::start(LEFT.name, RIGHT.name, link, mtu)?, SILENT.to_owned());
                Ok(())
            }
        }
    }

    /// Switches the offloads of both ends. Without them, a capture shows frames as a cable carries them.
    pub fn offload(&self, on: bool) -> Result<()> {
        self.hosts.client.enter()?;
        let client = offload::switch(END, on);
        self.hosts.server.enter()?;
        client.and_then(|()| offload::switch(END, on))
    }

    /// Sets the longest frame that the hosts may pass on.
    fn grain(&self, bytes: u32) -> Result<()> {
        for host in [&self.hosts.client, &self.hosts.server] {
            host.enter()?;
            Route::open()?.longest(END, bytes)?;
        }
        Ok(())
    }

    /// The counts of the frames to the server and to the client, if there is a profile.
    pub fn counts(&mut self) -> Result<Option<[LinkCounts; 2]>> {
        let counts = |middle: &mut Middle| match &mut middle.works {
            Works::Kernel(shaper) => shaper.counts(),
            Works::Emulator(emulator, _) => emulator.counts(),
        };
        self.middle.as_mut().map(counts).transpose()
    }

    /// What implements the link, and why not the kernel; None: a plain cable.
    #[must_use]
    pub fn maker(&self) -> Option<(Maker, Option<&str>)> {
        self.middle.as_ref().map(|middle| match &middle.works {
            Works::Kernel(_) => (Maker::Kernel, None),
            Works::Emulator(_, why) => (Maker::Emulator, Some(why.as_str())),
        })
    }

    fn connect(&self) -> Result<()> {
        for (namespace, own, other) in [(&self.hosts.client, CLIENT, SERVER), (&self.hosts.server, SERVER, CLIENT)] {
            namespace.enter()?;
            let mut route = Route::open()?;
            route.up(END)?;
            route.address(END, own, other)?;
        }
        for namespace in [&self.hosts.client, &self.hosts.server] {
            namespace.enter()?;
            wait_until_it_sends(END)?;
        }
        Ok(())
    }
}

impl Works {
    fn begin(middle: &Namespace, link: &Link, mtu: u32) -> Result<Self> {
        let why = match link.maker {
            Some(Maker::Emulator) => Failure::bad("the profile asks for the emulator"),
            _ => match Works::kernel(middle, link, mtu) {
                Ok(works) => return Ok(works),
                Err(failure) if link.maker == Some(Maker::Kernel) => return Err(failure),
                Err(failure) => failure,
            },
        };
        Ok(Works::Emulator(Emulator::start(LEFT.name, RIGHT.name, link, mtu)?, why.message))
    }

    fn kernel(middle: &Namespace, link: &Link, mtu: u32) -> Result<Self> {
        let plans = Plan::of(link, mtu).ok_or_else(|| Failure::bad("the kernel's queue cannot do to frames what this profile asks"))?;
        let ends = [LEFT, RIGHT];
        match Shaper::start(middle, ends, &plans, mtu) {
            Ok(shaper) => Ok(Works::Kernel(shaper)),
            Err(failure) => Shaper::clear(ends).and(Err(failure)),
        }
    }
}

/// A namespace with lo switched on. The calling thread is in it.
pub(crate) fn host() -> Result<Namespace> {
    let namespace = Namespace::make()?;
    Route::open()?.up("lo")?;
    Ok(namespace)
}

/// A namespace in the middle, with a cable to each host.
fn between(client: &Namespace, server: &Namespace, mtu: u32) -> Result<Namespace> {
    let middle = Namespace::make()?;
    let mut route = Route::open()?;
    route.cable(LEFT, AT_CLIENT, client, mtu)?;
    route.cable(RIGHT, AT_SERVER, server, mtu)?;
    route.up(LEFT.name)?;
    route.up(RIGHT.name)?;
    Ok(middle)
}
