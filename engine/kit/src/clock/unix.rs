//! The clock of Linux.

/// The clock's name in `hello`.
pub const NAME: &str = "CLOCK_MONOTONIC";

/// Nanoseconds of the monotonic clock. All processes of a machine share it.
#[must_use]
#[inline]
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that is alive during the call.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    debug_assert_eq!(status, 0, "the monotonic clock exists on every Linux");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The processor time of the calling thread, in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that is alive during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps until `target`, or until a signal arrives.
pub(super) fn sleep_until(target: u64) {
    let time = libc::timespec { tv_sec: (target / 1_000_000_000) as libc::time_t, tv_nsec: (target % 1_000_000_000) as libc::c_long };
    // SAFETY: the request is a valid timespec, and no remainder is asked for.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const time, std::ptr::null_mut()) };
}

/// Lets the calling thread's sleeps end as exactly as the kernel can, instead of up to 50 us late.
pub fn sharpen_sleeps() {
    // SAFETY: sets a number of the calling thread and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}
