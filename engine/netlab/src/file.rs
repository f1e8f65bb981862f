//! `callbench-netlab account FILE [--client ADDRESS] [--json]`: the account of a given capture file.

use std::fmt::Write as _;
use std::fs::File;
use std::net::IpAddr;

use callbench_ledger::{Account, Counts, Ledger, pcap};

use crate::failure::{Failure, Kind, Result};

const USAGE: &str = "usage: callbench-netlab account FILE.pcap [--client ADDRESS] [--json]";

/// Reads the capture and returns the account as text or as JSON.
pub fn account(arguments: &[String]) -> Result<String> {
    let (mut file, mut client, mut json) = (None, None, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--client" => {
                let text = rest.next().ok_or_else(|| Failure::bad(USAGE))?;
                let address = text.parse::<IpAddr>();
                client = Some(address.map_err(|_| Failure::bad(format!("--client {text} is no address, such as 192.0.2.7; {USAGE}")))?);
            }
            other if other.starts_with("--") => return Err(Failure::bad(format!("{other} is not an option; {USAGE}"))),
            other if file.is_none() => file = Some(other.to_owned()),
            other => return Err(Failure::bad(format!("{other} is one file too many; {USAGE}"))),
        }
    }
    let name = file.ok_or_else(|| Failure::bad(USAGE))?;
    let source = File::open(&name).map_err(|error| Failure::new(Kind::File, format!("{name} cannot be read: {error}")))?;
    let mut ledger = Ledger::new(client, "whole");
    pcap::book(source, &mut ledger).map_err(|trouble| Failure::new(Kind::File, format!("{name} {trouble}")))?;
    let account = ledger.close();
    if json {
        return serde_json::to_string(&account).map_err(|error| Failure::bad(error.to_string()));
    }
    Ok(shown(&account))
}

fn shown(account: &Account) -> String {
    let mut text = format!(
        "{:<46} {:>8} {:>12} {:>8} {:>10} {:>10} {:>8} {:>8} {:>8} {:>6} {:>6}\n",
        "connection", "packets", "stream", "again", "IP", "TCP", "acks", "set-up", "end", "TLS", "turns"
    );
    for phase in &account.phases {
        for one in &phase.connections {
            line(&mut text, &format!("{} > {}", one.client, one.server), &one.to_server);
            line(&mut text, &format!("{} < {}", one.client, one.server), &one.to_client);
        }
        line(&mut text, "all, to the servers", &phase.to_server);
        line(&mut text, "all, to the clients", &phase.to_client);
        for (what, strange) in &phase.other {
            let name = serde_json::to_value(what).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
            let _ = writeln!(text, "not TCP: {} frames, {} bytes ({name})", strange.frames, strange.bytes);
        }
    }
    text.push_str(
        "Bytes: of the streams, each once; again: sent again; headers by layer; acks, set-up, end: headers of packets for that alone\n",
    );
    text
}

fn line(text: &mut String, name: &str, it: &Counts) {
    let _ = writeln!(
        text,
        "{name:<46} {:>8} {:>12} {:>8} {:>10} {:>10} {:>8} {:>8} {:>8} {:>6} {:>6}",
        it.packets,
        it.payload,
        it.retransmitted,
        it.ip,
        it.tcp,
        it.acknowledgements.header_bytes,
        it.set_up.header_bytes,
        it.tear_down.header_bytes,
        it.tls.records,
        it.turns
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden(name: &str) -> String {
        format!("{}/../ledger/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn accounts_for_a_file() {
        let text = account(&[golden("conversation.pcap")]).unwrap();
        assert!(text.contains("10.0.0.1:4000 > 10.0.0.2:80"), "{text}");
        let back = account(&[golden("conversation.pcapng"), "--json".to_owned(), "--client".to_owned(), "10.0.0.2".to_owned()]).unwrap();
        let value: serde_json::Value = serde_json::from_str(&back).unwrap();
        assert_eq!(value["phases"][0]["to_server"]["payload"], 30, "{back}");
    }

    #[test]
    fn says_what_is_wrong() {
        let answer_of = |words: &[&str]| account(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()).unwrap_err().message;
        assert!(answer_of(&[]).contains("usage"));
        assert!(answer_of(&["a.pcap", "--client", "here"]).contains("here is no address"));
        assert!(answer_of(&["a.pcap", "--fast"]).contains("--fast is not an option"));
        assert!(answer_of(&["/nowhere/a.pcap"]).contains("cannot be read"));
        assert!(answer_of(&[&golden("../golden.rs")]).contains("no capture"));
    }
}
