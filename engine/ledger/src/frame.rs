//! Parses one captured frame, as far as an account needs it.

use std::net::{IpAddr, SocketAddr};

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice};
use serde::Serialize;

/// The link type: what a frame begins with. The numbers are those of the registry (LINKTYPE_ in tcpdump.org/linktypes.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// 1: destination, source, type.
    Ethernet,
    /// 101: only an IP packet.
    Raw,
    /// 0: four bytes of address family in the byte order of the capturing machine.
    Loopback,
    /// 113 and 276: Linux's header for the interface `any`, with its length and the position of the type in it.
    Cooked { header: usize, protocol_at: usize },
}

impl Link {
    /// None if this crate does not support the link type.
    #[must_use]
    pub fn of(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Ethernet),
            0 | 108 => Some(Self::Loopback),
            12 | 101 | 228 | 229 => Some(Self::Raw),
            113 => Some(Self::Cooked { header: 16, protocol_at: 14 }),
            276 => Some(Self::Cooked { header: 20, protocol_at: 0 }),
            _ => None,
        }
    }

    /// The protocol and the rest of a frame. None if it is too short.
    fn split(self, frame: &[u8]) -> Option<(u16, &[u8])> {
        let (header, protocol_at) = match self {
            Self::Ethernet => (14, 12),
            Self::Cooked { header, protocol_at } => (header, protocol_at),
            Self::Raw | Self::Loopback => {
                let rest = frame.get(if self == Self::Raw { 0 } else { 4 }..)?;
                return Some((if rest.first()? >> 4 == 6 { 0x86dd } else { 0x0800 }, rest));
            }
        };
        let protocol = frame.get(protocol_at..protocol_at + 2)?;
        Some((u16::from_be_bytes([protocol[0], protocol[1]]), frame.get(header..)?))
    }
}

/// What a frame carries besides TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Other {
    Arp,
    Icmp,
    Udp,
    /// A fragment of an IP packet. Its connection is not determined.
    Fragment,
    /// Unknown or damaged.
    Unknown,
}

/// The flags of TCP that an account needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // as the header has them
pub struct Flags {
    pub syn: bool,
    pub ack: bool,
    pub fin: bool,
    pub rst: bool,
}

/// A TCP segment with the lengths of its headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub from: SocketAddr,
    pub to: SocketAddr,
    /// Bytes before the IP header, including VLAN tags.
    pub link_bytes: u64,
    /// The IP header with options or extension headers.
    pub ip_bytes: u64,
    /// The TCP header with its options.
    pub tcp_bytes: u64,
    pub flags: Flags,
    pub sequence: u32,
    pub acknowledgement: u32,
    /// Bytes of payload on the wire, by the length in the IP header. The padding of short frames does not count.
    pub length: u64,
    /// The captured part of the payload. It is shorter if frames were cut.
    pub payload: &'a [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    Tcp(Segment<'a>),
    Other(Other),
}

/// Parses a frame. It returns a result for any bytes.
#[must_use]
pub fn parse(link: Link, frame: &[u8]) -> Frame<'_> {
    let Some((protocol, rest)) = link.split(frame) else {
        return Frame::Other(Other::Unknown);
    };
    let packet = LaxSlicedPacket::from_ether_type(EtherType(protocol), rest);
    let Some(net) = &packet.net else {
        return Frame::Other(Other::Unknown);
    };
    let (at, source, destination, whole) = match net {
        LaxNetSlice::Arp(_) => return Frame::Other(Other::Arp),
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            let whole = usize::from(header.total_len());
            (header.slice().as_ptr() as usize, IpAddr::V4(header.source_addr()), IpAddr::V4(header.destination_addr()), whole)
        }
        LaxNetSlice::Ipv6(ip) => {
            let header = ip.header();
            let whole = if header.payload_length() == 0 { 0 } else { usize::from(header.payload_length()) + header.slice().len() };
            (header.slice().as_ptr() as usize, IpAddr::V6(header.source_addr()), IpAddr::V6(header.destination_addr()), whole)
        }
    };
    if net.ip_payload_ref().is_some_and(|payload| payload.fragmented) {
        return Frame::Other(Other::Fragment);
    }
    let tcp = match &packet.transport {
        Some(TransportSlice::Tcp(tcp)) => tcp,
        Some(TransportSlice::Udp(_)) => return Frame::Other(Other::Udp),
        Some(TransportSlice::Icmpv4(_) | TransportSlice::Icmpv6(_)) => return Frame::Other(Other::Icmp),
        _ => return Frame::Other(Other::Unknown),
    };
    let begins = frame.as_ptr() as usize;
    let ip_bytes = tcp.slice().as_ptr() as usize - at;
    let tcp_bytes = tcp.header_slice().len();
    let captured = tcp.payload();
    // Segmentation offload leaves a length of 0 in packets beyond 64 KiB. Then the captured length is used.
    let length = if whole == 0 { captured.len() } else { whole.saturating_sub(ip_bytes + tcp_bytes) };
    Frame::Tcp(Segment {
        from: SocketAddr::new(source, tcp.source_port()),
        to: SocketAddr::new(destination, tcp.destination_port()),
        link_bytes: (at - begins) as u64,
        ip_bytes: ip_bytes as u64,
        tcp_bytes: tcp_bytes as u64,
        flags: Flags { syn: tcp.syn(), ack: tcp.ack(), fin: tcp.fin(), rst: tcp.rst() },
        sequence: tcp.sequence_number(),
        acknowledgement: tcp.acknowledgment_number(),
        length: length as u64,
        payload: captured.get(..length).unwrap_or(captured),
    })
}
