//! The clock of Windows. It ticks ten million times a second, in Wine as well, and Wine reads Linux's own monotonic clock for it.

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};

use std::sync::OnceLock;

/// The clock's name in `hello`.
pub const NAME: &str = "QueryPerformanceCounter";

/// Nanoseconds of the monotonic clock, the same for every process of a machine.
#[must_use]
#[inline]
pub fn now() -> u64 {
    let mut ticks = 0;
    // SAFETY: the pointer is to a number that is alive during the call.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    let (ticks, frequency) = (ticks as u64, frequency());
    // Whole seconds apart, so that no product overflows.
    ticks / frequency * 1_000_000_000 + ticks % frequency * 1_000_000_000 / frequency
}

/// Ticks a second.
fn frequency() -> u64 {
    static FREQUENCY: OnceLock<u64> = OnceLock::new();
    *FREQUENCY.get_or_init(|| {
        let mut frequency = 0;
        // SAFETY: the pointer is to a number that is alive during the call.
        unsafe { QueryPerformanceFrequency(&raw mut frequency) };
        frequency.max(1) as u64
    })
}

/// Processor time of the calling thread so far, in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, system, user] = &mut times;
    // SAFETY: four pointers to times that are alive during the call; the handle is the thread's own and needs no closing.
    unsafe { GetThreadTimes(GetCurrentThread(), created, ended, system, user) };
    nanoseconds(times[2]) + nanoseconds(times[3])
}

/// A time in hundreds of nanoseconds, in two halves.
pub(crate) fn nanoseconds(time: FILETIME) -> u64 {
    ((u64::from(time.dwHighDateTime) << 32) | u64::from(time.dwLowDateTime)) * 100
}

#[link(name = "ntdll")]
unsafe extern "system" {
    /// `Sleep` counts in milliseconds; what it is built on counts in hundreds of nanoseconds, negative from now on.
    fn NtDelayExecution(alertable: u8, interval: *const i64) -> i32;
}

/// Sleeps until about `target`.
pub(super) fn sleep_until(target: u64) {
    let hundreds = target.saturating_sub(now()) / 100;
    let interval = -(hundreds.max(1) as i64);
    // SAFETY: the pointer is to a number that is alive during the call.
    unsafe { NtDelayExecution(0, &raw const interval) };
}

/// Windows has nothing of the kind for a thread.
pub fn sharpen_sleeps() {}
