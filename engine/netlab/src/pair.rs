//! Two hosts and what lies between them.

use std::net::Ipv4Addr;

use crate::cable::{END, Party, Route, wait_until_running};
use crate::failure::Result;
use crate::namespace::Namespace;
use crate::offload;

/// The network of every pair: its namespaces know no other, so every pair has the same.
pub const CLIENT: Party = Party { address: Ipv4Addr::new(10, 77, 0, 1), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x01] };
pub const SERVER: Party = Party { address: Ipv4Addr::new(10, 77, 0, 2), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x02] };

/// The MTU of a cable without a profile: Ethernet's.
pub const MTU: u32 = 1500;

/// Two hosts joined by a cable.
pub struct Pair {
    pub client: Namespace,
    pub server: Namespace,
}

impl Pair {
    /// Makes the hosts and the cable, everything on. The calling thread ends up in the server's host.
    pub fn make(mtu: u32) -> Result<Self> {
        let client = host()?;
        let server = host()?;
        let mut route = Route::open()?;
        route.cable((END, Some(SERVER)), (END, Some(CLIENT)), &client, mtu)?;
        connect(&mut route, SERVER, CLIENT)?;
        client.enter()?;
        connect(&mut Route::open()?, CLIENT, SERVER)?;
        wait_until_running(END)?;
        server.enter()?;
        wait_until_running(END)?;
        Ok(Pair { client, server })
    }

    /// Switches the offloads of both ends, so that what a capture sees are frames as a cable carries them.
    pub fn offload(&self, on: bool) -> Result<()> {
        self.client.enter()?;
        let client = offload::switch(END, on);
        self.server.enter()?;
        client.and_then(|()| offload::switch(END, on))
    }
}

/// A namespace with lo switched on; the calling thread is in it.
fn host() -> Result<Namespace> {
    let namespace = Namespace::make()?;
    Route::open()?.up("lo")?;
    Ok(namespace)
}

fn connect(route: &mut Route, own: Party, other: Party) -> Result<()> {
    route.up(END)?;
    route.address(END, own, other)
}
