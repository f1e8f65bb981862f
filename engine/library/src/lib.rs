//! The server of the channel `library`: every message behind one exported C function. `callbench_transport::library` defines the form of a call.

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

/// The service, and a handler for each message.
struct Instance {
    service: Arc<Service>,
    messages: Vec<(&'static str, Arc<dyn Handler>)>,
}

impl Instance {
    fn of(service: Service) -> Self {
        let service = Arc::new(service);
        let messages = callbench_codec::all().into_iter().map(|it| (it.name(), handler(it, Arc::clone(&service))));
        // The echo is not a message, but it is called in the same way.
        let messages = messages.chain([(echo::NAME, echo::handler(Arc::clone(&service)))]).collect();
        Instance { service, messages }
    }
}

static INSTANCE: RwLock<Option<Instance>> = RwLock::new(None);

/// Whether the library is unloaded after each call. Then it must not use thread-local memory, because the C library would keep the library loaded.
static UNLOADED_AFTER_CALL: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The memory of the answer, reused from call to call.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Answers one request; see the channel.
///
/// # Safety `name` is a C string, `request` holds `length` bytes, and both are valid during the call; `deliver` takes `context`.
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
    // A panic must not cross the C interface.
    let status = catch_unwind(AssertUnwindSafe(|| {
        let into = |out: &mut Vec<u8>| {
            out.clear();
            let result = answer(name, request, out);
            deliver(context, out.as_ptr(), out.len());
            result
        };
        if name == c"once" {
            UNLOADED_AFTER_CALL.store(true, Ordering::Relaxed);
        }
        if UNLOADED_AFTER_CALL.load(Ordering::Relaxed) { into(&mut Vec::new()) } else { ANSWER.with_borrow_mut(into) }
    }));
    status.unwrap_or(FAILED)
}

fn answer(name: &CStr, request: &[u8], out: &mut Vec<u8>) -> i32 {
    match name.to_bytes() {
        b"once" => ANSWERED,
        b"options" => set(request, out),
        b"counted" => with_instance(|instance| {
            let counts: BTreeMap<&str, u64> = instance.service.counted().into_iter().collect();
            serde_json::to_writer(out, &counts).map_or(FAILED, |()| ANSWERED)
        }),
        name => with_instance(|instance| {
            if let Some((_, handler)) = instance.messages.iter().find(|(known, _)| known.as_bytes() == name) {
                handler.answer(request, out);
                ANSWERED
            } else {
                out.extend_from_slice(format!("the library has no message {}", String::from_utf8_lossy(name)).as_bytes());
                UNKNOWN
            }
        }),
    }
}

/// Creates a new service with these options. Its counts begin at 0.
fn set(options: &[u8], out: &mut Vec<u8>) -> i32 {
    let options = serde_json::from_slice(options).map_err(|error| format!("the options are no JSON object: {error}"));
    match options.and_then(|options| Service::with_options(&options)) {
        Ok(service) => {
            *INSTANCE.write().unwrap_or_else(PoisonError::into_inner) = Some(Instance::of(service));
            ANSWERED
        }
        Err(sentence) => {
            out.extend_from_slice(sentence.as_bytes());
            REFUSED
        }
    }
}

fn with_instance(then: impl FnOnce(&Instance) -> i32) -> i32 {
    let instance = INSTANCE.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(instance) = &*instance {
        return then(instance);
    }
    drop(instance);
    let mut open = INSTANCE.write().unwrap_or_else(PoisonError::into_inner);
    then(open.get_or_insert_with(|| Instance::of(Service::default())))
}
