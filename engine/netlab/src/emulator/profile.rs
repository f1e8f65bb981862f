//! What a link does to frames, as the core says it.

use serde::{Deserialize, Serialize};

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
    /// Keep segmentation and checksum offload, or not; unless given, as `grain` says. True is for links without a rate.
    #[serde(default)]
    pub offload: Option<bool>,
    /// Who makes it; unless given, the kernel where it can.
    #[serde(default)]
    pub maker: Option<Maker>,
}

/// Who makes a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Maker {
    /// The kernel's own queue, with programs of ours in front and behind.
    Kernel,
    /// Threads of this process, which move each frame.
    Emulator,
}

/// With offload, a frame of the host may stand for so much of the line's time, nanoseconds: what is sent behind it waits for it as behind
/// that many single frames, and a receiver sees its first octets that much later than it would.
const GRAIN_NS: u64 = 500_000;
/// The kernel's own longest frame.
const LONGEST: u32 = 65_536;

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
        let plain = self.ways().iter().all(|way| way.rate_bps.is_none());
        if self.offload == Some(true) && !plain {
            return Err(Failure::bad("offload keeps frames of 64 KiB, which a line of a given rate does not carry: leave out one of them"));
        }
        Ok(())
    }

    fn ways(&self) -> [Direction; 2] {
        [self.to_server, self.to_client]
    }

    /// The longest frame that a host may hand over whole, octets, where several frames of the line may travel as one; none: offload is off.
    ///
    /// One frame of the host costs the emulator as much as one of the line, and a fast line has tens of thousands a second. So several travel
    /// as one where that changes little: where frames are not lost, doubled or shaken one by one, and as long as all of them together take
    /// the line half a millisecond.
    #[must_use]
    pub fn grain(&self, mtu: u32) -> Option<u32> {
        match self.offload {
            Some(false) => return None,
            Some(true) => return Some(LONGEST),
            None => {}
        }
        let even = |way: &Direction| way.loss == 0.0 && way.duplicate == 0.0 && way.reorder == 0.0 && way.jitter_ns == 0;
        if !self.ways().iter().all(even) {
            return None;
        }
        let slowest = self.ways().iter().filter_map(|way| way.rate_bps).min();
        let octets = slowest.map_or(u64::from(LONGEST), |rate| rate / 8 * GRAIN_NS / 1_000_000_000);
        (octets >= 2 * u64::from(mtu)).then(|| u32::try_from(octets).unwrap_or(LONGEST).min(LONGEST))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn link(way: Direction, offload: Option<bool>) -> Link {
        Link { to_server: way, to_client: way, seed: 0, offload, maker: None }
    }

    #[test]
    fn several_frames_travel_as_one_where_that_changes_little() {
        let rate = |bps| Direction { rate_bps: Some(bps), ..Direction::default() };
        assert_eq!(link(Direction::default(), None).grain(1500), Some(65_536));
        assert_eq!(link(rate(100_000_000), None).grain(1500), Some(6250));
        assert_eq!(link(rate(10_000_000_000), None).grain(1500), Some(65_536));
        assert_eq!(link(rate(40_000_000), None).grain(1500), None);
        assert_eq!(link(Direction { loss: 0.01, ..Direction::default() }, None).grain(1500), None);
        assert_eq!(link(Direction { delay_ns: 2, jitter_ns: 1, ..Direction::default() }, None).grain(1500), None);
        assert_eq!(link(Direction::default(), Some(false)).grain(1500), None);
        assert_eq!(link(Direction::default(), Some(true)).grain(1500), Some(65_536));
    }
}
