//! The clock of Windows. It counts ten million times per second, also in Wine, which uses Linux's monotonic clock.

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};

use std::sync::OnceLock;

/// The clock's name in `hello`.
pub const NAME: &str = "QueryPerformanceCounter";

/// Nanoseconds of the monotonic clock. All processes of a machine share it.
#[must_use]
#[inline]
pub fn now() -> u64 {
    let mut ticks = 0;
    // SAFETY: the pointer is to a number that is alive during the call.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    let (ticks, frequency) = (ticks as u64, frequency());
    // Whole seconds are converted separately, so that no product overflows.
    ticks / frequency * 1_000_000_000 + ticks % frequency * 1_000_000_000 / frequency
}

/// Counts per second.
fn frequency() -> u64 {
    static FREQUENCY: OnceLock<u64> = OnceLock::new();
    *FREQUENCY.get_or_init(|| {
        let mut frequency = 0;
        // SAFETY: the pointer is to a number that is alive during the call.
        unsafe { QueryPerformanceFrequency(&raw mut frequency) };
        frequency.max(1) as u64
    })
}

/// The processor time of the calling thread, in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, system, user] = &mut times;
    // SAFETY: four pointers to times that are alive during the call; the handle is the thread's own and needs no closing.
    unsafe { GetThreadTimes(GetCurrentThread(), created, ended, system, user) };
    nanoseconds(times[2]) + nanoseconds(times[3])
}

/// A time in units of 100 ns, in two halves.
pub(crate) fn nanoseconds(time: FILETIME) -> u64 {
    ((u64::from(time.dwHighDateTime) << 32) | u64::from(time.dwLowDateTime)) * 100
}

#[link(name = "ntdll")]
unsafe extern "system" {
    /// `Sleep` counts in milliseconds. The function below it counts in units of 100 ns; negative values are relative to now.
    fn NtDelayExecution(alertable: u8, interval: *const i64) -> i32;
}

/// Sleeps until about `target`.
pub(super) fn sleep_until(target: u64) {
    let hundreds = target.saturating_sub(now()) / 100;
    let interval = -(hundreds.max(1) as i64);
    // SAFETY: the pointer is to a number that is alive during the call.
    unsafe { NtDelayExecution(0, &raw const interval) };
}

/// Windows has no such setting for a thread.
pub fn sharpen_sleeps() {}
