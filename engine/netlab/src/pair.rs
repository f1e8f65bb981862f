//! Two hosts and what lies between them: a cable, or two cables and the emulator in a namespace of its own.

use std::net::Ipv4Addr;

use crate::cable::{END, End, Party, Route, wait_until_it_sends};
use crate::emulator::profile::Link;
use crate::emulator::{Emulator, Tally};
use crate::failure::Result;
use crate::namespace::Namespace;
use crate::offload;

/// The network of every pair: its namespaces know no other, so every pair has the same.
pub const CLIENT: Party = Party { address: Ipv4Addr::new(10, 77, 0, 1), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x01] };
pub const SERVER: Party = Party { address: Ipv4Addr::new(10, 77, 0, 2), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x02] };

/// The MTU of a cable without a profile: Ethernet's.
pub const MTU: u32 = 1500;

/// The ends of the cables, at the hosts and in the middle.
const AT_CLIENT: End = End { name: END, number: 11, party: Some(CLIENT) };
const AT_SERVER: End = End { name: END, number: 12, party: Some(SERVER) };
const LEFT: End = End { name: "left0", number: 21, party: None };
const RIGHT: End = End { name: "right0", number: 22, party: None };

/// Two hosts joined by a link.
pub struct Pair {
    pub client: Namespace,
    pub server: Namespace,
    middle: Option<Middle>,
}

/// What stands between the hosts where a profile asks for it. The emulator first: it ends before its interfaces do.
struct Middle {
    emulator: Emulator,
    _namespace: Namespace,
}

impl Pair {
    /// Makes the hosts and what lies between, everything on. The calling thread ends up in the server's host.
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
        let mut pair = Pair { client, server, middle: None };
        pair.connect()?;
        if let (Some(namespace), Some(link)) = (middle, link) {
            match link.grain(mtu) {
                None => pair.offload(false)?,
                Some(octets) => pair.grain(octets)?,
            }
            namespace.enter()?;
            for end in [LEFT.name, RIGHT.name] {
                wait_until_it_sends(end)?;
                if link.grain(mtu).is_none() {
                    offload::switch(end, false)?;
                }
            }
            let emulator = Emulator::start(LEFT.name, RIGHT.name, link, mtu)?;
            pair.middle = Some(Middle { emulator, _namespace: namespace });
        }
        pair.server.enter()?;
        Ok(pair)
    }

    /// Switches the offloads of both ends, so that what a capture sees are frames as a cable carries them.
    pub fn offload(&self, on: bool) -> Result<()> {
        self.client.enter()?;
        let client = offload::switch(END, on);
        self.server.enter()?;
        client.and_then(|()| offload::switch(END, on))
    }

    /// How long a frame the hosts may hand over whole.
    fn grain(&self, octets: u32) -> Result<()> {
        for host in [&self.client, &self.server] {
            host.enter()?;
            Route::open()?.longest(END, octets)?;
        }
        Ok(())
    }

    /// What became of the frames, to the server and to the client, where there is an emulator.
    pub fn tallies(&mut self) -> Result<Option<[Tally; 2]>> {
        self.middle.as_mut().map(|middle| middle.emulator.tallies()).transpose()
    }

    fn connect(&self) -> Result<()> {
        for (namespace, own, other) in [(&self.client, CLIENT, SERVER), (&self.server, SERVER, CLIENT)] {
            namespace.enter()?;
            let mut route = Route::open()?;
            route.up(END)?;
            route.address(END, own, other)?;
        }
        for namespace in [&self.client, &self.server] {
            namespace.enter()?;
            wait_until_it_sends(END)?;
        }
        Ok(())
    }
}

/// A namespace with lo switched on; the calling thread is in it.
fn host() -> Result<Namespace> {
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
