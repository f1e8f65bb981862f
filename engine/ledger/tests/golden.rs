//! Captures written by hand (`tests/ledger/write_captures.py`), with accounts computed by hand.

use std::path::Path;

use callbench_ledger::{Account, Class, Ledger, Other, Records, pcap};

fn account(name: &str) -> Account {
    booked(name).unwrap_or_else(|trouble| panic!("{name} {trouble}"))
}

fn booked(name: &str) -> Result<Account, pcap::CaptureError> {
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
        // 20 bytes each; SYN has 4 more bytes of options.
        assert_eq!((up.ip, up.tcp, up.tcp_options, up.link), (120, 124, 4, 84));
        assert_eq!((up.set_up, up.data, up.acknowledgements, up.tear_down), (class(2, 84), class(1, 40), class(1, 40), class(2, 80)));
        // 10 and 10, the second again, and 5 of the last 15 again.
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
    assert_eq!(phase.to_server.tls, Records { records: 3, headers: 15, tags: 0, application: 8, handshake: 5 });
    assert_eq!((phase.to_server.payload, phase.to_server.ip, phase.to_server.link), (28, 120, 54));
    assert_eq!(phase.other[&Other::Arp].frames, 1);
    assert_eq!(phase.other[&Other::Arp].bytes, 60);
}

/// Conversations of OpenSSL (`tests/ledger/record_tls.py`): requests of 100 and 40 bytes, answers of 2,000 and 7. The script prints the records.
#[test]
fn divides_records_by_purpose() {
    let to_server = 100 + 40;
    let to_client = 2000 + 7;
    let expected = [
        // A byte and 16 of each of 4 and 8 encrypted records. Inside are also an alert of 2 bytes and two tickets.
        ("tls-1.3", [(6, 4 * 17, to_server + 2, 512 + 1 + 52), (10, 8 * 17, to_client + 2 * 233, 122 + 1 + 6 + 397 + 79 + 52)]),
        // The server asks for another key, and sends no ticket.
        ("tls-1.3-retry", [(7, 4 * 17, to_server + 2, 2 * 512 + 1 + 52), (9, 6 * 17, to_client, 88 + 1 + 187 + 6 + 398 + 79 + 52)]),
        // A nonce of 8 bytes and a tag of 16 in each record after the change of cipher: `Finished` has 16, the alert 2.
        ("tls-1.2-gcm", [(7, 4 * 24, to_server, 131 + 37 + 1 + 16 + 2), (9, 3 * 24, to_client, 65 + 394 + 116 + 4 + 186 + 1 + 16)]),
        ("tls-1.2-chacha", [(7, 4 * 16, to_server, 131 + 37 + 1 + 16 + 2), (9, 3 * 16, to_client, 65 + 396 + 116 + 4 + 186 + 1 + 16)]),
        // Padded: nothing inside can be divided.
        ("tls-1.2-cbc", [(7, 0, 160 + 96, 131 + 37 + 1 + 80 + 64), (9, 0, 2064 + 64, 69 + 395 + 114 + 4 + 186 + 1 + 80)]),
    ];
    for (name, sides) in expected {
        let account = account(&format!("{name}.pcap"));
        let phase = &account.phases[0];
        let [up, down] =
            sides.map(|(records, tags, application, handshake)| Records { records, headers: 5 * records, tags, application, handshake });
        assert_eq!((phase.to_server.tls, phase.to_client.tls), (up, down), "{name}");
        for counts in [phase.to_server, phase.to_client] {
            let Records { headers, tags, application, handshake, .. } = counts.tls;
            assert_eq!(headers + tags + application + handshake, counts.payload, "{name}");
        }
    }
}

#[test]
fn takes_packets_without_a_link() {
    let account = account("raw.pcap");
    assert_eq!((account.phases[0].to_server.packets, account.phases[0].to_server.link), (1, 0));
}

#[test]
fn says_what_is_wrong_with_a_file() {
    let error_of = |name| booked(name).unwrap_err().to_string();
    assert!(error_of("../golden.rs").contains("no capture"), "{}", error_of("../golden.rs"));
    assert!(error_of("strange-link.pcap").contains("link type 147"));
    assert!(error_of("broken-off.pcap").contains("after 12 frames"), "{}", error_of("broken-off.pcap"));
}
