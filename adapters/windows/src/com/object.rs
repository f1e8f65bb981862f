//! The server: the object that answers, and the factory that COM asks for it. COM calls it on its own threads.

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_service::{Answer, Call, Octets, Service, Value};
use windows_core::{GUID, HRESULT, IUnknown, Interface, implement};
use windows_sys::Win32::Foundation::{CLASS_E_NOAGGREGATION, VARIANT_BOOL};
use windows_sys::Win32::System::Com::SAFEARRAY;
use windows_sys::Win32::System::Variant::VARIANT;
use windows_sys::core::BSTR;

use super::interface::{Array, IClassFactory, IClassFactory_Impl, ISpeedService, ISpeedService_Impl};
use super::values::{self, Text, Truth, elements, read_text};
use super::{records, words};
use crate::mishap::Mishap;

const GOOD: HRESULT = HRESULT(0);

#[implement(ISpeedService)]
struct Speed {
    service: Arc<Service>,
    mishap: Arc<Mishap>,
}

#[implement(IClassFactory)]
pub struct Factory {
    pub service: Arc<Service>,
    pub mishap: Arc<Mishap>,
}

impl IClassFactory_Impl for Factory_Impl {
    unsafe fn CreateInstance(&self, outer: *mut core::ffi::c_void, id: *const GUID, made: *mut *mut core::ffi::c_void) -> HRESULT {
        if !outer.is_null() {
            return HRESULT(CLASS_E_NOAGGREGATION);
        }
        let object: IUnknown = Speed { service: Arc::clone(&self.service), mishap: Arc::clone(&self.mishap) }.into();
        // SAFETY: COM's own pointers.
        unsafe { object.query(id, made) }
    }

    /// The process lives for as long as the adapter wants it.
    unsafe fn LockServer(&self, _: i32) -> HRESULT {
        GOOD
    }
}

impl Speed {
    /// Answers one call; `give` passes the answer to COM.
    fn answer(&self, call: Result<Call, Failure>, give: impl FnOnce(Answer) -> Result<(), Failure>) -> HRESULT {
        let answered = call.map_err(|failure| failure.message).and_then(|call| {
            self.mishap.next();
            let answer = self.service.answer(&call).map_err(|fault| fault.message)?;
            give(answer).map_err(|failure| failure.message)
        });
        answered.map_or_else(|sentence| words::leave(&sentence), |()| GOOD)
    }

    fn take(&self, value: Result<Value, Failure>) -> HRESULT {
        self.answer(value.map(Call::Send), |_| Ok(()))
    }
}

/// The answer does not suit the call. The service never does this.
fn other<T>() -> Result<T, Failure> {
    Err(Failure::protocol("the service gave an answer that this call has not"))
}

/// Methods that take a number.
macro_rules! scalars {
    ($($name:ident($type:ty) = $variant:ident),* $(,)?) => { $(
        unsafe fn $name(&self, value: $type) -> HRESULT {
            self.take(Ok(Value::$variant(value)))
        }
    )* };
}

/// Methods that take an array; `$of` makes the service's value of the elements.
macro_rules! arrays {
    ($($name:ident($type:ty) = $of:expr),* $(,)?) => { $(
        unsafe fn $name(&self, value: Array) -> HRESULT {
            // SAFETY: what COM gives is an array or null, whole, and lives as long as the call.
            self.take(unsafe { elements::<$type>(value) }.and_then($of))
        }
    )* };
}

impl ISpeedService_Impl for Speed_Impl {
    unsafe fn Empty(&self) -> HRESULT {
        self.answer(Ok(Call::Empty), |_| Ok(()))
    }

    unsafe fn Sum(&self, a: i32, b: i32, result: *mut i32) -> HRESULT {
        self.answer(Ok(Call::Sum { a, b }), |answer| {
            let Answer::Number(sum) = answer else { return other() };
            // SAFETY: where the answer goes.
            unsafe { result.write(sum) };
            Ok(())
        })
    }

    unsafe fn GetPersons(&self, n: i32, result: *mut *mut SAFEARRAY) -> HRESULT {
        self.answer(Ok(Call::GetPersons { n }), |answer| {
            let Answer::Persons(persons) = answer else { return other() };
            // SAFETY: where the answer goes.
            unsafe { result.write(records::write_all(&persons)?.give()) };
            Ok(())
        })
    }

    unsafe fn GetBinaryData(&self, size: i32, fill: BSTR, result: *mut *mut SAFEARRAY) -> HRESULT {
        // SAFETY: what COM gives is a string or null.
        let fill = unsafe { read_text(fill) };
        self.answer(fill.map(|fill| Call::GetBinaryData { size, fill }), |answer| {
            let Answer::Octets(Octets(octets)) = answer else { return other() };
            // SAFETY: where the answer goes.
            unsafe { result.write(values::Array::of(&octets)?.give()) };
            Ok(())
        })
    }

    unsafe fn EchoStructure(&self, structure: VARIANT, result: *mut VARIANT) -> HRESULT {
        // SAFETY: what COM gives is whole.
        let structure = unsafe { records::read(&structure) };
        self.answer(structure.map(Call::EchoStructure), |answer| {
            let Answer::Structure(structure) = answer else { return other() };
            // SAFETY: where the answer goes.
            unsafe { result.write(records::write(&structure)?.give()) };
            Ok(())
        })
    }

    unsafe fn EchoString(&self, value: BSTR, result: *mut BSTR) -> HRESULT {
        // SAFETY: what COM gives is a string or null.
        let value = unsafe { read_text(value) };
        self.answer(value.map(Call::EchoString), |answer| give_text(answer, result))
    }

    unsafe fn Hello(&self, result: *mut BSTR) -> HRESULT {
        self.answer(Ok(Call::Hello), |answer| give_text(answer, result))
    }

    unsafe fn FindItems(&self, n: i32, result: *mut VARIANT) -> HRESULT {
        self.answer(Ok(Call::FindItems { n }), |answer| {
            let Answer::Found(found) = answer else { return other() };
            // SAFETY: where the answer goes.
            unsafe { result.write(records::write(&found)?.give()) };
            Ok(())
        })
    }

    unsafe fn SendBoolean(&self, value: VARIANT_BOOL) -> HRESULT {
        self.take(Ok(Value::Boolean(Truth::taken(value).holds())))
    }

    scalars! {
        SendByte(u8) = Byte, SendChar(u16) = Char, SendShort(i16) = Short, SendInt(i32) = Int, SendLong(i64) = Long,
        SendFloat(f32) = Float, SendDouble(f64) = Double,
    }

    unsafe fn SendString(&self, value: BSTR) -> HRESULT {
        // SAFETY: what COM gives is a string or null.
        self.take(unsafe { read_text(value) }.map(Value::Text))
    }

    unsafe fn SendObject(&self, value: VARIANT) -> HRESULT {
        // SAFETY: what COM gives is whole.
        self.take(unsafe { records::read(&value) }.map(Value::Object))
    }

    arrays! {
        SendBooleanArray(Truth) = |all| Ok(Value::Booleans(all.iter().map(|each| each.holds()).collect())),
        SendByteArray(u8) = |all| Ok(Value::Bytes(Octets(all.to_vec()))),
        SendCharArray(u16) = |all| Ok(Value::Chars(all.to_vec())),
        SendShortArray(i16) = |all| Ok(Value::Shorts(all.to_vec())),
        SendIntArray(i32) = |all| Ok(Value::Ints(all.to_vec())),
        SendLongArray(i64) = |all| Ok(Value::Longs(all.to_vec())),
        SendFloatArray(f32) = |all| Ok(Value::Floats(all.to_vec())),
        SendDoubleArray(f64) = |all| Ok(Value::Doubles(all.to_vec())),
        // SAFETY: the array holds strings.
        SendStringArray(BSTR) = |all| Ok(Value::Texts(all.iter().map(|each| unsafe { read_text(*each) }).collect::<Result<_, _>>()?)),
        // SAFETY: the array holds variants.
        SendObjectArray(VARIANT) = |all| Ok(Value::Objects(all.iter().map(|each| unsafe { records::read(each) }).collect::<Result<_, _>>()?)),
    }
}

fn give_text(answer: Answer, result: *mut BSTR) -> Result<(), Failure> {
    let Answer::Text(text) = answer else { return other() };
    // SAFETY: where the answer goes.
    unsafe { result.write(Text::of(&text)?.give()) };
    Ok(())
}
