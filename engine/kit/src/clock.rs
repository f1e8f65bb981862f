//! The monotonic clock: reading it, the cost of a reading, and waiting for a time.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{NAME, now, sharpen_sleeps, thread_cpu_ns};
#[cfg(windows)]
pub(crate) use windows::nanoseconds;
#[cfg(windows)]
pub use windows::{NAME, now, sharpen_sleeps, thread_cpu_ns};

#[cfg(unix)]
use unix::sleep_until;
#[cfg(windows)]
use windows::sleep_until;

/// The step of the clock in nanoseconds: the greatest common divisor of a thousand differences. The kernel reports 1 even if the hardware counts in
/// hundreds.
#[must_use]
pub fn resolution_ns() -> u64 {
    let mut step = 0;
    for _ in 0..1000 {
        let first = now();
        let mut next = now();
        while next == first {
            next = now();
        }
        step = common_divisor(step, next - first);
    }
    step
}

fn common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The cost of one reading in nanoseconds: the median of 51 rounds, so that interruptions do not matter.
#[must_use]
pub fn reading_ns() -> f64 {
    const READINGS: u32 = 400;
    let mut rounds: Vec<u64> = (0..51)
        .map(|_| {
            let start = now();
            for _ in 1..READINGS {
                std::hint::black_box(now());
            }
            now() - start
        })
        .collect();
    rounds.sort_unstable();
    rounds[rounds.len() / 2] as f64 / f64::from(READINGS)
}

/// The clock of a load loop: the machine's clock, or the scripted one of a golden trace.
pub trait Clock {
    fn now(&self) -> u64;

    /// Sleeps until `moment`, or until a signal arrives.
    fn sleep_until(&self, moment: u64);

    /// The last part of a wait, during which the thread spins. `usual` is suitable for the machine's clock and this kind of wait.
    #[inline]
    fn spin_ns(&self, usual: u64) -> u64 {
        usual
    }

    /// Receives the two readings around each call or batch.
    #[inline]
    fn made(&self, _started: u64, _ended: u64) {}

    /// Waits until `target`. It sleeps, but spins for the last `spin_ns`. Returns the reading that ended the wait.
    #[inline]
    fn wait_until(&self, target: u64, spin_ns: u64) -> u64 {
        loop {
            let time = self.now();
            if time >= target {
                return time;
            }
            if target - time > spin_ns {
                self.sleep_until(target - spin_ns);
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Keeps the processor busy for this time.
    #[inline]
    fn burn(&self, length_ns: u64) {
        let end = self.now().saturating_add(length_ns);
        while self.now() < end {
            std::hint::spin_loop();
        }
    }
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic;

impl Clock for Monotonic {
    #[inline]
    fn now(&self) -> u64 {
        now()
    }

    fn sleep_until(&self, moment: u64) {
        sleep_until(moment);
    }
}

/// As [`Clock::wait_until`], with the machine's clock.
#[must_use]
pub fn wait_until(target: u64, spin_ns: u64) -> u64 {
    Monotonic.wait_until(target, spin_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_runs_backwards() {
        let mut last = now();
        for _ in 0..10_000 {
            let next = now();
            assert!(next >= last);
            last = next;
        }
    }

    #[test]
    fn a_wait_never_ends_early() {
        for spin in [0, 50_000, u64::MAX] {
            let target = now() + 200_000;
            assert!(wait_until(target, spin) >= target);
        }
        assert!(wait_until(0, 0) > 0);
    }

    #[test]
    fn its_own_figures_are_plausible() {
        assert!(resolution_ns() >= 1);
        assert_eq!(common_divisor(0, 100), 100);
        assert_eq!(common_divisor(100, 350), 50);
        assert!(reading_ns() > 0.0);
    }
}
