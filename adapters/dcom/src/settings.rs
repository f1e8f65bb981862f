//! The options of `serve` and `connect`, understood.

use std::time::Duration;

use callbench_kit::stack::Options;
use callbench_kit::{Failure, Kind};

use crate::pdu::{FRAGMENT, LEAST_FRAGMENT};

/// The options' names.
pub const NAMES: &[&str] = &["fragment", "ping_ms", "resolve"];

/// The period of pinging in milliseconds (MS-DCOM 3.1.2.2, 3.2.2: two minutes).
const PING_MS: u64 = 120_000;

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The largest PDU in bytes.
    pub fragment: u16,
    /// How often objects are pinged, and how long a server's period is.
    pub ping: Duration,
    /// Whether a client asks the resolver for the address of an OXID, instead of using the one from the activation.
    pub resolve: bool,
}

impl Settings {
    pub fn of(options: &Options) -> Result<Self, Failure> {
        let number = |name: &str, otherwise: u64, least: u64, most: u64| match options.get(name) {
            None => Ok(otherwise),
            Some(value) => value.as_u64().filter(|value| (least..=most).contains(value)).ok_or_else(|| {
                Failure::new(Kind::BadRequest, format!("option {name} is {value}: it must be a whole number from {least} to {most}"))
            }),
        };
        let fragment = number("fragment", u64::from(FRAGMENT), u64::from(LEAST_FRAGMENT), u64::from(u16::MAX))? as u16;
        let ping = Duration::from_millis(number("ping_ms", PING_MS, 1, 3_600_000)?);
        let resolve = match options.get("resolve") {
            None => false,
            Some(value) => value
                .as_bool()
                .ok_or_else(|| Failure::new(Kind::BadRequest, format!("option resolve is {value}: it must be true or false")))?,
        };
        Ok(Settings { fragment, ping, resolve })
    }
}
