//! `com`: an object of another process, called through the proxy that COM's runtime makes of a type library (`speed.idl`). No message and no
//! channel are ours here: the runtime, which is Wine's, has both.

mod carrier;
mod client;
#[expect(non_snake_case, reason = "the names are those of COM and of `speed.idl`")]
#[expect(clippy::transmute_ptr_to_ptr, reason = "windows-core's macro writes it")]
mod interface;
#[expect(clippy::inline_always, clippy::ref_as_ptr, reason = "windows-core's macro writes it")]
mod object;
mod records;
mod values;
#[expect(clippy::inline_always, clippy::ref_as_ptr, reason = "windows-core's macro writes it")]
mod words;

use std::sync::Arc;

use callbench_kit::stack::{Client, Connect, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::Service;
use windows_core::{GUID, Interface};
use windows_sys::Win32::System::Com::{
    CLSCTX_LOCAL_SERVER, COINIT_MULTITHREADED, CoIncrementMTAUsage, CoInitializeEx, CoRegisterClassObject, REGCLS_MULTIPLEUSE,
};
use windows_sys::Win32::System::Ole::{LoadTypeLibEx, REGKIND_REGISTER};

use crate::channel::wide;
use crate::mishap::{self, Mishap};
use crate::process::Process;
use interface::IClassFactory;

pub const NAME: &str = "com";
/// What widl makes of `speed.idl`, beside the program.
const LIBRARY: &str = "speed.tlb";

pub struct Com;

impl Stack for Com {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn options(&self) -> &'static [&'static str] {
        mishap::OPTIONS
    }

    /// The given service is not used: a separate process answers.
    fn serve(&self, _service: Arc<Service>, _at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        Process::start(&[NAME], options)
    }

    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure> {
        enter()?;
        Ok(Box::new(carrier::Carried::connect(to)?))
    }
}

/// Converts to the GUID type of the functions' crate.
fn plain(id: GUID) -> windows_sys::core::GUID {
    windows_sys::core::GUID::from_u128(id.to_u128())
}

/// Serves as long as the process lives. Returns the class.
pub fn host(service: Arc<Service>, mishap: Arc<Mishap>) -> Result<String, Failure> {
    // SAFETY: the one argument must be null.
    checked("starting COM", unsafe { CoInitializeEx(std::ptr::null(), COINIT_MULTITHREADED as u32) })?;
    words::listen_once()?;
    register()?;
    // A new class for each server: Wine keeps the registration of a killed server, and would give it to clients forever.
    let class = GUID::new().map_err(|error| Failure::new(Kind::Internal, format!("making the number of a class: {error}")))?;
    let factory: IClassFactory = object::Factory { service, mishap }.into();
    let mut registered = 0;
    // SAFETY: COM takes a reference of its own to the factory.
    let result = unsafe {
        CoRegisterClassObject(&plain(class), factory.as_raw(), CLSCTX_LOCAL_SERVER, REGCLS_MULTIPLEUSE as u32, &raw mut registered)
    };
    checked("registering the class", result)?;
    // The class factory must live as long as the process.
    std::mem::forget(factory);
    Ok(format!("{class:?}"))
}

/// Lets the registry of this run's prefix know the type library, by which both processes marshal.
fn register() -> Result<(), Failure> {
    let path = std::env::current_exe()?.with_file_name(LIBRARY);
    let name = wide(&path.to_string_lossy());
    let mut library = std::ptr::null_mut();
    // SAFETY: the name ends with a zero; what comes back is kept for as long as the process lives.
    let result = unsafe { LoadTypeLibEx(name.as_ptr(), REGKIND_REGISTER, &raw mut library) };
    checked(&format!("registering the type library {}", path.display()), result)
}

/// Allows every thread of this process to call objects without initialising COM itself.
fn enter() -> Result<(), Failure> {
    let mut cookie = std::ptr::null_mut();
    // SAFETY: where a cookie goes that nobody needs: it lasts as long as the process.
    checked("starting COM", unsafe { CoIncrementMTAUsage(&raw mut cookie) })
}

/// A failed HRESULT as a failure of the machine.
fn checked(what: &str, result: i32) -> Result<(), Failure> {
    if result >= 0 {
        return Ok(());
    }
    Err(Failure::new(Kind::Internal, format!("{what}: COM says {:#010x}", result.cast_unsigned())))
}
