//! A stack without message and channel: the client calls the service in the same process. The core is tested with it. Its times are the lower limit
//! for every stack.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use callbench_service::service::Service;
use callbench_service::{Answer, Call};

use crate::failure::{Failure, Kind};
use crate::stack::{Client, Connect, Listen, Options, Server, Stack};

const ENDPOINT: &str = "direct";

/// Remembers the service that is being served, so that clients find it.
#[derive(Default)]
pub struct Direct {
    served: Mutex<Weak<Service>>,
}

/// Keeps the service findable while the server exists.
struct Registration {
    _service: Arc<Service>,
}

impl Server for Registration {
    fn endpoint(&self) -> String {
        ENDPOINT.to_owned()
    }
}

struct Caller {
    service: Arc<Service>,
}

impl Client for Caller {
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        self.service.answer(call).map_err(|fault| Failure::fault(fault.message))
    }

    fn connections(&self) -> usize {
        0
    }
}

impl Stack for Direct {
    fn name(&self) -> String {
        "direct".to_owned()
    }

    fn serve(&self, service: Arc<Service>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        *self.served.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&service);
        Ok(Box::new(Registration { _service: service }))
    }

    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure> {
        let served = self.served.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        match served {
            Some(service) if to.endpoint == ENDPOINT => Ok(Box::new(Caller { service })),
            _ => Err(Failure::new(Kind::Refused, "nothing is served in this process: serve the stack direct first, in the same adapter")),
        }
    }
}
