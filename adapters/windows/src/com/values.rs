//! COM's own values, each freed when it is dropped: strings, arrays, variants. What is only read is borrowed as it came.

use callbench_kit::{Failure, Kind};
use windows_sys::Win32::Foundation::{SysAllocStringLen, SysFreeString, SysStringLen, VARIANT_BOOL, VARIANT_FALSE, VARIANT_TRUE};
use windows_sys::Win32::System::Com::{FADF_BSTR, FADF_VARIANT, SAFEARRAY};
use windows_sys::Win32::System::Ole::{SafeArrayCreateVector, SafeArrayDestroy};
use windows_sys::Win32::System::Variant::{
    VARENUM, VARIANT, VT_BOOL, VT_BSTR, VT_I2, VT_I4, VT_I8, VT_R4, VT_R8, VT_UI1, VT_UI2, VT_VARIANT, VariantClear,
};
use windows_sys::core::BSTR;

/// A string that is ours.
pub struct Text(BSTR);

impl Text {
    pub fn of(text: &str) -> Result<Self, Failure> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let count = u32::try_from(units.len()).map_err(|_| no_memory())?;
        // SAFETY: so many units are there.
        let made = unsafe { SysAllocStringLen(units.as_ptr(), count) };
        if made.is_null() { Err(no_memory()) } else { Ok(Text(made)) }
    }

    /// Takes a string that somebody gave away.
    pub fn taken(given: BSTR) -> Self {
        Text(given)
    }

    /// Still ours.
    pub fn raw(&self) -> BSTR {
        self.0
    }

    /// Gives it away.
    pub fn give(self) -> BSTR {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: it is ours, or null, which is allowed.
        unsafe { SysFreeString(self.0) };
    }
}

/// What a string says. Null is an empty one.
///
/// # Safety
/// It is a BSTR or null.
pub unsafe fn read_text(text: BSTR) -> Result<String, Failure> {
    if text.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the caller's promise: so many units lie there, behind their length.
    let units = unsafe { std::slice::from_raw_parts(text, SysStringLen(text) as usize) };
    String::from_utf16(units).map_err(|_| Failure::protocol("a string has a surrogate without its partner"))
}

/// What an array may hold, as its octets are.
pub trait Element: Copy {
    const TYPE: VARENUM;
    /// What the array's features say of such elements; 0 where they say nothing.
    const FEATURE: u16 = 0;
}

macro_rules! elements {
    ($($type:ty = $kind:ident),*) => { $(impl Element for $type { const TYPE: VARENUM = $kind; })* };
}
elements!(u8 = VT_UI1, u16 = VT_UI2, i16 = VT_I2, i32 = VT_I4, i64 = VT_I8, f32 = VT_R4, f64 = VT_R8);

impl Element for BSTR {
    const TYPE: VARENUM = VT_BSTR;
    const FEATURE: u16 = FADF_BSTR;
}

impl Element for VARIANT {
    const TYPE: VARENUM = VT_VARIANT;
    const FEATURE: u16 = FADF_VARIANT;
}

/// A truth value has the octets of an `i16`, which is another type.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Truth(VARIANT_BOOL);

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        Truth(if value { VARIANT_TRUE } else { VARIANT_FALSE })
    }
}

impl Truth {
    pub fn raw(self) -> VARIANT_BOOL {
        self.0
    }

    pub fn holds(self) -> bool {
        self.0 != VARIANT_FALSE
    }

    /// As it came.
    pub fn taken(raw: VARIANT_BOOL) -> Self {
        Truth(raw)
    }
}

impl Element for Truth {
    const TYPE: VARENUM = VT_BOOL;
}

/// An array of one dimension that is ours, with what it holds.
pub struct Array(*mut SAFEARRAY);

impl Array {
    /// One of zeros, empty strings or empty variants.
    fn new(kind: VARENUM, count: usize) -> Result<Self, Failure> {
        let count = u32::try_from(count).map_err(|_| no_memory())?;
        // SAFETY: it gives a new array or null.
        let made = unsafe { SafeArrayCreateVector(kind, 0, count) };
        if made.is_null() { Err(no_memory()) } else { Ok(Array(made)) }
    }

    /// A copy of numbers.
    pub fn of<T: Element>(values: &[T]) -> Result<Self, Failure> {
        let array = Array::new(T::TYPE, values.len())?;
        // SAFETY: the array has room for so many values of this type, and is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), (*array.0).pvData.cast(), values.len()) };
        Ok(array)
    }

    /// Made one by one. Each that `make` gives is the array's from then on, also where the next one fails.
    pub fn made<T: Element, V>(values: &[V], make: impl Fn(&V) -> Result<T, Failure>) -> Result<Self, Failure> {
        let array = Array::new(T::TYPE, values.len())?;
        for (place, value) in values.iter().enumerate() {
            let element = make(value)?;
            // SAFETY: there is room for so many, and what lies there is a zero, which needs no freeing.
            unsafe { (*array.0).pvData.cast::<T>().add(place).write(element) };
        }
        Ok(array)
    }

    /// Of variants, which are the array's from then on.
    pub fn holding(values: Vec<Variant>) -> Result<Self, Failure> {
        let array = Array::new(VT_VARIANT, values.len())?;
        for (place, value) in values.into_iter().enumerate() {
            // SAFETY: there is room for so many, and an empty variant, which lies there, needs no freeing.
            unsafe { (*array.0).pvData.cast::<VARIANT>().add(place).write(value.give()) };
        }
        Ok(array)
    }

    /// Takes one that somebody gave away.
    pub fn taken(given: *mut SAFEARRAY) -> Self {
        Array(given)
    }

    pub fn raw(&self) -> *const SAFEARRAY {
        self.0
    }

    /// Gives it away.
    pub fn give(self) -> *mut SAFEARRAY {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: it is ours, and nobody has it locked.
            unsafe { SafeArrayDestroy(self.0) };
        }
    }
}

/// What an array holds. Null is an empty one.
///
/// # Safety
/// It is an array or null, and it outlives what is given.
pub unsafe fn elements<'a, T: Element>(array: *const SAFEARRAY) -> Result<&'a [T], Failure> {
    if array.is_null() {
        return Ok(&[]);
    }
    // SAFETY: the caller's promise.
    let array = unsafe { &*array };
    let fits = array.cDims == 1 && array.cbElements as usize == size_of::<T>() && array.fFeatures & T::FEATURE == T::FEATURE;
    if !fits {
        return Err(Failure::protocol("an array is not of one dimension, or of other elements than it should be"));
    }
    let count = array.rgsabound[0].cElements as usize;
    if count == 0 || array.pvData.is_null() {
        return Ok(&[]);
    }
    // SAFETY: an array has as many elements as it says, of the size that was looked at.
    Ok(unsafe { std::slice::from_raw_parts(array.pvData.cast(), count) })
}

/// A variant that is ours, with what it holds.
#[derive(Default)]
pub struct Variant(VARIANT);

impl Variant {
    /// Of `kind`; `set` writes the value that belongs to it.
    pub fn of(kind: VARENUM, set: impl FnOnce(&mut windows_sys::Win32::System::Variant::VARIANT_0_0_0)) -> Self {
        let mut made = Variant::default();
        made.0.Anonymous.Anonymous.vt = kind;
        // SAFETY: a variant of zeros is a valid one, and so is this part of it.
        set(unsafe { &mut made.0.Anonymous.Anonymous.Anonymous });
        made
    }

    /// Takes one that somebody gave away.
    pub fn taken(given: VARIANT) -> Self {
        Variant(given)
    }

    /// Still ours.
    pub fn raw(&self) -> &VARIANT {
        &self.0
    }

    /// Gives it away.
    pub fn give(self) -> VARIANT {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Variant {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { VariantClear(&raw mut self.0) };
    }
}

fn no_memory() -> Failure {
    Failure::new(Kind::OutOfResources, "COM has no memory for a value of this length")
}
