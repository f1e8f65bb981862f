//! If a stream is cut, repeated, overlapped or shuffled, its account has the same payload. Garbage does not stop the account.

use std::net::IpAddr;

use callbench_ledger::{Counts, Ledger, Link, pcap};
use etherparse::PacketBuilder;
use proptest::prelude::*;

const CLIENT: [u8; 4] = [10, 9, 8, 7];
const SERVER: [u8; 4] = [10, 9, 8, 6];

/// One packet: whether the client sends it, the start and end of its piece in the stream, and whether it is a SYN.
#[derive(Clone, Debug)]
struct Packet {
    up: bool,
    start: u32,
    end: u32,
    syn: bool,
}

fn frame(packet: &Packet, first: [u32; 2]) -> Vec<u8> {
    let (from, to, ports) = if packet.up { (CLIENT, SERVER, (4000, 80)) } else { (SERVER, CLIENT, (80, 4000)) };
    let number = first[usize::from(!packet.up)].wrapping_add(packet.start);
    let built = PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4(from, to, 64).tcp(ports.0, ports.1, number, 1000);
    let built = if packet.syn { built.syn() } else { built };
    let built = if packet.up && packet.syn { built } else { built.ack(first[usize::from(packet.up)]) };
    let payload = vec![b'.'; (packet.end - packet.start) as usize];
    let mut bytes = Vec::new();
    built.write(&mut bytes, &payload).unwrap();
    bytes
}

/// A stream of `length` bytes as packets that cover it, with repeated pieces.
fn stream(up: bool) -> impl Strategy<Value = (u32, Vec<Packet>)> {
    (1_u32..20_000).prop_flat_map(move |length| {
        let cuts = prop::collection::btree_set(1..=length, 0..12);
        let again = prop::collection::vec((0..length, 1_u32..3000), 0..8);
        (Just(length), cuts, again).prop_map(move |(length, cuts, again)| {
            let ends: Vec<u32> = cuts.into_iter().chain([length]).collect();
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let mut packets: Vec<Packet> = starts
                .zip(ends.iter().copied())
                .filter(|(start, end)| start < end)
                .map(|(start, end)| Packet { up, start: start + 1, end: end + 1, syn: false })
                .collect();
            packets.extend(again.into_iter().map(|(start, more)| Packet {
                up,
                start: start + 1,
                end: (start + more).min(length) + 1,
                syn: false,
            }));
            (length, packets)
        })
    })
}

proptest! {
    #[test]
    fn payload_is_counted_once(
        (there, mut packets) in stream(true),
        (back, more) in stream(false),
        first in any::<[u32; 2]>(),
        shuffle in prop::collection::vec(any::<usize>(), 40),
        mark_at in 0_usize..40,
    ) {
        packets.extend(more);
        for (place, other) in shuffle.iter().enumerate() {
            let count = packets.len();
            packets.swap(place % count, other % count);
        }
        let opening = [Packet { up: true, start: 0, end: 0, syn: true }, Packet { up: false, start: 0, end: 0, syn: true }];
        let mut ledger = Ledger::new(Some(IpAddr::from(CLIENT)), "before");
        let mut sent = 0;
        for (place, packet) in opening.iter().chain(&packets).enumerate() {
            if place == mark_at {
                ledger.mark("after");
            }
            let bytes = frame(packet, first);
            sent += u64::from(packet.end - packet.start);
            ledger.frame(place as u64, Link::Ethernet, &bytes, bytes.len());
        }
        let account = ledger.close();
        let (mut up, mut down) = (Counts::default(), Counts::default());
        for phase in &account.phases {
            up.add(&phase.to_server);
            down.add(&phase.to_client);
        }
        prop_assert_eq!((up.payload, down.payload), (u64::from(there), u64::from(back)));
        prop_assert_eq!(up.payload + up.retransmitted + down.payload + down.retransmitted, sent);
        for side in [up, down] {
            let kinds = [side.data, side.retransmissions, side.acknowledgements, side.set_up, side.tear_down];
            prop_assert_eq!(kinds.iter().map(|kind| kind.packets).sum::<u64>(), side.packets);
            prop_assert_eq!(kinds.iter().map(|kind| kind.header_bytes).sum::<u64>(), side.ip + side.tcp);
            prop_assert!(side.turns >= 1);
        }
    }

    #[test]
    fn garbage_is_booked(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20), link in prop::sample::select(vec![0, 1, 101, 113, 276])) {
        let link = Link::of(link).unwrap();
        let mut ledger = Ledger::new(None, "all");
        for bytes in &frames {
            ledger.frame(0, link, bytes, bytes.len());
        }
        prop_assert_eq!(ledger.close().phases[0].frames, frames.len() as u64);
    }

    #[test]
    fn damaged_frames_are_booked(
        first in any::<[u32; 2]>(),
        damage in prop::collection::vec((14_usize..100, any::<u8>(), 0_usize..100), 1..30),
    ) {
        let whole = frame(&Packet { up: true, start: 5, end: 60, syn: false }, first);
        let mut ledger = Ledger::new(None, "all");
        for (place, value, cut) in &damage {
            let mut bytes = whole.clone();
            let place = *place % bytes.len();
            bytes[place] = *value;
            bytes.truncate(bytes.len().saturating_sub(*cut));
            ledger.frame(0, Link::Ethernet, &bytes, whole.len());
        }
        prop_assert_eq!(ledger.close().phases[0].frames, damage.len() as u64);
    }

    #[test]
    fn garbage_is_no_capture(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut ledger = Ledger::new(None, "all");
        // Random bytes may look like a capture. The test is that reading ends.
        let _ = pcap::book(bytes.as_slice(), &mut ledger);
    }

    #[test]
    fn what_is_written_is_read(frames in prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u8>(), 14..80)), 0..10)) {
        let mut file = Vec::new();
        let mut writer = pcap::Writer::new(&mut file, 65_536).unwrap();
        for (at, bytes) in &frames {
            writer.frame(u64::from(*at) * 1000, bytes, bytes.len() + 3).unwrap();
        }
        let mut back = Vec::new();
        pcap::read(file.as_slice(), |at, _, bytes, wire| back.push(((at / 1000) as u32, bytes.to_vec(), wire))).unwrap();
        let there: Vec<_> = frames.into_iter().map(|(at, bytes)| (at, bytes.clone(), bytes.len() + 3)).collect();
        prop_assert_eq!(back, there);
    }
}

#[test]
fn two_connections_of_the_same_ports_are_two() {
    let mut ledger = Ledger::new(None, "all");
    for first in [[7, 70], [70_000, 700_000]] {
        for packet in [
            Packet { up: true, start: 0, end: 0, syn: true },
            Packet { up: false, start: 0, end: 0, syn: true },
            Packet { up: true, start: 1, end: 11, syn: false },
        ] {
            let bytes = frame(&packet, first);
            ledger.frame(0, Link::Ethernet, &bytes, bytes.len());
        }
    }
    let account = ledger.close();
    assert_eq!(account.phases[0].opened, 2);
    assert_eq!(account.phases[0].connections.iter().map(|it| it.to_server.payload).collect::<Vec<_>>(), [10, 10]);
}
