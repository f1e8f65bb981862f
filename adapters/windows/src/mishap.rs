//! Access violations: what becomes of a process that meets one, and one on order, so that it can be seen how it is reported: the option
//! `access_violation_at` names the call, counted from 1, in which the server writes to an address that nobody has.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use callbench_kit::stack::Options;
use callbench_kit::{Failure, Kind};
use windows_sys::Win32::Foundation::EXCEPTION_ACCESS_VIOLATION;
use windows_sys::Win32::System::Diagnostics::Debug::{AddVectoredExceptionHandler, EXCEPTION_POINTERS, SetUnhandledExceptionFilter};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

const OPTION: &str = "access_violation_at";
pub const OPTIONS: &[&str] = &[OPTION];
/// The answer of a handler that leaves the exception to the next one.
const EXCEPTION_CONTINUE_SEARCH: i32 = 0;
/// In the first page, which no process of Windows or Wine has.
const NOWHERE: usize = 64;

/// Ends this process by an access violation that nobody handles, with that code and one sentence, where Wine would start its debugger and
/// print pages. What COM's runtime catches is its own affair.
pub fn end_where_unhandled() {
    // SAFETY: the function lives as long as the process.
    unsafe { SetUnhandledExceptionFilter(Some(end)) };
}

/// Ends this process by any access violation: Wine swallows one in a window's procedure, and what it left half done would answer on.
pub fn end_at_once() {
    // SAFETY: the function lives as long as the process.
    unsafe { AddVectoredExceptionHandler(1, Some(end_by_vector)) };
}

unsafe extern "system" fn end_by_vector(about: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the same record.
    unsafe { end(about) }
}

unsafe extern "system" fn end(about: *const EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system gives a record that is whole; its last part holds an address where the code is this one.
    let (code, address) = unsafe { ((*(*about).ExceptionRecord).ExceptionCode, (*(*about).ExceptionRecord).ExceptionInformation[1]) };
    if code == EXCEPTION_ACCESS_VIOLATION {
        eprintln!("callbench-windows: access violation at address {address:#x}: this process ends with 0xc0000005");
        // SAFETY: it ends the process, with no other code of it run.
        unsafe { TerminateProcess(GetCurrentProcess(), code.cast_unsigned()) };
    }
    EXCEPTION_CONTINUE_SEARCH
}

/// Counts the calls to it.
#[derive(Default)]
pub struct Mishap {
    at: Option<u64>,
    calls: AtomicU64,
}

impl Mishap {
    pub fn of(options: &Options) -> Result<Self, Failure> {
        let at = match options.get(OPTION) {
            None => None,
            Some(value) => {
                let number = value.as_u64().filter(|number| *number > 0);
                Some(number.ok_or_else(|| Failure::new(Kind::BadRequest, format!("{OPTION} is {value}: it must be a number from 1")))?)
            }
        };
        Ok(Mishap { at, ..Mishap::default() })
    }

    /// To be told of each call, before it is answered.
    pub fn next(&self) {
        let Some(at) = self.at else { return };
        if self.calls.fetch_add(1, Relaxed) + 1 == at {
            let nowhere = std::ptr::without_provenance_mut::<u8>(NOWHERE);
            // SAFETY: there is none: this is the mishap. The system ends the thread or the process here.
            unsafe { nowhere.write_volatile(1) };
        }
    }
}
