//! `library`: the server is a shared library in the client's process, behind one exported C function.
//!
//! `engine/library` is that library. It has its own service. `SYMBOL` takes the name of a message and a request, and delivers the answer. Three names
//! are not messages: `options` takes the options of `serve` as JSON, `counted` returns the calls counted since the last request as JSON, and `once`
//! says that the library is unloaded after this call. Otherwise, it stays loaded as long as the process lives. As in `inproc`, a call cannot be
//! interrupted. A call that lasted too long is reported when it returns.

mod each_call;

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use callbench_contract::endpoint::{Connect, Listen, Options, RemoteCounts, Server};
use callbench_contract::{Failure, Kind};
use serde_json::Value;

use super::inproc::{ticks, within};
use super::{Channel, Connection, Route, only};
use each_call::EachCall;

/// Given the answer's bytes, which are good during the call.
pub type Deliver = extern "C" fn(context: *mut c_void, answer: *const u8, length: usize);

/// The library's one function. It delivers once and returns one of the numbers below.
pub type Call =
    unsafe extern "C" fn(message: *const c_char, request: *const u8, length: usize, deliver: Deliver, context: *mut c_void) -> i32;

pub const SYMBOL: &str = "callbench_call";
pub const FILE: &str = if cfg!(windows) { "callbench_library.dll" } else { "libcallbench_library.so" };
/// What the channel is called: on Windows as the article did.
pub const NAME: &str = if cfg!(windows) { "dll" } else { "library" };
/// What builds it.
const MAKE: &str = if cfg!(windows) { "make windows" } else { "make engine" };
/// An answer was delivered.
pub const ANSWERED: i32 = 0;
/// There is no message with this name; an error message was delivered.
pub const UNKNOWN: i32 = 1;
/// The request was refused; a sentence was delivered.
pub const REFUSED: i32 = 2;
/// The library failed; nothing was delivered.
pub const FAILED: i32 = 3;

const ENDPOINT: &str = "library";

static LOADED: OnceLock<Call> = OnceLock::new();

pub struct Library;

/// The possible locations of the library: `CALLBENCH_LIBRARY`, the folder of the running program, or its parent (where cargo puts tests).
fn places() -> Vec<PathBuf> {
    if let Some(place) = env::var_os("CALLBENCH_LIBRARY") {
        return vec![place.into()];
    }
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().skip(1).take(2).map(|folder| folder.join(FILE)).collect()
}

fn missing() -> Failure {
    Failure::new(Kind::Unsupported, format!("{FILE} is not beside the program: build it with `{MAKE}`, or name it in CALLBENCH_LIBRARY"))
}

fn place() -> Result<PathBuf, Failure> {
    places().into_iter().find(|place| place.is_file()).ok_or_else(missing)
}

/// The library at `place`, and its function, which is good as long as the library is.
fn opened(place: &Path) -> Result<(libloading::Library, Call), Failure> {
    let wrong = |error: libloading::Error| Failure::new(Kind::Unsupported, format!("{} cannot be loaded: {error}", place.display()));
    // SAFETY: the library's initialisers are Rust's own; that it is ours is what its name and place say.
    let library = unsafe { libloading::Library::new(place) }.map_err(wrong)?;
    // SAFETY: `engine/library` exports the symbol with this type.
    let call = unsafe { library.get::<Call>(SYMBOL) }.map(|call| *call).map_err(wrong)?;
    Ok((library, call))
}

fn load() -> Result<Call, Failure> {
    if let Some(call) = LOADED.get() {
        return Ok(*call);
    }
    let (library, call) = opened(&place()?)?;
    // Never unloaded: the function would go with it.
    std::mem::forget(library);
    Ok(*LOADED.get_or_init(|| call))
}

extern "C" fn keep(context: *mut c_void, answer: *const u8, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: `ask` gives the library a vector as context and lends it for the call; the library gives bytes that are good meanwhile.
    unsafe { (*context.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(answer, length)) };
}

/// One call of the library; the answer is left in `answer`.
fn ask(call: Call, message: &CString, request: &[u8], answer: &mut Vec<u8>) -> Result<(), Failure> {
    answer.clear();
    // SAFETY: all pointers are good during the call, and `keep` takes the context for what it is.
    let said = unsafe { call(message.as_ptr(), request.as_ptr(), request.len(), keep, (&raw mut *answer).cast()) };
    let sentence = || String::from_utf8_lossy(answer).into_owned();
    match said {
        ANSWERED => Ok(()),
        UNKNOWN => Err(Failure::new(Kind::Unsupported, sentence())),
        REFUSED => Err(Failure::new(Kind::BadRequest, sentence())),
        _ => Err(Failure::new(Kind::Internal, "the library failed in the call")),
    }
}

struct Served;

impl Server for Served {
    fn endpoint(&self) -> String {
        ENDPOINT.to_owned()
    }

    fn remote_counts(&self) -> Result<RemoteCounts, Failure> {
        let mut answer = Vec::new();
        ask(load()?, &c"counted".to_owned(), &[], &mut answer)?;
        let counts: BTreeMap<String, u64> = serde_json::from_slice(&answer).map_err(Failure::protocol)?;
        let calls = counts.into_iter().chain(each_call::counted()).collect();
        Ok(RemoteCounts { calls, processor: None })
    }
}

struct Caller {
    call: Call,
    message: CString,
    timeout: Duration,
    answer: Vec<u8>,
}

impl Channel for Library {
    fn name(&self) -> &'static str {
        NAME
    }

    fn unavailable(&self) -> Option<String> {
        if LOADED.get().is_some() || places().iter().any(|place| place.is_file()) { None } else { Some(missing().message) }
    }

    fn options(&self) -> &'static [&'static str] {
        &["keep_loaded"]
    }

    fn in_process(&self) -> bool {
        true
    }

    /// The handlers of the routes are not used: the library answers with its own service, which receives the same options.
    fn serve(&self, routes: Vec<Route>, _at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        only(routes, NAME)?;
        let options = serde_json::to_vec(options).map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
        ask(load()?, &c"options".to_owned(), &options, &mut Vec::new())?;
        each_call::serve(&options);
        Ok(Box::new(Served))
    }

    fn connect(&self, path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        if to.endpoint != ENDPOINT {
            return Err(super::line::refused(&to.endpoint, &"the library's endpoint is `library`"));
        }
        let message = CString::new(path).map_err(Failure::protocol)?;
        match to.options.get("keep_loaded") {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => return Ok(Box::new(EachCall::new(message, to.timeout)?)),
            Some(value) => return Err(Failure::new(Kind::BadRequest, format!("option keep_loaded is {value}: it must be true or false"))),
        }
        Ok(Box::new(Caller { call: load()?, message, timeout: to.timeout, answer: Vec::new() }))
    }
}

impl Connection for Caller {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        let started = ticks();
        ask(self.call, &self.message, request, &mut self.answer)?;
        within(self.timeout, started)?;
        Ok(&self.answer)
    }

    fn connections(&self) -> usize {
        0
    }
}
