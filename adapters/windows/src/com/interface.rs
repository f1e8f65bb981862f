//! The interfaces by their vtables. `ISpeedService` has the table of `speed.idl`, method by method: the runtime reads the one, the compiler
//! the other.

use windows_core::{GUID, HRESULT, IUnknown, IUnknown_Vtbl, interface};
use windows_sys::Win32::Foundation::VARIANT_BOOL;
use windows_sys::Win32::System::Com::SAFEARRAY;
use windows_sys::Win32::System::Variant::VARIANT;
use windows_sys::core::BSTR;

/// Stands in the table of methods for an array of any type.
pub type Array = *const SAFEARRAY;

#[interface("6f8a1d0e-5b0c-4d6b-9c55-2f7e3b9a4c02")]
pub unsafe trait ISpeedService: IUnknown {
    pub unsafe fn Empty(&self) -> HRESULT;
    pub unsafe fn Sum(&self, a: i32, b: i32, result: *mut i32) -> HRESULT;
    pub unsafe fn GetPersons(&self, n: i32, result: *mut *mut SAFEARRAY) -> HRESULT;
    pub unsafe fn GetBinaryData(&self, size: i32, fill: BSTR, result: *mut *mut SAFEARRAY) -> HRESULT;
    pub unsafe fn EchoStructure(&self, structure: VARIANT, result: *mut VARIANT) -> HRESULT;
    pub unsafe fn EchoString(&self, value: BSTR, result: *mut BSTR) -> HRESULT;
    pub unsafe fn Hello(&self, result: *mut BSTR) -> HRESULT;
    pub unsafe fn FindItems(&self, n: i32, result: *mut VARIANT) -> HRESULT;
    pub unsafe fn SendBoolean(&self, value: VARIANT_BOOL) -> HRESULT;
    pub unsafe fn SendByte(&self, value: u8) -> HRESULT;
    pub unsafe fn SendChar(&self, value: u16) -> HRESULT;
    pub unsafe fn SendShort(&self, value: i16) -> HRESULT;
    pub unsafe fn SendInt(&self, value: i32) -> HRESULT;
    pub unsafe fn SendLong(&self, value: i64) -> HRESULT;
    pub unsafe fn SendFloat(&self, value: f32) -> HRESULT;
    pub unsafe fn SendDouble(&self, value: f64) -> HRESULT;
    pub unsafe fn SendString(&self, value: BSTR) -> HRESULT;
    pub unsafe fn SendObject(&self, value: VARIANT) -> HRESULT;
    pub unsafe fn SendBooleanArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendByteArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendCharArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendShortArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendIntArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendLongArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendFloatArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendDoubleArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendStringArray(&self, value: Array) -> HRESULT;
    pub unsafe fn SendObjectArray(&self, value: Array) -> HRESULT;
}

/// COM's own, from which an object is had.
#[interface("00000001-0000-0000-c000-000000000046")]
pub unsafe trait IClassFactory: IUnknown {
    pub unsafe fn CreateInstance(&self, outer: *mut core::ffi::c_void, id: *const GUID, made: *mut *mut core::ffi::c_void) -> HRESULT;
    pub unsafe fn LockServer(&self, lock: i32) -> HRESULT;
}

/// COM's interface with which a process adds an extension to calls and answers.
#[interface("1008c4a0-7613-11cf-9af1-0020af6e72f4")]
pub unsafe trait IChannelHook: IUnknown {
    pub unsafe fn ClientGetSize(&self, extension: *const GUID, interface: *const GUID, size: *mut u32);
    pub unsafe fn ClientFillBuffer(&self, extension: *const GUID, interface: *const GUID, size: *mut u32, data: *mut u8);
    pub unsafe fn ClientNotify(
        &self,
        extension: *const GUID,
        interface: *const GUID,
        size: u32,
        data: *const u8,
        representation: u32,
        fault: HRESULT,
    );
    pub unsafe fn ServerNotify(&self, extension: *const GUID, interface: *const GUID, size: u32, data: *const u8, representation: u32);
    pub unsafe fn ServerGetSize(&self, extension: *const GUID, interface: *const GUID, fault: HRESULT, size: *mut u32);
    pub unsafe fn ServerFillBuffer(&self, extension: *const GUID, interface: *const GUID, size: *mut u32, data: *mut u8, fault: HRESULT);
}
