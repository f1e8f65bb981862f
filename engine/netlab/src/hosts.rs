//! The two hosts between which everything is measured, each a network namespace with one interface.

use std::net::Ipv4Addr;

use crate::cable::Party;
use crate::namespace::Namespace;

/// The network of every pair: its namespaces know no other, so every pair has the same.
pub const CLIENT: Party = Party { address: Ipv4Addr::new(10, 77, 0, 1), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x01] };
pub const SERVER: Party = Party { address: Ipv4Addr::new(10, 77, 0, 2), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x02] };

/// Both, whatever lies between them.
pub struct Hosts {
    pub client: Namespace,
    pub server: Namespace,
}
