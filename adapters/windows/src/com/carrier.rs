//! A timeout for calls that have none. COM waits forever for an answer. Its ways to cancel a call (`CoCancelCall`, a message filter) are missing from
//! Wine, or free memory to which the late answer is written. So each client has a thread that makes its calls, and the client stops waiting for it.
//! The next call creates a new object on a new thread. The old thread ends with its call, if that ever ends.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use callbench_kit::stack::{Client, Connect};
use callbench_kit::{Failure, Kind, panics};
use callbench_service::{Answer, Call};
use callbench_transport::line::timed_out;

use super::client::Caller;

/// A client whose calls can be cancelled.
pub struct Carried {
    to: Connect,
    /// None after a call was given up.
    carrier: Option<Carrier>,
    /// The call made last: a drive repeats one, which need not be copied again.
    call: Arc<Call>,
}

impl Carried {
    pub fn connect(to: &Connect) -> Result<Self, Failure> {
        let carrier = Some(Carrier::start(to)?);
        Ok(Carried { to: to.clone(), carrier, call: Arc::new(Call::Empty) })
    }
}

impl Client for Carried {
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        if *self.call != *call {
            self.call = Arc::new(call.clone());
        }
        if self.carrier.is_none() {
            self.carrier = Some(Carrier::start(&self.to)?);
        }
        let made = self.carrier.as_ref().map(|carrier| {
            carrier.desk.put(Order::Call(Arc::clone(&self.call)));
            carrier.desk.answer(self.to.timeout)
        });
        // A late answer is dropped.
        made.unwrap_or(None).unwrap_or_else(|| {
            self.carrier = None;
            Err(timed_out())
        })
    }

    fn connections(&self) -> usize {
        usize::from(self.carrier.is_some())
    }
}

/// What the client and its thread pass to each other: one item at a time.
enum Order {
    Nothing,
    Call(Arc<Call>),
    /// The thread is at it.
    Taken,
    Answer(Result<Answer, Failure>),
    /// Nobody waits for an answer any more.
    End,
    Ended,
}

struct Desk {
    order: Mutex<Order>,
    /// Only one of the two ever waits.
    changed: Condvar,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, order: Order) {
        *self.lock() = order;
        self.changed.notify_one();
    }

    /// For the thread: passes on the last answer and returns the next call; None if the client has gone.
    fn next(&self, answer: Result<Answer, Failure>) -> Option<Arc<Call>> {
        let mut order = self.lock();
        if matches!(*order, Order::End) {
            return None;
        }
        *order = Order::Answer(answer);
        self.changed.notify_one();
        loop {
            match std::mem::replace(&mut *order, Order::Taken) {
                Order::Call(call) => return Some(call),
                Order::End => return None,
                other => *order = other,
            }
            order = self.changed.wait(order).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// For the client: the answer; None if it did not arrive in time.
    fn answer(&self, timeout: Duration) -> Option<Result<Answer, Failure>> {
        let waits = |order: &mut Order| matches!(order, Order::Call(_) | Order::Taken);
        let (mut order, _) = self.changed.wait_timeout_while(self.lock(), timeout, waits).unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *order, Order::Nothing) {
            Order::Answer(answer) => Some(answer),
            other => {
                *order = other;
                None
            }
        }
    }
}

/// The thread that has the object, seen by the client.
struct Carrier {
    desk: Arc<Desk>,
    timeout: Duration,
}

impl Carrier {
    /// Makes the object, which can take for ever too.
    fn start(to: &Connect) -> Result<Self, Failure> {
        let desk = Arc::new(Desk { order: Mutex::new(Order::Taken), changed: Condvar::new() });
        let (own, place) = (Arc::clone(&desk), to.clone());
        thread::Builder::new().name("com".to_owned()).spawn(move || {
            serve(&own, &place);
            own.put(Order::Ended);
        })?;
        let carrier = Carrier { desk, timeout: to.timeout };
        match carrier.desk.answer(to.timeout) {
            Some(made) => made.map(|_| carrier),
            None => Err(Failure::new(Kind::Timeout, "COM made no object within the time allowed")),
        }
    }
}

impl Drop for Carrier {
    /// Waits for the object to be released, but not for a call that was given up.
    fn drop(&mut self) {
        let mut order = self.desk.lock();
        let idle = matches!(*order, Order::Nothing);
        if !matches!(*order, Order::Ended) {
            *order = Order::End;
        }
        self.desk.changed.notify_one();
        if idle {
            let ended = self.desk.changed.wait_timeout_while(order, self.timeout, |order| !matches!(order, Order::Ended));
            drop(ended);
        }
    }
}

/// The loop of the thread: it creates an object and calls it until the client has gone.
fn serve(desk: &Desk, to: &Connect) {
    let mut caller = None;
    let mut answer = panics::catch_panic(|| {
        caller = Some(Caller::connect(to)?);
        Ok(Answer::Nothing)
    });
    while let Some(call) = desk.next(answer)
        && let Some(caller) = &caller
    {
        answer = panics::catch_panic(|| caller.call(&call));
    }
}
