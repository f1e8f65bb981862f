//! The arrivals of an open loop, from the gaps that the core wrote.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::failure::{Failure, Kind};

/// The maximum number of gaps.
const MAX_GAPS: usize = 1 << 20;

/// Gaps between arrivals in nanoseconds. After the last gap, the first follows.
#[derive(Debug)]
pub struct Schedule {
    gaps: Vec<u64>,
}

impl Schedule {
    /// Checks the gaps, in nanoseconds: at least one and at most 2^20.
    pub fn of(gaps: Vec<u64>) -> Result<Self, Failure> {
        if gaps.is_empty() || gaps.len() > MAX_GAPS {
            let message = format!("a schedule has {} gaps: it must have 1 to {MAX_GAPS}", gaps.len());
            return Err(Failure::new(Kind::BadRequest, message));
        }
        Ok(Schedule { gaps })
    }

    /// Reads a file of little-endian 64-bit gaps.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let bytes =
            std::fs::read(path).map_err(|error| Failure::new(Kind::BadRequest, format!("the schedule {shown} cannot be read: {error}")))?;
        let gaps: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|gap| u64::from_le_bytes(*gap)).collect();
        if gaps.is_empty() || bytes.len() % 8 != 0 || gaps.len() > MAX_GAPS {
            let message = format!("the schedule {shown} has {} bytes: it must be 1 to {MAX_GAPS} gaps of 8 bytes", bytes.len());
            return Err(Failure::new(Kind::BadRequest, message));
        }
        Ok(Schedule { gaps })
    }

    /// When so many arrivals are due on the average, in nanoseconds since the start.
    pub(super) fn lasts_ns(&self, calls: u64) -> u64 {
        let whole: u128 = self.gaps.iter().map(|gap| u128::from(*gap)).sum();
        u64::try_from(whole * u128::from(calls) / self.gaps.len() as u128).unwrap_or(u64::MAX)
    }
}

/// The queue of future arrivals.
pub(super) struct Arrivals<'a> {
    schedule: &'a Schedule,
    next: Mutex<Next>,
}

#[derive(Default)]
struct Next {
    number: u64,
    place: usize,
    /// When the last arrival was due, since the start.
    due_ns: u64,
}

impl<'a> Arrivals<'a> {
    pub(super) fn new(schedule: &'a Schedule) -> Self {
        Arrivals { schedule, next: Mutex::default() }
    }

    /// Takes the next arrival. Returns when it is due, in nanoseconds since the start. None after `calls` arrivals and `length_ns`, the end of the
    /// drive.
    pub(super) fn take(&self, calls: u64, length_ns: u64) -> Option<u64> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let due = next.due_ns.saturating_add(self.schedule.gaps[next.place]);
        if next.number >= calls && due >= length_ns {
            return None;
        }
        *next = Next { number: next.number + 1, place: (next.place + 1) % self.schedule.gaps.len(), due_ns: due };
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_replayed_in_a_circle_until_both_calls_and_time_are_over() {
        let schedule = Schedule { gaps: vec![10, 0, 5] };
        let all = |calls, length| {
            let arrivals = Arrivals::new(&schedule);
            std::iter::from_fn(|| arrivals.take(calls, length)).collect::<Vec<_>>()
        };
        assert_eq!(all(5, 0), [10, 10, 15, 25, 25]);
        assert_eq!(all(0, 30), [10, 10, 15, 25, 25]);
        assert_eq!(all(0, 31), [10, 10, 15, 25, 25, 30]);
        assert_eq!(all(0, 10), [0; 0]);
    }

    #[test]
    fn a_file_must_be_whole_gaps() {
        let path = std::env::temp_dir().join(format!("callbench-schedule-{}", std::process::id()));
        for (bytes, good) in [(&[0_u8; 16][..], true), (&[0; 9], false), (&[], false)] {
            std::fs::write(&path, bytes).expect("a file");
            assert_eq!(Schedule::read(&path).is_ok(), good, "{} bytes", bytes.len());
        }
        std::fs::remove_file(&path).expect("the file");
        assert_eq!(Schedule::read(&path).expect_err("no file").kind, Kind::BadRequest);
    }
}
