//! `winmsg`: window messages. A request is a `WM_COPYDATA` to the server's message-only window. The server sends the answer as another one to the
//! client's window before it returns. One thread serves all clients, because a window belongs to one thread.
//!
//! A window's messages arrive at the thread that created it. So each calling thread has its own window, created at its first call.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use callbench_kit::stack::LIMIT;
use callbench_kit::stack::{Connect, Listen, Options, Server};
use callbench_kit::{Failure, Kind};
use callbench_transport::line::{closed, refused, timed_out, too_large};
use callbench_transport::{Channel, Connection, Handler, Route, only};
use windows_sys::Win32::Foundation::{ERROR_TIMEOUT, GetLastError, HWND, LPARAM, LRESULT, SetLastError, WPARAM};
use windows_sys::Win32::System::DataExchange::COPYDATASTRUCT;
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DispatchMessageW, FindWindowExW, GetMessageW, HWND_MESSAGE, MSG, RegisterClassW, SMTO_BLOCK,
    SMTO_NORMAL, SendMessageTimeoutW, WM_COPYDATA, WNDCLASSW,
};

use super::wide;
use crate::mishap;
use crate::process::Process;

pub const NAME: &str = "winmsg";
const CLIENT: &str = "callbench-client";
const SERVER: &str = "callbench-server";
/// How long the server waits for a client to take its answer. All others wait meanwhile.
const DELIVERY: Duration = Duration::from_secs(5);

/// Handles the received bytes: the sender's window, the number of the call, the bytes.
type Take = fn(own: HWND, from: HWND, number: usize, octets: &[u8]) -> bool;

thread_local! {
    /// This thread's window, as client.
    static WINDOW: Cell<HWND> = const { Cell::new(std::ptr::null_mut()) };
    /// The call under way on this thread, by number, and its answer.
    static ANSWER: RefCell<(usize, Option<Vec<u8>>)> = const { RefCell::new((0, None)) };
    /// The number given last.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// What answers, in the server's process.
static HANDLER: OnceLock<Arc<dyn Handler>> = OnceLock::new();

pub struct WinMsg;

impl Channel for WinMsg {
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
        let (class, title) = (wide(SERVER), wide(&to.endpoint));
        // SAFETY: both texts end with a zero.
        let server = unsafe { FindWindowExW(HWND_MESSAGE, std::ptr::null_mut(), class.as_ptr(), title.as_ptr()) };
        if server.is_null() {
            return Err(refused(&to.endpoint, &"no window has this title"));
        }
        Ok(Box::new(Caller { server: server as usize, timeout: to.timeout, answer: Vec::new() }))
    }
}

struct Caller {
    /// The window, as the number it is: any thread may send to it.
    server: usize,
    timeout: Duration,
    answer: Vec<u8>,
}

impl Connection for Caller {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        if request.len() > LIMIT {
            return Err(too_large(request.len(), LIMIT));
        }
        let own = own_window()?;
        // By thread, so that a late answer to an earlier call of another client is never taken for this one's.
        let number = NUMBER.get() + 1;
        NUMBER.set(number);
        ANSWER.set((number, Some(std::mem::take(&mut self.answer))));
        let taken = send(self.server as HWND, own, number, request, SMTO_NORMAL, self.timeout);
        let (wanted, answer) = ANSWER.take();
        taken?;
        // The answer sets the number to 0.
        match answer {
            Some(answer) if wanted == 0 => self.answer = answer,
            _ => return Err(Failure::new(Kind::Protocol, "the server took the request and sent no answer")),
        }
        Ok(&self.answer)
    }

    fn connections(&self) -> usize {
        0
    }
}

/// Sends `octets` to a window and waits until it has processed them.
fn send(to: HWND, own: HWND, number: usize, octets: &[u8], how: u32, timeout: Duration) -> Result<(), Failure> {
    let data = COPYDATASTRUCT { dwData: number, cbData: octets.len() as u32, lpData: octets.as_ptr().cast_mut().cast() };
    let milliseconds = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX).max(1);
    let mut taken = 0;
    // SAFETY: the structure and the octets are good during the call, and the receiver only reads them.
    let (sent, error) = unsafe {
        SetLastError(0);
        let about = (own as WPARAM, (&raw const data) as LPARAM);
        (SendMessageTimeoutW(to, WM_COPYDATA, about.0, about.1, how, milliseconds, &raw mut taken), GetLastError())
    };
    match (sent, error) {
        (0, ERROR_TIMEOUT) => Err(timed_out()),
        (0, _) => Err(closed()),
        _ if taken == 0 => Err(Failure::new(Kind::Protocol, "the other window did not take the message")),
        _ => Ok(()),
    }
}

/// Keeps the answer that this thread waits for; any other is late and is dropped.
fn keep(_own: HWND, _from: HWND, number: usize, octets: &[u8]) -> bool {
    ANSWER.with_borrow_mut(|(wanted, answer)| {
        if let (true, Some(answer)) = (*wanted == number, answer) {
            answer.clear();
            answer.extend_from_slice(octets);
            *wanted = 0;
        }
    });
    true
}

/// Answers a request before it returns.
fn answer(own: HWND, from: HWND, number: usize, octets: &[u8]) -> bool {
    thread_local! {
        static OUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    let Some(handler) = HANDLER.get() else { return false };
    OUT.with_borrow_mut(|out| {
        out.clear();
        handler.answer(octets, out);
        // No other message reaches this thread meanwhile (SMTO_BLOCK). A client that has given up does not take the answer.
        send(from, own, number, out, SMTO_BLOCK, DELIVERY).is_ok()
    })
}

/// What both windows do with a message.
unsafe fn receive(window: HWND, message: u32, from: WPARAM, about: LPARAM, take: Take) -> LRESULT {
    if message != WM_COPYDATA {
        // SAFETY: what came is passed on.
        return unsafe { DefWindowProcW(window, message, from, about) };
    }
    // SAFETY: with this message comes a pointer to the structure, good until this returns.
    let data = unsafe { &*(about as *const COPYDATASTRUCT) };
    let length = data.cbData as usize;
    // SAFETY: the structure says where its octets are; nothing may have any address.
    let octets = if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.lpData.cast::<u8>(), length) } };
    LRESULT::from(take(window, from as HWND, data.dwData, octets))
}

unsafe extern "system" fn client_window(window: HWND, message: u32, from: WPARAM, about: LPARAM) -> LRESULT {
    // SAFETY: what came from the system is passed on.
    unsafe { receive(window, message, from, about, keep) }
}

unsafe extern "system" fn server_window(window: HWND, message: u32, from: WPARAM, about: LPARAM) -> LRESULT {
    // SAFETY: what came from the system is passed on.
    unsafe { receive(window, message, from, about, answer) }
}

/// The calling thread's window; it goes with the thread.
fn own_window() -> Result<HWND, Failure> {
    if WINDOW.get().is_null() {
        WINDOW.set(window(CLIENT, "", client_window)?);
    }
    Ok(WINDOW.get())
}

type Procedure = unsafe extern "system" fn(HWND, u32, WPARAM, LPARAM) -> LRESULT;

/// A new message-only window of the calling thread.
fn window(class: &str, title: &str, procedure: Procedure) -> Result<HWND, Failure> {
    let (class, title) = (wide(class), wide(title));
    let none = std::ptr::null_mut();
    // SAFETY: the texts end with a zero and are good during the calls; registering a class again fails and changes nothing.
    let window = unsafe {
        let program = GetModuleHandleW(std::ptr::null());
        let class_of =
            WNDCLASSW { lpfnWndProc: Some(procedure), hInstance: program, lpszClassName: class.as_ptr(), ..WNDCLASSW::default() };
        RegisterClassW(&raw const class_of);
        CreateWindowExW(0, class.as_ptr(), title.as_ptr(), 0, 0, 0, 0, 0, HWND_MESSAGE, none, program, std::ptr::null())
    };
    if window.is_null() { Err(std::io::Error::last_os_error().into()) } else { Ok(window) }
}

/// Serves as long as the process lives. Returns the window's title.
pub fn host(handler: Arc<dyn Handler>) -> Result<String, Failure> {
    let title = format!("callbench-{}", std::process::id());
    HANDLER.set(handler).map_err(|_| Failure::new(Kind::Internal, "this process serves already"))?;
    let (made, created) = mpsc::channel();
    let own = title.clone();
    thread::Builder::new().name("window".to_owned()).spawn(move || {
        let window = window(SERVER, &own, server_window);
        let good = window.is_ok();
        let _ = made.send(window.map(|_| ()));
        let mut message = MSG::default();
        // SAFETY: the pointer is to a message that is alive during the calls.
        while good && unsafe { GetMessageW(&raw mut message, std::ptr::null_mut(), 0, 0) } > 0 {
            // SAFETY: likewise.
            unsafe { DispatchMessageW(&raw const message) };
        }
    })?;
    created.recv().map_err(|_| closed())??;
    Ok(title)
}
