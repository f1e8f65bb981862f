//! Waits for the time of a frame without polling the clock all the time, because the measured processes need the processors.
//!
//! Sleeps end late by a similar time. So each sleep is shortened by that time. If a frame is due before a sleep can end, it leaves now or after the
//! sleep. The choice brings the sum of all deviations nearer to zero. Single frames leave some microseconds early or late, but the mean delay of the
//! link is that of the profile.

/// What to do until the first frame is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Send,
    /// Sleep for this time in nanoseconds, then call `step` again.
    Sleep(u64),
}

/// A sleep that ended later than this was delayed by the machine. It is ignored.
const LATEST_NS: u64 = 200_000;
/// The maximum sum of deviations that is compensated. The delay of a stalled machine is not compensated by frames that leave early.
const MOST_OWED_NS: i64 = 100_000;
/// The weight of a new sleep in the estimate is one part in this number.
const MEMORY: u64 = 16;

#[derive(Debug)]
pub struct Pause {
    /// How late sleeps end, in nanoseconds.
    late_ns: u64,
    /// The sum of how late frames left, minus how early others left.
    owed_ns: i64,
}

impl Default for Pause {
    fn default() -> Self {
        Pause { late_ns: 50_000, owed_ns: 0 }
    }
}

impl Pause {
    /// The first frame is due in `left_ns`.
    pub fn step(&self, left_ns: u64) -> Step {
        if left_ns == 0 {
            return Step::Send;
        }
        if left_ns > self.late_ns {
            return Step::Sleep(left_ns - self.late_ns);
        }
        let early = self.owed_ns - left_ns as i64;
        let late = self.owed_ns + (self.late_ns - left_ns) as i64;
        if early.abs() <= late.abs() { Step::Send } else { Step::Sleep(1) }
    }

    /// A sleep of `asked_ns` took `took_ns`.
    pub fn slept(&mut self, asked_ns: u64, took_ns: u64) {
        let late_ns = took_ns.saturating_sub(asked_ns).min(LATEST_NS);
        self.late_ns = (self.late_ns * (MEMORY - 1) + late_ns) / MEMORY;
    }

    /// A frame that was due at `due_ns` left at `now_ns`.
    pub fn sent(&mut self, due_ns: u64, now_ns: u64) {
        let late = i64::try_from(now_ns).unwrap_or(i64::MAX).saturating_sub(i64::try_from(due_ns).unwrap_or(i64::MAX));
        self.owed_ns = self.owed_ns.saturating_add(late).clamp(-MOST_OWED_NS, MOST_OWED_NS);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Simulates frames that are due after the given gaps, with a clock whose sleeps end late. Returns the deviation of each.
    fn played(gaps: &[u64], late: impl Fn(usize) -> u64) -> Vec<i64> {
        let (mut pause, mut now, mut due) = (Pause::default(), 0_u64, 0_u64);
        let mut sleeps = 0;
        gaps.iter()
            .map(|gap| {
                due = due.max(now) + gap;
                loop {
                    match pause.step(due.saturating_sub(now)) {
                        Step::Send => break,
                        Step::Sleep(length_ns) => {
                            let took = length_ns + late(sleeps);
                            sleeps += 1;
                            pause.slept(length_ns, took);
                            now += took;
                        }
                    }
                }
                pause.sent(due, now);
                now as i64 - due as i64
            })
            .collect()
    }

    fn mean(values: &[i64]) -> f64 {
        values.iter().sum::<i64>() as f64 / values.len() as f64
    }

    #[test]
    fn a_frame_that_is_due_leaves() {
        assert_eq!(Pause::default().step(0), Step::Send);
    }

    #[test]
    fn sleeps_that_end_late_by_the_same_are_asked_to_end_earlier() {
        let off = played(&[1_000_000; 500], |_| 40_000);
        assert!(off[200..].iter().all(|it| it.abs() < 2_000), "{off:?}");
    }

    #[test]
    fn a_frame_that_is_due_sooner_than_a_sleep_ends_is_right_in_the_mean() {
        let off = played(&[20_000; 1000], |_| 60_000);
        assert!(mean(&off[200..]).abs() < 1_000.0, "{}", mean(&off[200..]));
        assert!(off.iter().all(|it| it.abs() <= 60_000), "{off:?}");
    }

    proptest! {
        #[test]
        fn no_frame_leaves_earlier_than_a_sleep_is_late_and_the_mean_is_the_profile_s(
            gap in 1_000_u64..3_000_000, late in 1_000_u64..120_000, spread in 1_u64..20_000,
        ) {
            // A deterministic, even spread.
            let off = played(&vec![gap; 2000], |sleep| late + (sleep as u64 * 7919) % spread);
            let most = (late + spread) as i64;
            let settled = &off[400..];
            prop_assert!(settled.iter().all(|it| *it >= -most), "{:?}", settled.iter().min());
            prop_assert!(mean(settled).abs() < 2_000.0, "{}", mean(settled));
        }
    }
}
