//! A server on a thread, and the load driver's clients before it.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use callbench_kit::Failure;
use callbench_kit::drive::{self, Outcome, Pace, Plan, Timing};
use callbench_kit::stack::{Adapter, ClientPool, Connect};
use callbench_load::adapter::Load;
use callbench_service::Call;
use serde_json::Value;

/// Serves every connection on a thread of its own with `serve`, which is given the connection and its number. Gives the URL.
pub fn server(serve: impl Fn(TcpStream, u64) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (Ok(stream), serve) = (stream, Arc::clone(&serve)) else { return };
            thread::spawn(move || serve(stream, number as u64));
        }
    });
    url
}

/// Clients whose calls do not time out, however busy the machine is.
pub fn gathered(url: &str, clients: usize, options: Value) -> Result<Box<dyn ClientPool>, Failure> {
    gathered_for(Duration::from_secs(20), url, clients, options)
}

/// Clients whose calls take this long at most.
pub fn gathered_for(timeout: Duration, url: &str, clients: usize, options: Value) -> Result<Box<dyn ClientPool>, Failure> {
    let Value::Object(options) = options else { panic!("an object") };
    let to = Connect { endpoint: url.to_owned(), timeout, options };
    Load::new().stacks()[0].connect_pool(&to, clients).expect("a pool")
}

pub fn plan(calls: u64, pace: Pace) -> Plan {
    let limit_ns = 20_000_000_000;
    Plan {
        call: Call::Hello,
        further: Vec::new(),
        calls,
        length_ns: 0,
        limit_ns,
        pace,
        start_at_ns: 0,
        burn_ns: 0,
        ramp_up_ns: 0,
        altered: false,
    }
}

pub fn driven(pool: &mut dyn ClientPool, clients: usize, plan: &Plan) -> Outcome {
    let mut workers = pool.workers(clients, &plan.call).expect("workers");
    drive::drive(&mut workers, plan, &AtomicBool::new(false), &mut |_| true).expect("threads")
}

pub fn closed(calls: u64, think_ns: u64) -> Plan {
    plan(calls, Pace::Closed { think_ns, timing: Timing::Each })
}
