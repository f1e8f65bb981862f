//! What is wanted: how many connections, how fast, what each of them sends, reads and does at its end.

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};

const MOST_CONNECTIONS: usize = 60_000;
const LONGEST_S: f64 = 86_400.0;

/// How a connection reads what it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// All that comes, at once.
    All,
    /// An octet now and then.
    Slowly,
    Nothing,
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// As every connection does.
    Close,
    /// With a reset, in the middle of whatever it is.
    Reset,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    pub address: SocketAddr,
    /// So many at once.
    pub connections: usize,
    pub seconds: f64,
    /// So many new ones a second at most.
    pub pace_per_s: f64,
    /// What each sends.
    #[serde(deserialize_with = "octets")]
    pub send: Vec<u8>,
    /// What it sends after that, again and again, until `most_bytes` have gone in all; may be empty.
    #[serde(default, deserialize_with = "octets")]
    pub endlessly: Vec<u8>,
    #[serde(default)]
    pub most_bytes: u64,
    /// Between two octets that are sent one by one; 0: all at once.
    #[serde(default)]
    pub drip_ms: u64,
    pub reads: Reads,
    /// Between two octets read slowly.
    #[serde(default = "a_tenth")]
    pub read_ms: u64,
    /// The size of the socket's buffer for what is received; 0: the kernel's own choice.
    #[serde(default)]
    pub receive_buffer: usize,
    /// How long a connection is held when all is sent; none: until the end.
    pub hold_ms: Option<u64>,
    pub ends: Ends,
    /// Whether another takes the place of one that has ended.
    pub again: bool,
}

fn a_tenth() -> u64 {
    100
}

fn octets<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

impl Wish {
    /// Reads a line of JSON. Fails with a sentence.
    pub fn of(line: &str) -> Result<Self, String> {
        let wish: Wish = serde_json::from_str(line).map_err(|error| format!("the wish cannot be read: {error}"))?;
        if !(1..=MOST_CONNECTIONS).contains(&wish.connections) {
            return Err(format!("connections is {}: it must be from 1 to {MOST_CONNECTIONS}", wish.connections));
        }
        if !(0.0..=LONGEST_S).contains(&wish.seconds) {
            return Err(format!("seconds is {}: it must be from 0 to {LONGEST_S}", wish.seconds));
        }
        if !(wish.pace_per_s >= 0.1 && wish.pace_per_s <= 1e6) {
            return Err(format!("pace_per_s is {}: it must be from 0.1 to 1,000,000", wish.pace_per_s));
        }
        Ok(wish)
    }

    /// The octet at a place of what is sent, with all that follow it and can be sent with it; empty where all is sent.
    #[must_use]
    pub fn from(&self, place: u64) -> &[u8] {
        let first = self.send.len() as u64;
        if place < first {
            return &self.send[place as usize..];
        }
        if self.endlessly.is_empty() || place >= self.most_bytes {
            return &[];
        }
        let within = ((place - first) % self.endlessly.len() as u64) as usize;
        let left = (self.most_bytes - place).min((self.endlessly.len() - within) as u64) as usize;
        &self.endlessly[within..within + left]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wish(send: &[u8], endlessly: &[u8], most_bytes: u64) -> Wish {
        let text = |octets: &[u8]| STANDARD.encode(octets);
        let line = serde_json::json!({
            "address": "127.0.0.1:1", "connections": 1, "seconds": 1.0, "pace_per_s": 1.0, "send": text(send), "endlessly": text(endlessly),
            "most_bytes": most_bytes, "reads": "nothing", "hold_ms": null, "ends": "close", "again": false
        });
        Wish::of(&line.to_string()).expect("a wish")
    }

    proptest! {
        #[test]
        fn every_octet_is_sent_once_in_its_order(
            send in proptest::collection::vec(any::<u8>(), 0..20), endlessly in proptest::collection::vec(any::<u8>(), 0..7), most in 0_u64..100
        ) {
            let wish = wish(&send, &endlessly, most);
            let mut sent = Vec::new();
            while !wish.from(sent.len() as u64).is_empty() {
                sent.extend_from_slice(wish.from(sent.len() as u64));
            }
            let wanted = if endlessly.is_empty() { send.len() } else { send.len().max(most as usize) };
            let all: Vec<u8> = send.iter().chain(endlessly.iter().cycle()).copied().take(wanted).collect();
            prop_assert_eq!(sent, all);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_a_sentence() {
        let line = |connections: &str, pace: &str| {
            format!(
                r#"{{"address":"127.0.0.1:1","connections":{connections},"seconds":1,"pace_per_s":{pace},"send":"","reads":"all","hold_ms":1,"ends":"reset","again":true}}"#
            )
        };
        assert!(Wish::of(&line("1", "1")).is_ok());
        for (wrong, about) in [(line("0", "1"), "connections"), (line("1", "0"), "pace_per_s"), ("{}".to_owned(), "cannot be read")] {
            assert!(Wish::of(&wrong).expect_err("a refusal").contains(about));
        }
    }
}
