//! The properties of a link, as the core requests them.

use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Result};

/// Both directions of a link.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub to_server: Direction,
    pub to_client: Direction,
    /// The seed for losses, jitter, copies and reordering. With the same seed, the same thing happens to the nth frame.
    #[serde(default)]
    pub seed: u64,
    /// Whether segmentation and checksum offload stay on. By default, `grain` decides. True is only for links without a rate.
    #[serde(default)]
    pub offload: Option<bool>,
    /// What implements the link. Default: the kernel if possible.
    #[serde(default)]
    pub maker: Option<Maker>,
}

/// What implements a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Maker {
    /// The kernel's own queue, with BPF programs before and after it.
    Kernel,
    /// Threads of this process, which move each frame.
    Emulator,
}

/// With offload, the maximum time on the line that a frame of the host may represent, in nanoseconds. The next frame waits for all of it, and a
/// receiver sees the first bytes that much later than without offload.
const GRAIN_NS: u64 = 500_000;
/// The kernel's longest frame.
const LONGEST: u32 = 65_536;

/// One direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Direction {
    /// From the end of a frame's sending to its arrival.
    pub delay_ns: u64,
    /// The delay varies uniformly by up to this much in both directions; at most the delay.
    pub jitter_ns: u64,
    /// The rate of the line in bits per second; None: unlimited.
    pub rate_bps: Option<u64>,
    /// Bytes on the line in addition to the captured frame: preamble, gap, checksum. Negative if the line has no Ethernet header.
    pub overhead_bytes: i64,
    /// How many bytes and frames may wait for the line. More are dropped.
    pub queue_bytes: Option<u64>,
    pub queue_packets: Option<u64>,
    /// Fractions of the frames: lost on the line, sent twice, held back.
    pub loss: f64,
    pub duplicate: f64,
    pub reorder: f64,
    /// The additional delay of a frame that is held back.
    pub reorder_by_ns: u64,
}

impl Link {
    /// Does nothing to frames.
    #[must_use]
    pub fn plain() -> Self {
        let way = Direction::default();
        Link { to_server: way, to_client: way, seed: 0, offload: Some(false), maker: None }
    }

    /// Refuses impossible values.
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

    /// The longest frame in bytes that a host may pass on, if several frames of the line may travel as one. None: offload is off.
    ///
    /// A frame of the host costs the emulator as much as a frame of the line, and a fast line has tens of thousands per second. So several travel as
    /// one if that changes little: if frames are not lost, duplicated or delayed individually, and if all of them together take the line at most half
    /// a millisecond.
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
        let bytes = slowest.map_or(u64::from(LONGEST), |rate| rate / 8 * GRAIN_NS / 1_000_000_000);
        (bytes >= 2 * u64::from(mtu)).then(|| u32::try_from(bytes).unwrap_or(LONGEST).min(LONGEST))
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
