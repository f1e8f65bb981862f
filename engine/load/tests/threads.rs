//! Several threads of the load driver: each has connections of its own, and what they counted is added up exactly.
//!
//! The only test of this file, because it reads which of the process's epoll instances watches which sockets.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use callbench_kit::Kind;
use callbench_kit::drive::{Outcome, Pace, Plan, Schedule};
use serde_json::json;

mod driven;

use driven::{closed, driven, gathered, plan, server};

const CALLS: u64 = 500;
/// Every so many requests, one is answered with status 500.
const WRONG_EVERY: u64 = 7;
const RIGHT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const WRONG: &[u8] = b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno";

/// What the server has seen since it was last asked.
#[derive(Default)]
struct Seen {
    /// The clients that called over a connection, by its number.
    clients: BTreeMap<u64, BTreeSet<u64>>,
    /// The numbers of the requests.
    numbers: Vec<u64>,
    received: u64,
    sent: u64,
    wrong: u64,
}

/// A server that notes who asks over which connection, and answers some requests wrongly.
fn noting() -> (String, Arc<Mutex<Seen>>) {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let noted = Arc::clone(&seen);
    let url = server(move |stream, connection| {
        let mut out = stream.try_clone().expect("a socket");
        let mut stream = BufReader::new(stream);
        while let Some((client, number, bytes)) = request(&mut stream) {
            let wrong = number % WRONG_EVERY == 0;
            let answer = if wrong { WRONG } else { RIGHT };
            let mut seen = noted.lock().expect("no other panic");
            seen.clients.entry(connection).or_default().insert(client);
            seen.numbers.push(number);
            seen.received += bytes;
            seen.sent += answer.len() as u64;
            seen.wrong += u64::from(wrong);
            drop(seen);
            if out.write_all(answer).is_err() {
                return;
            }
        }
    });
    (url, seen)
}

/// The client and the number of the next request, and its bytes. None: the connection is closed.
fn request(stream: &mut BufReader<TcpStream>) -> Option<(u64, u64, u64)> {
    let (mut fields, mut bytes) = (BTreeMap::new(), 0);
    loop {
        let mut line = String::new();
        bytes += stream.read_line(&mut line).ok().filter(|read| *read > 0)? as u64;
        match line.split_once(": ") {
            Some((name, value)) => fields.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None if line == "\r\n" => break,
            None => None,
        };
    }
    Some((fields.get("client")?.parse().ok()?, fields.get("number")?.parse().ok()?, bytes))
}

/// The sockets that each epoll instance of this process watches, by descriptor.
fn watched() -> Vec<BTreeSet<u32>> {
    let instances = fs::read_dir("/proc/self/fd").expect("descriptors").flatten().filter_map(|entry| {
        let is_epoll = fs::read_link(entry.path()).is_ok_and(|to| to.ends_with("anon_inode:[eventpoll]"));
        let info = is_epoll.then(|| fs::read_to_string(format!("/proc/self/fdinfo/{}", entry.file_name().display())).ok())??;
        let watched = info.lines().filter_map(|line| line.strip_prefix("tfd:")?.split_whitespace().next()?.parse().ok());
        Some(watched.collect())
    });
    instances.collect()
}

/// What a drive must have counted, by what the server saw.
fn check(outcome: &Outcome, seen: &Seen) {
    let numbers: BTreeSet<_> = seen.numbers.iter().copied().collect();
    assert_eq!((seen.numbers.len(), numbers.len()), (CALLS as usize, CALLS as usize), "every number once");
    assert!(seen.wrong >= CALLS / WRONG_EVERY, "{} answers were wrong", seen.wrong);
    assert_eq!((outcome.calls, outcome.errors[Kind::Status as usize]), (CALLS - seen.wrong, seen.wrong));
    assert_eq!(outcome.errors.iter().sum::<u64>(), seen.wrong);
    assert_eq!((outcome.sent, outcome.received), (seen.received, seen.sent));
    for histogram in [&outcome.latency, &outcome.service, &outcome.lateness].into_iter().flatten() {
        assert_eq!(histogram.count(), outcome.calls);
    }
}

#[test]
fn each_thread_has_connections_of_its_own_and_everything_is_added_up() {
    let (url, seen) = noting();
    let headers = json!([["Client", "{client}"], ["Number", "{number}"]]);
    let open = || Pace::Open(Schedule::of(vec![20_000]).expect("one gap"));
    // The clients of each thread: as equal as possible, and no thread without one.
    for (clients, threads, shares) in [(5, 1, vec![5]), (7, 3, vec![2, 2, 3]), (8, 2, vec![4, 4]), (2, 4, vec![1, 1])] {
        let mut pool = gathered(&url, clients, json!({"headers": headers, "threads": threads})).expect("connections");
        let watched = watched();
        let mut sizes: Vec<_> = watched.iter().map(BTreeSet::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, shares);
        assert_eq!(watched.into_iter().flatten().collect::<BTreeSet<_>>().len(), clients, "no connection belongs to two threads");
        seen.lock().expect("no other panic").clients.clear();
        for plan in [closed(CALLS, 0), Plan { ramp_up_ns: 1_000_000, ..closed(CALLS, 0) }, plan(CALLS, open())] {
            let outcome = driven(pool.as_mut(), clients, &plan);
            assert_eq!(outcome.threads, shares.len());
            let mut seen = seen.lock().expect("no other panic");
            check(&outcome, &seen);
            *seen = Seen { clients: std::mem::take(&mut seen.clients), ..Seen::default() };
        }
        // A thread that starts late may find all calls taken, so not every connection need have been used.
        let pairs = seen.lock().expect("no other panic").clients.clone();
        let callers: Vec<_> = pairs.values().flatten().copied().collect();
        assert_eq!(callers.len(), pairs.len(), "a connection has one client: {pairs:?}");
        assert_eq!(callers.iter().collect::<BTreeSet<_>>().len(), pairs.len(), "a client has one connection: {pairs:?}");
        assert!(callers.iter().all(|client| *client < clients as u64), "{pairs:?}");
    }
}
