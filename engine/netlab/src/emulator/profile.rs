//! What a link does to frames, as the core says it.

use serde::Deserialize;

use crate::failure::{Failure, Result};

/// Both directions of a link.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub to_server: Direction,
    pub to_client: Direction,
    /// Of losses, jitter, copies and overtaking: the same seed, the same fate of the nth frame.
    #[serde(default)]
    pub seed: u64,
    /// Keep segmentation and checksum offload: frames of up to 64 KiB pass whole. For links that change nothing.
    #[serde(default)]
    pub offload: bool,
}

/// One direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Direction {
    /// From the end of a frame's sending to its arrival.
    pub delay_ns: u64,
    /// The delay varies evenly by this much to both sides; at most the delay.
    pub jitter_ns: u64,
    /// Bits a second of the line; none: as fast as the machine.
    pub rate_bps: Option<u64>,
    /// What the line carries besides the captured frame (preamble, gap, checksum; less where it has no Ethernet header), octets.
    pub overhead_bytes: i64,
    /// How many octets, and how many frames, may wait for the line; more are turned away.
    pub queue_bytes: Option<u64>,
    pub queue_packets: Option<u64>,
    /// Shares of frames: lost on the line, sent twice, held back.
    pub loss: f64,
    pub duplicate: f64,
    pub reorder: f64,
    /// How long a frame that is held back waits besides.
    pub reorder_by_ns: u64,
}

impl Link {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<()> {
        for (name, way) in [("to_server", &self.to_server), ("to_client", &self.to_client)] {
            way.check().map_err(|sentence| Failure::bad(format!("{name}: {sentence}")))?;
        }
        let plain = [self.to_server, self.to_client].iter().all(|way| way.rate_bps.is_none());
        if self.offload && !plain {
            return Err(Failure::bad("offload keeps frames of 64 KiB, which a line of a given rate does not carry: leave out one of them"));
        }
        Ok(())
    }
}

impl Direction {
    fn check(&self) -> std::result::Result<(), String> {
        if self.rate_bps == Some(0) {
            return Err("a rate of 0 carries nothing: leave the rate out for a line without a limit".to_owned());
        }
        if self.jitter_ns > self.delay_ns {
            return Err(format!("a jitter of {} ns exceeds the delay of {} ns", self.jitter_ns, self.delay_ns));
        }
        for (name, share) in [("loss", self.loss), ("duplicate", self.duplicate), ("reorder", self.reorder)] {
            if !(0.0..1.0).contains(&share) {
                return Err(format!("{name} is {share}: it is a share of the frames, at least 0 and below 1"));
            }
        }
        Ok(())
    }
}
