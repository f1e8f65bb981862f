//! Keeps objects alive (MS-DCOM 3.2.6.1): one thread for each resolver that this process has objects of, asleep between two pings.

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use callbench_kit::Failure;
use callbench_transport::line::Patience;

use crate::ids::OBJECT_EXPORTER;
use crate::pdu::call::Request;
use crate::resolver::{get_complex_ping, opnum, put_complex_ping};
use crate::rpc::Rpc;
use crate::settings::Settings;

/// How long a ping may take before it is given up: the next one follows anyway.
const PATIENCE: Duration = Duration::from_secs(2);

enum Change {
    Add(u64),
    Remove(u64),
}

/// Pings one resolver while a client uses it.
struct Pinger {
    changes: Sender<Change>,
}

type Known = HashMap<(String, Duration), Weak<Pinger>>;

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// An object is pinged while this lives.
pub struct Pinged {
    pinger: Arc<Pinger>,
    oid: u64,
}

impl Drop for Pinged {
    fn drop(&mut self) {
        let _ = self.pinger.changes.send(Change::Remove(self.oid));
    }
}

/// Has an object pinged at its resolver.
pub fn ping(resolver: &str, settings: Settings, oid: u64) -> Result<Pinged, Failure> {
    let pinger = pinger(resolver, settings)?;
    let _ = pinger.changes.send(Change::Add(oid));
    Ok(Pinged { pinger, oid })
}

fn pinger(resolver: &str, settings: Settings) -> Result<Arc<Pinger>, Failure> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    known.retain(|_, pinger| pinger.strong_count() > 0);
    let key = (resolver.to_owned(), settings.ping);
    if let Some(found) = known.get(&key).and_then(Weak::upgrade) {
        return Ok(found);
    }
    let (changes, receiver) = mpsc::channel();
    let address = resolver.to_owned();
    thread::Builder::new().name("pings".to_owned()).spawn(move || run(&address, settings, &receiver))?;
    let made = Arc::new(Pinger { changes });
    known.insert(key, Arc::downgrade(&made));
    Ok(made)
}

/// Runs until no client uses the pinger any more.
fn run(resolver: &str, settings: Settings, changes: &Receiver<Change>) {
    let mut set = Set::default();
    let mut due = Instant::now() + settings.ping;
    loop {
        match changes.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(change) => set.note(&change),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                // After a failed ping, the server has three periods to be reached again. Otherwise, it forgets the objects.
                if set.ping(resolver, settings.fragment).is_err() {
                    set.begin_again();
                }
                due = Instant::now() + settings.ping;
            }
        }
    }
}

/// The set as the server has it, and what it does not know yet.
#[derive(Default)]
struct Set {
    id: u64,
    sequence: u16,
    oids: Vec<u64>,
    add: Vec<u64>,
    remove: Vec<u64>,
}

impl Set {
    fn note(&mut self, change: &Change) {
        match *change {
            Change::Add(oid) => self.add.push(oid),
            Change::Remove(oid) if self.add.contains(&oid) => self.add.retain(|it| *it != oid),
            Change::Remove(oid) => self.remove.push(oid),
        }
    }

    /// Creates a set again that the server may have lost.
    fn begin_again(&mut self) {
        self.oids.retain(|oid| !self.remove.contains(oid));
        self.add.append(&mut self.oids);
        self.remove.clear();
        self.id = 0;
    }

    fn ping(&mut self, resolver: &str, fragment: u16) -> Result<(), Failure> {
        if self.oids.is_empty() && self.add.is_empty() {
            return Ok(());
        }
        let mut patience = Patience::of(PATIENCE);
        let mut rpc = Rpc::open(resolver, PATIENCE, fragment)?;
        let context = rpc.negotiate(OBJECT_EXPORTER, &mut patience)?;
        let request = |opnum| Request { context, opnum, object: None };
        if self.add.is_empty() && self.remove.is_empty() {
            let stub = rpc.call(&request(opnum::SIMPLE_PING), &mut patience, |out| {
                out.u64(self.id);
            })?;
            return match stub {
                [0, 0, 0, 0] => Ok(()),
                _ => Err(Failure::protocol("the server does not know the set of objects")),
            };
        }
        self.sequence = self.sequence.wrapping_add(1);
        let stub = rpc.call(&request(opnum::COMPLEX_PING), &mut patience, |out| {
            put_complex_ping(self.id, self.sequence, &self.add, &self.remove, out);
        })?;
        self.id = get_complex_ping(stub)?;
        self.oids.retain(|oid| !self.remove.contains(oid));
        self.oids.append(&mut self.add);
        self.remove.clear();
        Ok(())
    }
}
