//! The words of a fault: an extension of the answer, for Wine does not carry COM's error objects to another process. They are left for the
//! calling thread and taken from it, on both sides.

use std::cell::RefCell;
use std::sync::OnceLock;

use callbench_kit::Failure;
use windows_core::{GUID, HRESULT, implement};
use windows_sys::Win32::System::Com::CoRegisterChannelHook;

use super::interface::{IChannelHook, IChannelHook_Impl};
use super::{checked, plain};

/// The extension's name: Callbench's own, since Windows has one of its own for error objects.
const EXTENSION: GUID = GUID::from_u128(0x6f8a_1d0e_5b0c_4d6b_9c55_2f7e_3b9a_4c04);
/// What a fault's HRESULT is: the first that an interface may give a meaning of its own.
pub const REFUSED: HRESULT = HRESULT(0x8004_0200_u32.cast_signed());

thread_local! {
    static WORDS: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Leaves them for the answer under way on this thread; the HRESULT to give.
pub fn leave(words: &str) -> HRESULT {
    WORDS.set(Some(words.to_owned()));
    REFUSED
}

/// Takes those that came with the last answer on this thread.
pub fn take() -> Option<String> {
    WORDS.take()
}

#[implement(IChannelHook)]
struct Hook;

/// Lets this process send and receive words.
pub fn listen_once() -> Result<(), Failure> {
    static LISTENS: OnceLock<Result<(), Failure>> = OnceLock::new();
    LISTENS.get_or_init(listen).clone()
}

fn listen() -> Result<(), Failure> {
    let hook: IChannelHook = Hook.into();
    // COM keeps it for as long as the process lives.
    let raw = windows_core::Interface::into_raw(hook);
    let id = plain(EXTENSION);
    // SAFETY: both pointers are good.
    checked("registering an extension", unsafe { CoRegisterChannelHook(&raw const id, raw) })
}

impl IChannelHook_Impl for Hook_Impl {
    unsafe fn ClientGetSize(&self, _: *const GUID, _: *const GUID, size: *mut u32) {
        // What an earlier answer left is not this call's.
        WORDS.set(None);
        // SAFETY: it points to a number.
        unsafe { *size = 0 };
    }

    unsafe fn ClientFillBuffer(&self, _: *const GUID, _: *const GUID, size: *mut u32, _: *mut u8) {
        // SAFETY: it points to a number.
        unsafe { *size = 0 };
    }

    unsafe fn ClientNotify(&self, _: *const GUID, _: *const GUID, size: u32, data: *const u8, _: u32, _: HRESULT) {
        if size > 0 && !data.is_null() {
            // SAFETY: so many octets came with the answer.
            let octets = unsafe { std::slice::from_raw_parts(data, size as usize) };
            WORDS.set(Some(String::from_utf8_lossy(octets).into_owned()));
        }
    }

    unsafe fn ServerNotify(&self, _: *const GUID, _: *const GUID, _: u32, _: *const u8, _: u32) {
        WORDS.set(None);
    }

    unsafe fn ServerGetSize(&self, _: *const GUID, _: *const GUID, _: HRESULT, size: *mut u32) {
        let length = WORDS.with_borrow(|words| words.as_ref().map_or(0, String::len));
        // SAFETY: it points to a number.
        unsafe { *size = length as u32 };
    }

    unsafe fn ServerFillBuffer(&self, _: *const GUID, _: *const GUID, size: *mut u32, data: *mut u8, _: HRESULT) {
        let words = WORDS.take().unwrap_or_default();
        // SAFETY: there is room for as many octets as were asked for, which are these.
        unsafe {
            std::ptr::copy_nonoverlapping(words.as_ptr(), data, words.len());
            *size = words.len() as u32;
        }
    }
}
