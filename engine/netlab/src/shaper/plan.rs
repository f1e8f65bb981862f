//! Decides whether the kernel can implement a link, and computes the parameters.

use crate::emulator::carried::Carried;
use crate::emulator::profile::{Direction, Link};

/// How late the kernel may be without a loss of line time, in nanoseconds. Frames that wait then leave immediately.
pub const CREDIT_NS: u64 = 1_000_000;
/// Real frames are shorter than this. A longer frame only fills time on the line; its length says how much.
pub const FILLING_FROM: u32 = 8192;
/// The number of steps. The longest frame that a program may create (four pages minus the kernel's part) represents the longest time.
pub const STEPS: u16 = 976;
/// The number of bytes for each step.
pub const STEP_BYTES: u32 = 8;
/// The numbers of the table from lengths to bytes are shifted by this many bits.
pub const SHIFT: u8 = 2;
/// The time of a byte in the kernel's queue. The kernel counts bytes, this code counts nanoseconds.
pub const BYTE_NS: u64 = 10;
/// The maximum length of Ethernet's header with a tag, and of the headers that each segment repeats.
const ETHERNET: u32 = 18;
const REPEATED: u64 = 14 + 60 + 60;
/// The longest step in nanoseconds. It limits the error of a frame's time.
const COARSEST_NS: u64 = 2_000;

/// One direction, as parameters of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The time of a byte on the line, in 2^-20 nanoseconds.
    pub octet_parts: u64,
    pub overhead: i64,
    pub delay_ns: u64,
    /// How many frames and bytes may wait for the line.
    pub packets: Option<u64>,
    pub bytes: Option<u64>,
    /// The time of one step.
    pub step_ns: u64,
}

impl Plan {
    /// Both directions. None if the kernel cannot implement the link.
    ///
    /// The kernel releases every frame at its time, in the order of arrival. So frames cannot be lost, duplicated or given a jitter. Waiting times
    /// are composed of steps, and steps are short only if the longest waiting time is short.
    #[must_use]
    pub fn of(link: &Link, mtu: u32) -> Option<[Plan; 2]> {
        let longest = link.grain(mtu).unwrap_or(mtu) + ETHERNET;
        let plans = [Plan::way(&link.to_server, mtu, longest)?, Plan::way(&link.to_client, mtu, longest)?];
        // If lengths represent times, no real frame may be that long.
        (longest < FILLING_FROM || !plans.iter().any(Plan::takes_time)).then_some(plans)
    }

    /// Whether frames wait at all.
    #[must_use]
    pub fn takes_time(&self) -> bool {
        self.octet_parts > 0 || self.delay_ns > 0
    }

    fn way(way: &Direction, mtu: u32, longest: u32) -> Option<Plan> {
        if way.loss + way.duplicate + way.reorder > 0.0 || way.jitter_ns > 0 {
            return None;
        }
        let octet_parts = way.rate_bps.map_or(0, |rate| (8_000_000_000 << 20) / rate);
        let frames = u64::from(longest.div_ceil(mtu));
        let carried = Carried { frames, bytes: u64::from(longest) + (frames - 1) * REPEATED };
        let sending_ns = (u128::from(carried.on_line(way.overhead_bytes)) * u128::from(octet_parts)) >> 20;
        let longest_ns = CREDIT_NS + way.delay_ns + u64::try_from(sending_ns).ok()?;
        let step_ns = longest_ns.div_ceil(u64::from(STEPS) - 1).next_multiple_of(BYTE_NS << SHIFT);
        (step_ns <= COARSEST_NS).then_some(Plan {
            octet_parts,
            overhead: way.overhead_bytes,
            delay_ns: way.delay_ns,
            packets: way.queue_packets,
            bytes: way.queue_bytes,
            step_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(way: Direction) -> Option<[Plan; 2]> {
        Plan::of(&Link { to_server: way, to_client: way, seed: 0, offload: None, maker: None }, 1500)
    }

    #[test]
    fn a_fast_local_line_is_the_kernel_s_and_what_is_left_to_chance_is_not() {
        let lan = Direction { delay_ns: 50_000, rate_bps: Some(100_000_000), overhead_bytes: 24, ..Direction::default() };
        let [found, _] = plan(lan).expect("the kernel makes it");
        assert_eq!(found.octet_parts, 80 << 20);
        assert!(found.takes_time() && found.step_ns < COARSEST_NS);
        for other in [
            Direction { loss: 0.01, ..lan },
            Direction { jitter_ns: 1, ..lan },
            Direction { reorder: 0.1, reorder_by_ns: 1, ..lan },
            Direction { delay_ns: 25_000_000, ..lan },
            Direction { rate_bps: Some(1_000_000_000), ..lan },
            Direction { rate_bps: Some(1_000_000), ..lan },
            Direction { delay_ns: 50_000, ..Direction::default() },
        ] {
            assert_eq!(plan(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_link_that_does_nothing_takes_no_time_however_long_its_frames() {
        let [found, _] = plan(Direction::default()).expect("the kernel makes it");
        assert!(!found.takes_time());
    }

    #[test]
    fn the_steps_of_the_longest_wait_fit_into_the_table_of_the_kernel() {
        let most_ns = u64::from(STEPS) * COARSEST_NS;
        assert!(u16::try_from((most_ns / BYTE_NS) >> SHIFT).is_ok());
        // SKB_MAX_ALLOC with pages of 4 KiB, minus the kernel's part.
        assert!(FILLING_FROM + u32::from(STEPS) * STEP_BYTES <= 4 * 4096 - 320);
    }
}
