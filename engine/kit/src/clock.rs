//! The monotonic clock: reading it, what a reading costs, and waiting for a moment of it.

/// The clock's name in `hello`.
pub const NAME: &str = "CLOCK_MONOTONIC";

/// Nanoseconds of the monotonic clock, the same for every process of a machine.
#[must_use]
#[inline]
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that is alive during the call.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    debug_assert_eq!(status, 0, "the monotonic clock exists on every Linux");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The step of the clock in nanoseconds: the greatest common divisor of a thousand differences. The kernel's own figure is 1 even
/// where the hardware ticks in hundreds.
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

/// The cost of one reading in nanoseconds: the median of 51 rounds, which interruptions do not move.
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

/// Waits until `target`, asleep but for the last `spin_ns`, and gives the reading that ended the wait.
#[must_use]
pub fn wait_until(target: u64, spin_ns: u64) -> u64 {
    loop {
        let time = now();
        if time >= target {
            return time;
        }
        if target - time > spin_ns {
            sleep_until(target - spin_ns);
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Processor time of the calling thread so far, in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that is alive during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Keeps the processor busy for so long.
pub fn burn(length_ns: u64) {
    let end = now().saturating_add(length_ns);
    while now() < end {
        std::hint::spin_loop();
    }
}

/// Sleeps until `target`, or until a signal comes.
fn sleep_until(target: u64) {
    let time = libc::timespec { tv_sec: (target / 1_000_000_000) as libc::time_t, tv_nsec: (target % 1_000_000_000) as libc::c_long };
    // SAFETY: the request is a valid timespec, and no remainder is asked for.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const time, std::ptr::null_mut()) };
}

/// Makes the calling thread's sleeps end as soon as the kernel can, instead of up to 50 us later.
pub fn sharpen_sleeps() {
    // SAFETY: sets a number of the calling thread and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
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
