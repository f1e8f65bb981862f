//! The client: an object of another process, and each call of the service as a method of it.

use callbench_kit::stack::Connect;
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call, Octets, Value};
use windows_core::{GUID, HRESULT, Interface};
use windows_sys::Win32::Foundation::{E_OUTOFMEMORY, RPC_E_CALL_REJECTED, RPC_E_DISCONNECTED, RPC_E_SERVER_DIED, RPC_E_SERVER_DIED_DNE};
use windows_sys::Win32::System::Com::{CLSCTX_LOCAL_SERVER, CoCreateInstance};

use super::interface::ISpeedService;
use super::values::{Array, Text, Truth, Variant, elements, read_text};
use super::{plain, records, words};
use callbench_transport::line::refused;

/// The RPC runtime's errors if the other side has gone: the server is unavailable, too busy, the call failed, or was not started.
const GONE: [u32; 4] = [0x8007_06ba, 0x8007_06bb, 0x8007_06be, 0x8007_06bf];
/// `ERROR_NOACCESS`: the server's code met an access violation, and the RPC runtime, which called it, lived on.
const ACCESS_VIOLATION: u32 = 0x8007_03e6;

pub struct Caller {
    service: ISpeedService,
}

impl Caller {
    pub fn connect(to: &Connect) -> Result<Self, Failure> {
        let class =
            GUID::try_from(to.endpoint.as_str()).map_err(|_| refused(&to.endpoint, &"the endpoint of COM is the number of a class"))?;
        words::listen_once()?;
        let made = activate(class).map_err(|result| refused(&to.endpoint, &format_args!("COM made no object: {:#010x}", result.0)))?;
        // SAFETY: it is an interface of this type, and ours.
        Ok(Caller { service: unsafe { ISpeedService::from_raw(made) } })
    }

    /// Sends one value, by the method of its type.
    fn send(&self, value: &Value) -> Result<(), Failure> {
        let service = &self.service;
        // SAFETY: every argument outlives its call.
        good(unsafe {
            match value {
                Value::Boolean(value) => service.SendBoolean(Truth::from(*value).raw()),
                Value::Byte(value) => service.SendByte(*value),
                Value::Char(value) => service.SendChar(*value),
                Value::Short(value) => service.SendShort(*value),
                Value::Int(value) => service.SendInt(*value),
                Value::Long(value) => service.SendLong(*value),
                Value::Float(value) => service.SendFloat(*value),
                Value::Double(value) => service.SendDouble(*value),
                Value::Text(value) => service.SendString(Text::of(value)?.raw()),
                Value::Object(value) => service.SendObject(*records::write(value)?.raw()),
                Value::Booleans(all) => {
                    let all: Vec<Truth> = all.iter().map(|each| Truth::from(*each)).collect();
                    service.SendBooleanArray(Array::of(&all)?.raw())
                }
                Value::Bytes(Octets(all)) => service.SendByteArray(Array::of(all)?.raw()),
                Value::Chars(all) => service.SendCharArray(Array::of(all)?.raw()),
                Value::Shorts(all) => service.SendShortArray(Array::of(all)?.raw()),
                Value::Ints(all) => service.SendIntArray(Array::of(all)?.raw()),
                Value::Longs(all) => service.SendLongArray(Array::of(all)?.raw()),
                Value::Floats(all) => service.SendFloatArray(Array::of(all)?.raw()),
                Value::Doubles(all) => service.SendDoubleArray(Array::of(all)?.raw()),
                Value::Texts(all) => service.SendStringArray(Array::made(all, |each| Text::of(each).map(Text::give))?.raw()),
                Value::Objects(all) => service.SendObjectArray(records::write_all(all)?.raw()),
            }
        })
    }

    fn persons(&self, n: i32) -> Result<Answer, Failure> {
        let mut given = std::ptr::null_mut();
        // SAFETY: where the answer goes, which is ours then, or still null.
        unsafe {
            let result = self.service.GetPersons(n, &raw mut given);
            let given = Array::taken(given);
            good(result)?;
            Ok(Answer::Persons(records::read_all(given.raw())?))
        }
    }

    fn octets(&self, size: i32, fill: &str) -> Result<Answer, Failure> {
        let fill = Text::of(fill)?;
        let mut given = std::ptr::null_mut();
        // SAFETY: where the answer goes, which is ours then, or still null.
        unsafe {
            let result = self.service.GetBinaryData(size, fill.raw(), &raw mut given);
            let given = Array::taken(given);
            good(result)?;
            Ok(Answer::Octets(Octets(elements::<u8>(given.raw())?.to_vec())))
        }
    }

    /// A call that answers a string.
    fn text(&self, ask: impl FnOnce(&ISpeedService, *mut windows_sys::core::BSTR) -> HRESULT) -> Result<Answer, Failure> {
        let mut given = std::ptr::null();
        let result = ask(&self.service, &raw mut given);
        let given = Text::taken(given);
        good(result)?;
        // SAFETY: what the runtime gave is a string or null.
        Ok(Answer::Text(unsafe { read_text(given.raw())? }))
    }

    /// A call that answers a record.
    fn record<T: serde::de::DeserializeOwned>(
        &self,
        ask: impl FnOnce(&ISpeedService, *mut windows_sys::Win32::System::Variant::VARIANT) -> HRESULT,
    ) -> Result<T, Failure> {
        let mut given = Variant::default().give();
        let result = ask(&self.service, &raw mut given);
        let given = Variant::taken(given);
        good(result)?;
        // SAFETY: what the runtime gave is whole.
        unsafe { records::read(given.raw()) }
    }
}

impl Caller {
    /// Makes a call, however long that takes.
    pub fn call(&self, call: &Call) -> Result<Answer, Failure> {
        // SAFETY, here and below: every argument outlives its call, and every answer has a place of its type.
        match call {
            // SAFETY: see above.
            Call::Empty => good(unsafe { self.service.Empty() }).map(|()| Answer::Nothing),
            Call::Send(value) => self.send(value).map(|()| Answer::Nothing),
            Call::Sum { a, b } => {
                let mut sum = 0;
                // SAFETY: see above.
                good(unsafe { self.service.Sum(*a, *b, &raw mut sum) }).map(|()| Answer::Number(sum))
            }
            Call::GetPersons { n } => self.persons(*n),
            Call::GetBinaryData { size, fill } => self.octets(*size, fill),
            Call::EchoStructure(structure) => {
                let sent = records::write(structure)?;
                // SAFETY: see above.
                self.record(|service, to| unsafe { service.EchoStructure(*sent.raw(), to) }).map(Answer::Structure)
            }
            Call::EchoString(value) => {
                let sent = Text::of(value)?;
                // SAFETY: see above.
                self.text(|service, to| unsafe { service.EchoString(sent.raw(), to) })
            }
            // SAFETY: see above.
            Call::Hello => self.text(|service, to| unsafe { service.Hello(to) }),
            // SAFETY: see above.
            Call::FindItems { n } => self.record(|service, to| unsafe { service.FindItems(*n, to) }).map(Answer::Found),
            // A service of the user's own has no interface here.
            Call::Own(_) => Err(Failure::new(Kind::CannotCarry, "COM carries Callbench's own calls alone")),
        }
    }
}

/// An object of the class, as a pointer that is ours.
fn activate(class: GUID) -> Result<*mut core::ffi::c_void, HRESULT> {
    let (class, id) = (plain(class), plain(ISpeedService::IID));
    let mut made = std::ptr::null_mut();
    // SAFETY: `made` takes an interface of the type that `id` names.
    let result = unsafe { CoCreateInstance(&raw const class, std::ptr::null_mut(), CLSCTX_LOCAL_SERVER, &raw const id, &raw mut made) };
    if result < 0 || made.is_null() { Err(HRESULT(result)) } else { Ok(made) }
}

/// What an HRESULT says.
fn good(result: HRESULT) -> Result<(), Failure> {
    let code = result.0;
    if code >= 0 {
        return Ok(());
    }
    if let (words::REFUSED, Some(words)) = (result, words::take()) {
        return Err(Failure::fault(words));
    }
    let number = code.cast_unsigned();
    let kind = match code {
        RPC_E_DISCONNECTED | RPC_E_SERVER_DIED | RPC_E_SERVER_DIED_DNE | RPC_E_CALL_REJECTED => Kind::Closed,
        _ if GONE.contains(&number) => Kind::Closed,
        E_OUTOFMEMORY => Kind::OutOfResources,
        _ => Kind::Protocol,
    };
    let said = match number {
        ACCESS_VIOLATION => {
            "the server's code met an access violation (0xc0000005), which COM's runtime caught; the server lives on".to_owned()
        }
        _ => format!("COM says {number:#010x}: {}", std::io::Error::from_raw_os_error(code)),
    };
    Err(Failure::new(kind, said))
}
