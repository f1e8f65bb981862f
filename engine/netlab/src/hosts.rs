//! The two hosts of a measurement: network namespaces with one interface each.

use std::net::Ipv4Addr;

use crate::cable::Party;
use crate::namespace::Namespace;

/// The addresses of every pair. Namespaces are separate, so all pairs can use the same.
pub const CLIENT: Party = Party { address: Ipv4Addr::new(10, 77, 0, 1), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x01] };
pub const SERVER: Party = Party { address: Ipv4Addr::new(10, 77, 0, 2), hardware: [0x02, 0xca, 0x11, 0xbe, 0x00, 0x02] };

pub struct Hosts {
    pub client: Namespace,
    pub server: Namespace,
}
