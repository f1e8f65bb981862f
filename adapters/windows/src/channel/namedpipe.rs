//! `namedpipe`: a named pipe of Windows in message mode, whose messages need no frame. It uses a thread and an instance per connection.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use callbench_kit::stack::LIMIT;
use callbench_kit::stack::{Connect, Listen, Options, Server};
use callbench_kit::{Failure, Kind};
use callbench_transport::line::{Caller, Ending, Line, Patience, answer_all, closed, refused, too_large};
use callbench_transport::{Channel, Connection, Handler, Route, only};
use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_MORE_DATA, ERROR_NO_DATA, ERROR_PIPE_BUSY, ERROR_PIPE_CONNECTED, ERROR_PIPE_NOT_CONNECTED,
    GENERIC_READ, GENERIC_WRITE, GetLastError, INVALID_HANDLE_VALUE, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{CreateFileW, FILE_FLAG_OVERLAPPED, OPEN_EXISTING, PIPE_ACCESS_DUPLEX, ReadFile, WriteFile};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Pipes::{
    ConnectNamedPipe, CreateNamedPipeW, PIPE_READMODE_MESSAGE, PIPE_TYPE_MESSAGE, PIPE_UNLIMITED_INSTANCES, PIPE_WAIT, PeekNamedPipe,
    SetNamedPipeHandleState, WaitNamedPipeW,
};
use windows_sys::Win32::System::Threading::{CreateEventW, INFINITE, WaitForSingleObject};

use super::wide;
use crate::mishap;
use crate::process::Process;

pub const NAME: &str = "namedpipe";
/// The pipe's own buffers, and what a read has room for at first.
const ROOM: usize = 64 << 10;

pub struct NamedPipe;

impl Channel for NamedPipe {
    fn name(&self) -> &'static str {
        NAME
    }

    fn options(&self) -> &'static [&'static str] {
        mishap::OPTIONS
    }

    /// The handler of the route is not used: a separate process answers.
    fn serve(&self, routes: Vec<Route>, _at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        Process::start(&[NAME, only(routes, NAME)?.path], options)
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        let place = to.clone();
        Ok(Box::new(Caller::new(to.timeout, move || join(&place))?))
    }
}

/// One end, client's or server's. All waiting is overlapped, so that it can be given up.
struct End {
    pipe: OwnedHandle,
    event: OwnedHandle,
    memory: Vec<u8>,
    length: usize,
}

/// How an operation on the pipe ended.
enum Done {
    Whole(usize),
    /// The message goes on.
    Part(usize),
}

impl End {
    fn new(pipe: OwnedHandle) -> Result<Self, Failure> {
        // SAFETY: no names and no attributes; the handle that comes back is new and nobody else's.
        let event = unsafe { owned(CreateEventW(std::ptr::null(), 1, 0, std::ptr::null()))? };
        Ok(End { pipe, event, memory: vec![0; ROOM], length: 0 })
    }

    /// Starts an operation and waits for its end, at most as long as `patience` lasts.
    fn finish(&self, patience: &mut Patience, start: impl FnOnce(*mut OVERLAPPED) -> i32) -> Result<Done, Failure> {
        let mut state = OVERLAPPED { hEvent: self.event.as_raw_handle(), ..OVERLAPPED::default() };
        let state = &raw mut state;
        // Starting it makes the event wait again, whatever the last operation left, in Wine as well.
        // The error is read at once: any other call may set it anew.
        // SAFETY: it reads a number of the calling thread.
        let error = if start(state) == 0 { unsafe { GetLastError() } } else { 0 };
        match error {
            0 | ERROR_MORE_DATA => {}
            ERROR_IO_PENDING => self.wait(state, patience)?,
            // A client that came before it was awaited: nothing was started, and the state says nothing.
            ERROR_PIPE_CONNECTED => return Ok(Done::Whole(0)),
            other => return Err(failure(other)),
        }
        let mut count = 0;
        // SAFETY: both pointers are good during the call.
        let (good, error) = unsafe { (GetOverlappedResult(self.pipe.as_raw_handle(), state, &raw mut count, 0), GetLastError()) };
        match (good, error) {
            (0, ERROR_MORE_DATA) => Ok(Done::Part(count as usize)),
            (0, other) => Err(failure(other)),
            _ => Ok(Done::Whole(count as usize)),
        }
    }

    fn wait(&self, state: *mut OVERLAPPED, patience: &mut Patience) -> Result<(), Failure> {
        loop {
            let left = patience.left();
            // SAFETY: the event is open.
            let woken = unsafe { WaitForSingleObject(self.event.as_raw_handle(), left.map_or(INFINITE, milliseconds)) };
            if woken != WAIT_TIMEOUT {
                return Ok(());
            }
            if let Err(failure) = patience.wasted(left.unwrap_or_default()) {
                let mut count = 0;
                // SAFETY: the operation is under way on this pipe; the state and the memory it uses must outlive it, so its end is awaited.
                unsafe {
                    CancelIoEx(self.pipe.as_raw_handle(), state);
                    GetOverlappedResult(self.pipe.as_raw_handle(), state, &raw mut count, 1);
                }
                return Err(failure);
            }
        }
    }

    /// What of the message in hand has not been read yet.
    fn rest(&self) -> Result<usize, Failure> {
        let mut rest = 0;
        let none = std::ptr::null_mut();
        // SAFETY: it writes one number; all other pointers may be null.
        if unsafe { PeekNamedPipe(self.pipe.as_raw_handle(), none, 0, none.cast(), none.cast(), &raw mut rest) } == 0 {
            return Err(last());
        }
        Ok(rest as usize)
    }
}

impl Line for End {
    fn send(&mut self, message: &[u8], patience: &mut Patience) -> Result<(), Failure> {
        if message.len() > LIMIT {
            return Err(too_large(message.len(), LIMIT));
        }
        let pipe = self.pipe.as_raw_handle();
        // SAFETY: `finish` does not return before the operation has ended, and the message is good until then.
        self.finish(patience, |state| unsafe { WriteFile(pipe, message.as_ptr(), message.len() as u32, std::ptr::null_mut(), state) })?;
        Ok(())
    }

    fn receive(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        self.length = 0;
        loop {
            let (pipe, length) = (self.pipe.as_raw_handle(), self.length);
            let (at, room) = (self.memory[length..].as_mut_ptr(), self.memory.len() - length);
            // SAFETY: `finish` does not return before the operation has ended, and the memory stays where it is until then.
            let done = self.finish(patience, |state| unsafe { ReadFile(pipe, at, room as u32, std::ptr::null_mut(), state) })?;
            match done {
                Done::Whole(count) => {
                    self.length += count;
                    return Ok(());
                }
                Done::Part(count) => {
                    self.length += count;
                    let whole = self.length + self.rest()?.max(1);
                    if whole > LIMIT {
                        return Err(too_large(whole, LIMIT));
                    }
                    self.memory.resize(whole.max(self.memory.len()), 0);
                }
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}

/// For a wait: rounded up, so that the last part of a millisecond is waited for and not spun through.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from((time + Duration::from_nanos(999_999)).as_millis()).unwrap_or(INFINITE)
}

/// The last error of the calling thread.
fn last() -> Failure {
    // SAFETY: it reads a number of the calling thread.
    failure(unsafe { GetLastError() })
}

fn failure(error: u32) -> Failure {
    match error {
        ERROR_BROKEN_PIPE | ERROR_NO_DATA | ERROR_PIPE_NOT_CONNECTED => closed(),
        other => io::Error::from_raw_os_error(other as i32).into(),
    }
}

/// Takes a new handle.
///
/// # Safety
/// The handle is nobody else's.
unsafe fn owned(handle: *mut std::ffi::c_void) -> Result<OwnedHandle, Failure> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(last());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// A client's end.
fn join(to: &Connect) -> Result<End, Failure> {
    let name = wide(&to.endpoint);
    let pipe = loop {
        // SAFETY: the name ends with a zero, and the handle that comes back is new.
        let (handle, error) = unsafe {
            let rights = GENERIC_READ | GENERIC_WRITE;
            let none = std::ptr::null_mut();
            (CreateFileW(name.as_ptr(), rights, 0, std::ptr::null(), OPEN_EXISTING, FILE_FLAG_OVERLAPPED, none), GetLastError())
        };
        // SAFETY: nobody else knows it.
        let opened = unsafe { owned(handle) };
        match opened {
            Ok(pipe) => break pipe,
            // Every instance has its client: the server is making the next.
            // SAFETY: the name ends with a zero.
            Err(_) if error == ERROR_PIPE_BUSY => unsafe {
                if WaitNamedPipeW(name.as_ptr(), milliseconds(to.timeout)) == 0 {
                    return Err(Failure::new(Kind::Timeout, "the server has no free instance of its pipe"));
                }
            },
            Err(failure) => return Err(refused(&to.endpoint, &failure.message)),
        }
    };
    let mode = PIPE_READMODE_MESSAGE;
    // SAFETY: the pipe is open, and the one pointer that is not null is to a number.
    if unsafe { SetNamedPipeHandleState(pipe.as_raw_handle(), &raw const mode, std::ptr::null(), std::ptr::null()) } == 0 {
        return Err(last());
    }
    End::new(pipe)
}

/// Serves as long as the process lives. Returns the pipe's name.
pub fn host(handler: Arc<dyn Handler>) -> Result<String, Failure> {
    let name = format!(r"\\.\pipe\callbench-{}", std::process::id());
    let mut next = instance(&name)?;
    let own = name.clone();
    thread::Builder::new().name("accept".to_owned()).spawn(move || {
        loop {
            let pipe = next.pipe.as_raw_handle();
            // SAFETY: `finish` does not return before the operation has ended.
            let joined = next.finish(&mut Patience::endless(), |state| unsafe { ConnectNamedPipe(pipe, state) });
            let guest = match instance(&own) {
                Ok(fresh) => std::mem::replace(&mut next, fresh),
                Err(failure) => {
                    eprintln!("callbench-windows: no further instance of the pipe: {failure}");
                    return;
                }
            };
            if joined.is_ok() {
                let handler = Arc::clone(&handler);
                // If no thread can be created, the instance is dropped with the closure, and the client sees a closed connection.
                let _ = thread::Builder::new().name("connection".to_owned()).spawn(move || {
                    let mut guest = guest;
                    answer_all(&mut guest, handler.as_ref(), &Ending::default());
                });
            }
        }
    })?;
    Ok(name)
}

/// A new instance of the pipe, which waits for its client.
fn instance(name: &str) -> Result<End, Failure> {
    let name = wide(name);
    let mode = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_WAIT;
    let access = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED;
    let room = ROOM as u32;
    // SAFETY: the name ends with a zero, and the handle that comes back is new.
    End::new(unsafe { owned(CreateNamedPipeW(name.as_ptr(), access, mode, PIPE_UNLIMITED_INSTANCES, room, room, 0, std::ptr::null()))? })
}
