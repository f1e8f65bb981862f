//! The server of the channel `library`: every message behind one exported C function. The form of a call is told in
//! `callbench_transport::library`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use callbench_native::echo;
use callbench_native::stack::handler;
use callbench_service::Service;
use callbench_transport::Handler;
use callbench_transport::library::{ANSWERED, Deliver, FAILED, REFUSED, UNKNOWN};

/// What answers: a service, and each message's way to it.
struct House {
    service: Arc<Service>,
    messages: Vec<(&'static str, Arc<dyn Handler>)>,
}

impl House {
    fn of(service: Service) -> Self {
        let service = Arc::new(service);
        let messages = callbench_codec::all().into_iter().map(|it| (it.name(), handler(it, Arc::clone(&service))));
        // Not a message, but it comes the same way.
        let messages = messages.chain([(echo::NAME, echo::handler(Arc::clone(&service)))]).collect();
        House { service, messages }
    }
}

static HOUSE: RwLock<Option<House>> = RwLock::new(None);

/// Whether the library is to be unloaded soon: then it must leave nothing on the thread, which the C library would keep it for.
static ONCE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The answer's memory, kept from call to call.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Answers one request; see the channel.
///
/// # Safety
/// `name` is a C string, `request` holds `length` bytes, and both are good during the call; `deliver` takes `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn callbench_call(
    name: *const c_char,
    request: *const u8,
    length: usize,
    deliver: Deliver,
    context: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    // SAFETY: likewise; nothing may have any address.
    let request = if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(request, length) } };
    // A panic must not cross into the program that called.
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let into = |out: &mut Vec<u8>| {
            out.clear();
            let said = answer(name, request, out);
            deliver(context, out.as_ptr(), out.len());
            said
        };
        if name == c"once" {
            ONCE.store(true, Ordering::Relaxed);
        }
        if ONCE.load(Ordering::Relaxed) { into(&mut Vec::new()) } else { ANSWER.with_borrow_mut(into) }
    }));
    answered.unwrap_or(FAILED)
}

fn answer(name: &CStr, request: &[u8], out: &mut Vec<u8>) -> i32 {
    match name.to_bytes() {
        b"once" => ANSWERED,
        b"options" => set(request, out),
        b"counted" => with_house(|house| {
            let counts: BTreeMap<&str, u64> = house.service.counted().into_iter().collect();
            serde_json::to_writer(out, &counts).map_or(FAILED, |()| ANSWERED)
        }),
        name => with_house(|house| {
            if let Some((_, handler)) = house.messages.iter().find(|(known, _)| known.as_bytes() == name) {
                handler.answer(request, out);
                ANSWERED
            } else {
                out.extend_from_slice(format!("the library has no message {}", String::from_utf8_lossy(name)).as_bytes());
                UNKNOWN
            }
        }),
    }
}

/// A new service with these options, counting from 0.
fn set(options: &[u8], out: &mut Vec<u8>) -> i32 {
    let options = serde_json::from_slice(options).map_err(|error| format!("the options are no JSON object: {error}"));
    match options.and_then(|options| Service::with_options(&options)) {
        Ok(service) => {
            *HOUSE.write().unwrap_or_else(PoisonError::into_inner) = Some(House::of(service));
            ANSWERED
        }
        Err(sentence) => {
            out.extend_from_slice(sentence.as_bytes());
            REFUSED
        }
    }
}

fn with_house(then: impl FnOnce(&House) -> i32) -> i32 {
    let house = HOUSE.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(house) = &*house {
        return then(house);
    }
    drop(house);
    let mut open = HOUSE.write().unwrap_or_else(PoisonError::into_inner);
    then(open.get_or_insert_with(|| House::of(Service::default())))
}
