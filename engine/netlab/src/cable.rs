//! The cable: a pair of virtual Ethernet interfaces in two namespaces, with addresses and static neighbour entries. So it carries only packets of the
//! hosts, no address resolution and no IPv6.

use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};
use std::thread;
use std::time::{Duration, Instant};

use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{InfoData, InfoKind, InfoVeth, LinkAttribute, LinkFlags, LinkInfo, LinkMessage};
use netlink_packet_route::neighbour::{NeighbourAddress, NeighbourAttribute, NeighbourMessage, NeighbourState};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use nix::errno::Errno;
use nix::net::if_::if_nametoindex;

use crate::failure::{Failure, Kind, Result};
use crate::namespace::Namespace;

/// The name of the interface at each host.
pub const END: &str = "wire0";
/// The length of the network's prefix: two hosts.
const PREFIX: u8 = 30;
/// The queueing discipline of an interface that is not ready yet.
const DROPS_ALL: &str = "noop";
const PATIENCE: Duration = Duration::from_secs(10);

/// One end of a cable. The two ends must have different interface numbers. If they are equal, the kernel confuses the ends and may take a whole
/// second to switch them on.
#[derive(Debug, Clone, Copy)]
pub struct End {
    pub name: &'static str,
    pub number: u32,
    pub party: Option<Party>,
}

/// The addresses of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    pub address: Ipv4Addr,
    pub hardware: [u8; 6],
}

/// The netlink connection to the kernel in the namespace in which it was opened.
pub struct Route {
    socket: Socket,
    sequence: u32,
}

impl Route {
    pub fn open() -> Result<Self> {
        let open = || {
            let mut socket = Socket::new(NETLINK_ROUTE)?;
            socket.bind_auto()?;
            socket.connect(&SocketAddr::new(0, 0))?;
            Ok(socket)
        };
        let socket = open().map_err(|error: std::io::Error| Failure::io("cannot speak with the kernel about interfaces", &error))?;
        Ok(Route { socket, sequence: 0 })
    }

    /// Creates a cable: one end here, the other in the namespace `other`.
    pub fn cable(&mut self, here: End, there: End, other: &Namespace, mtu: u32) -> Result<()> {
        let mut far = end(there, mtu);
        far.attributes.push(LinkAttribute::NetNsFd(other.as_fd().as_raw_fd()));
        let mut near = end(here, mtu);
        near.attributes
            .push(LinkAttribute::LinkInfo(vec![LinkInfo::Kind(InfoKind::Veth), LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(far)))]));
        self.ask(RouteNetlinkMessage::NewLink(near), NLM_F_CREATE | NLM_F_EXCL, "cannot make a virtual cable")
    }

    /// Switches an interface of this namespace on.
    pub fn up(&mut self, name: &str) -> Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = index(name)?;
        message.header.flags = LinkFlags::Up;
        message.header.change_mask = LinkFlags::Up;
        self.ask(RouteNetlinkMessage::SetLink(message), 0, &format!("cannot switch {name} on"))
    }

    /// Sets the maximum length of frames with segmentation offload on an interface of this namespace.
    pub fn longest(&mut self, name: &str, bytes: u32) -> Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = index(name)?;
        message.attributes = vec![LinkAttribute::GsoMaxSize(bytes)];
        self.ask(RouteNetlinkMessage::SetLink(message), 0, &format!("cannot limit the frames of {name} to {bytes} bytes"))
    }

    /// Sets the maximum length of queues that are created from now on at an interface of this namespace.
    pub fn waiting(&mut self, name: &str, frames: u32) -> Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = index(name)?;
        message.attributes = vec![LinkAttribute::TxQueueLen(frames)];
        self.ask(RouteNetlinkMessage::SetLink(message), 0, &format!("cannot let {frames} frames wait at {name}"))
    }

    /// Sets the address of an interface of this namespace, and the address of the other host.
    pub fn address(&mut self, name: &str, own: Party, other: Party) -> Result<()> {
        let index = index(name)?;
        let mut message = AddressMessage::default();
        message.header.family = AddressFamily::Inet;
        message.header.prefix_len = PREFIX;
        message.header.index = index;
        message.attributes = vec![AddressAttribute::Local(own.address.into()), AddressAttribute::Address(own.address.into())];
        let what = format!("cannot give {name} the address {}", own.address);
        self.ask(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_EXCL, &what)?;
        let mut neighbour = NeighbourMessage::default();
        neighbour.header.family = AddressFamily::Inet;
        neighbour.header.ifindex = index;
        neighbour.header.state = NeighbourState::Permanent;
        neighbour.attributes = vec![
            NeighbourAttribute::Destination(NeighbourAddress::Inet(other.address)),
            NeighbourAttribute::LinkLayerAddress(other.hardware.to_vec()),
        ];
        self.ask(RouteNetlinkMessage::NewNeighbour(neighbour), NLM_F_CREATE, "cannot say where the other host is")
    }

    /// Sends a request to the kernel and waits until it is done.
    pub fn ask(&mut self, message: RouteNetlinkMessage, flags: u16, what: &str) -> Result<()> {
        match self.answer(message, NLM_F_ACK | flags, what)? {
            NetlinkPayload::Error(answer_of) => match answer_of.code {
                None => Ok(()),
                Some(code) => Err(Failure::kernel(what, Errno::from_raw(code.get().abs()))),
            },
            other => Err(Failure::new(Kind::Kernel, format!("{what}: the kernel answered {other:?}"))),
        }
    }

    /// Whether frames sent through an interface of this namespace leave it.
    fn sends(&mut self, name: &str) -> Result<bool> {
        let mut message = LinkMessage::default();
        message.header.index = index(name)?;
        let what = format!("cannot look at {name}");
        match self.answer(RouteNetlinkMessage::GetLink(message), 0, &what)? {
            NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewLink(link)) => {
                let drops = |it: &LinkAttribute| matches!(it, LinkAttribute::Qdisc(queue) if queue == DROPS_ALL);
                Ok(link.header.flags.contains(LinkFlags::Running) && !link.attributes.iter().any(drops))
            }
            other => Err(Failure::new(Kind::Kernel, format!("{what}: the kernel answered {other:?}"))),
        }
    }

    fn answer(&mut self, message: RouteNetlinkMessage, flags: u16, what: &str) -> Result<NetlinkPayload<RouteNetlinkMessage>> {
        self.sequence += 1;
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        header.sequence_number = self.sequence;
        let mut packet = NetlinkMessage::new(header, NetlinkPayload::from(message));
        packet.finalize();
        let mut bytes = vec![0; packet.buffer_len()];
        packet.serialize(&mut bytes);
        self.socket.send(&bytes, 0).map_err(|error| Failure::io(what, &error))?;
        let (answer, _) = self.socket.recv_from_full().map_err(|error| Failure::io(what, &error))?;
        let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
            .map_err(|error| Failure::new(Kind::Kernel, format!("{what}: {error}")))?;
        Ok(answer.payload)
    }
}

/// Waits until an interface of this namespace sends. The kernel reports it as running before it replaces the queue that drops everything. Without
/// this check, one pair in a hundred lost its first frame.
pub fn wait_until_it_sends(name: &str) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut route = Route::open()?;
    while !route.sends(name)? {
        if Instant::now() > deadline {
            return Err(Failure::new(Kind::Kernel, format!("{name} was switched on and does not come up")));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn end(end: End, mtu: u32) -> LinkMessage {
    let mut message = LinkMessage::default();
    message.header.index = end.number;
    message.attributes = vec![LinkAttribute::IfName(end.name.to_owned()), LinkAttribute::Mtu(mtu)];
    if let Some(party) = end.party {
        message.attributes.push(LinkAttribute::Address(party.hardware.to_vec()));
    }
    message
}

pub fn index(name: &str) -> Result<u32> {
    if_nametoindex(name).map_err(|error| Failure::kernel(format!("there is no interface {name}"), error))
}
