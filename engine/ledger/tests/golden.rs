//! Captures written by hand (`tests/ledger/write_captures.py` at the root), their accounts counted by hand.

use std::path::Path;

use callbench_ledger::{Account, Class, Ledger, Other, Records, pcap};

fn account(name: &str) -> Account {
    booked(name).unwrap_or_else(|trouble| panic!("{name} {trouble}"))
}

fn booked(name: &str) -> Result<Account, pcap::Trouble> {
    let file = std::fs::File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)).unwrap();
    let mut ledger = Ledger::new(None, "whole");
    pcap::book(file, &mut ledger)?;
    Ok(ledger.close())
}

fn class(packets: u64, header_bytes: u64) -> Class {
    Class { packets, header_bytes }
}

#[test]
fn counts_a_conversation() {
    for name in ["conversation.pcap", "conversation.pcapng", "cut.pcap"] {
        let account = account(name);
        assert_eq!(account.open, 0);
        let [phase] = &account.phases[..] else { panic!("one phase, not {}", account.phases.len()) };
        assert_eq!((phase.frames, phase.opened, phase.connections.len()), (13, 1, 1), "{name}");
        let (up, down) = (phase.to_server, phase.to_client);
        assert_eq!((up.packets, up.payload, up.retransmitted, up.turns), (6, 10, 0, 1), "{name}");
        // 20 bytes each; SYN has 4 more of options.
        assert_eq!((up.ip, up.tcp, up.tcp_options, up.link), (120, 124, 4, 84));
        assert_eq!((up.set_up, up.data, up.acknowledgements, up.tear_down), (class(2, 84), class(1, 40), class(1, 40), class(2, 80)));
        // 10 and 10, the second again, 5 of the last 15 again.
        assert_eq!((down.packets, down.payload, down.retransmitted, down.turns), (7, 30, 15, 1), "{name}");
        assert_eq!((down.set_up, down.data, down.acknowledgements), (class(1, 44), class(3, 120), class(1, 40)));
        assert_eq!((down.retransmissions, down.tear_down), (class(1, 40), class(1, 40)));
        assert_eq!(down.wire(), 7 * 40 + 4 + 45);
        assert_eq!(phase.connections[0].server.to_string(), "10.0.0.2:80");
    }
}

#[test]
fn finds_records_and_what_is_not_tcp() {
    let account = account("secret.pcap");
    let phase = &account.phases[0];
    assert_eq!(account.open, 1);
    assert_eq!(phase.to_server.tls, Records { records: 3, headers: 15, application: 8, handshake: 5 });
    assert_eq!((phase.to_server.payload, phase.to_server.ip, phase.to_server.link), (28, 120, 54));
    assert_eq!(phase.other[&Other::Arp].frames, 1);
    assert_eq!(phase.other[&Other::Arp].bytes, 60);
}

#[test]
fn takes_packets_without_a_link() {
    let account = account("raw.pcap");
    assert_eq!((account.phases[0].to_server.packets, account.phases[0].to_server.link), (1, 0));
}

#[test]
fn says_what_is_wrong_with_a_file() {
    let said = |name| booked(name).unwrap_err().to_string();
    assert!(said("../golden.rs").contains("no capture"), "{}", said("../golden.rs"));
    assert!(said("strange-link.pcap").contains("link type 147"));
    assert!(said("broken-off.pcap").contains("after 12 frames"), "{}", said("broken-off.pcap"));
}
