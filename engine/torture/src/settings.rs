//! The settings of an attack: how many connections, how fast, and what each of them sends, reads and does at its end.

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};

const MAX_CONNECTIONS: usize = 60_000;
const MAX_SECONDS: f64 = 86_400.0;

/// How a connection reads the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// Everything, immediately.
    All,
    /// One byte every `read_ms`.
    Slowly,
    Nothing,
}

/// How a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CloseWith {
    Close,
    /// With a TCP reset.
    Reset,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub address: SocketAddr,
    /// The number of simultaneous connections.
    pub connections: usize,
    pub seconds: f64,
    /// The limit of new connections per second.
    pub connects_per_s: f64,
    /// The bytes that each connection sends first.
    #[serde(deserialize_with = "bytes")]
    pub send: Vec<u8>,
    /// The bytes that it sends repeatedly after that, up to `max_bytes` in total. Can be empty.
    #[serde(default, deserialize_with = "bytes")]
    pub repeat: Vec<u8>,
    #[serde(default)]
    pub max_bytes: u64,
    /// The interval between single bytes; 0: all bytes are sent at once.
    #[serde(default)]
    pub byte_interval_ms: u64,
    pub reads: Reads,
    /// The interval between the bytes that are read slowly.
    #[serde(default = "default_read_ms")]
    pub read_ms: u64,
    /// The size of the socket's receive buffer; 0: the kernel's default.
    #[serde(default)]
    pub receive_buffer: usize,
    /// How long a connection stays open after its last byte; None: until the attack ends.
    pub hold_ms: Option<u64>,
    pub close_with: CloseWith,
    /// Whether a closed connection is replaced by a new one.
    pub reconnect: bool,
}

fn default_read_ms() -> u64 {
    100
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

impl Settings {
    /// Parses a line of JSON. The error is a complete sentence.
    pub fn of(line: &str) -> Result<Self, String> {
        let settings: Settings = serde_json::from_str(line).map_err(|error| format!("the settings cannot be read: {error}"))?;
        if !(1..=MAX_CONNECTIONS).contains(&settings.connections) {
            return Err(format!("connections is {}: it must be from 1 to {MAX_CONNECTIONS}", settings.connections));
        }
        if !(0.0..=MAX_SECONDS).contains(&settings.seconds) {
            return Err(format!("seconds is {}: it must be from 0 to {MAX_SECONDS}", settings.seconds));
        }
        if !(settings.connects_per_s >= 0.1 && settings.connects_per_s <= 1e6) {
            return Err(format!("connects_per_s is {}: it must be from 0.1 to 1,000,000", settings.connects_per_s));
        }
        Ok(settings)
    }

    /// The bytes to send from this offset on, as far as they can be sent together. Empty after the last byte.
    #[must_use]
    pub fn bytes_from(&self, offset: u64) -> &[u8] {
        let first = self.send.len() as u64;
        if offset < first {
            return &self.send[offset as usize..];
        }
        if self.repeat.is_empty() || offset >= self.max_bytes {
            return &[];
        }
        let within = ((offset - first) % self.repeat.len() as u64) as usize;
        let left = (self.max_bytes - offset).min((self.repeat.len() - within) as u64) as usize;
        &self.repeat[within..within + left]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn settings(send: &[u8], repeat: &[u8], max_bytes: u64) -> Settings {
        let text = |bytes: &[u8]| STANDARD.encode(bytes);
        let line = serde_json::json!({
            "address": "127.0.0.1:1", "connections": 1, "seconds": 1.0, "connects_per_s": 1.0, "send": text(send), "repeat": text(repeat),
            "max_bytes": max_bytes, "reads": "nothing", "hold_ms": null, "close_with": "close", "reconnect": false
        });
        Settings::of(&line.to_string()).expect("valid settings")
    }

    proptest! {
        #[test]
        fn every_octet_is_sent_once_in_its_order(
            send in proptest::collection::vec(any::<u8>(), 0..20), repeat in proptest::collection::vec(any::<u8>(), 0..7), most in 0_u64..100
        ) {
            let settings = settings(&send, &repeat, most);
            let mut sent = Vec::new();
            while !settings.bytes_from(sent.len() as u64).is_empty() {
                sent.extend_from_slice(settings.bytes_from(sent.len() as u64));
            }
            let wanted = if repeat.is_empty() { send.len() } else { send.len().max(most as usize) };
            let all: Vec<u8> = send.iter().chain(repeat.iter().cycle()).copied().take(wanted).collect();
            prop_assert_eq!(sent, all);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_a_sentence() {
        let line = |connections: &str, pace: &str| {
            format!(
                r#"{{"address":"127.0.0.1:1","connections":{connections},"seconds":1,"connects_per_s":{pace},"send":"","reads":"all","hold_ms":1,"close_with":"reset","reconnect":true}}"#
            )
        };
        assert!(Settings::of(&line("1", "1")).is_ok());
        for (wrong, about) in [(line("0", "1"), "connections"), (line("1", "0"), "connects_per_s"), ("{}".to_owned(), "cannot be read")] {
            assert!(Settings::of(&wrong).expect_err("a refusal").contains(about));
        }
    }
}
