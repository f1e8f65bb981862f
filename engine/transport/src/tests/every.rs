use std::thread;
use std::time::{Duration, Instant};

use callbench_contract::Kind;

use super::{PATIENCE, channels, connect, pattern, serve};

#[test]
fn every_size_comes_back_whole() {
    for channel in channels() {
        let server = serve(&*channel);
        let mut client = connect(&*channel, &*server, PATIENCE);
        for size in [0, 1, 55, 56, 57, 64, 8191, 8192, 8193, 16384, 32 << 10, 65_532, 65_536, 65_537, 200_000, 3 << 20, 10] {
            let request = pattern(size);
            assert!(client.call(&request).unwrap() == request, "{} with {size} bytes", channel.name());
        }
    }
}

#[test]
fn several_clients_call_at_once() {
    for channel in channels() {
        let server = serve(&*channel);
        thread::scope(|scope| {
            for number in 0..6_u8 {
                let mut client = connect(&*channel, &*server, PATIENCE);
                scope.spawn(move || {
                    for turn in 0..100 {
                        let request = vec![number; 1 + turn * 97];
                        assert_eq!(client.call(&request).unwrap(), request);
                    }
                });
            }
        });
    }
}

#[test]
fn a_call_times_out_and_the_next_is_answered_rightly() {
    // All at once, since they wait: a time-out that a busy machine does not reach is long.
    thread::scope(|scope| {
        for channel in channels() {
            scope.spawn(move || {
                let server = serve(&*channel);
                let mut client = connect(&*channel, &*server, Duration::from_secs(2));
                assert_eq!(client.call(b"before").unwrap(), b"before", "{}", channel.name());
                let failure = client.call(b"wait 3000").unwrap_err();
                assert_eq!(failure.kind, Kind::Timeout, "{}: {failure}", channel.name());
                thread::sleep(Duration::from_secs(2));
                assert_eq!(client.call(b"after").unwrap(), b"after", "{}", channel.name());
            });
        }
    });
}

#[test]
fn a_server_that_ends_closes_its_clients() {
    for channel in channels() {
        let server = serve(&*channel);
        let mut client = connect(&*channel, &*server, PATIENCE);
        assert_eq!(client.call(b"here").unwrap(), b"here");
        let started = Instant::now();
        drop(server);
        let failure = client.call(b"gone?").unwrap_err();
        // A channel that makes a connection for each call finds nobody to connect to.
        assert!(matches!(failure.kind, Kind::Closed | Kind::Refused), "{}: {failure}", channel.name());
        assert!(started.elapsed() < PATIENCE / 2, "{}", channel.name());
    }
}

#[test]
fn a_server_that_ends_in_a_call_closes_it() {
    for channel in channels().into_iter().filter(|channel| channel.name() != "inproc") {
        let server = serve(&*channel);
        let mut client = connect(&*channel, &*server, PATIENCE);
        let ends = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(server);
        });
        // The server answers the call under way before it ends, or cuts it off; the next finds it gone.
        let first = client.call(b"wait 300").map(drop);
        ends.join().unwrap();
        let failure = first.and_then(|()| client.call(b"gone?").map(drop)).unwrap_err();
        assert!(matches!(failure.kind, Kind::Closed | Kind::Refused), "{}: {failure}", channel.name());
    }
}

#[test]
fn a_busy_client_does_not_keep_a_server_alive() {
    for channel in channels() {
        let server = serve(&*channel);
        let mut client = connect(&*channel, &*server, PATIENCE);
        let calls = thread::spawn(move || while client.call(b"again").is_ok() {});
        thread::sleep(Duration::from_millis(50));
        drop(server);
        calls.join().unwrap();
    }
}

#[test]
fn clients_come_and_go() {
    for channel in channels() {
        let server = serve(&*channel);
        for _ in 0..50 {
            let mut client = connect(&*channel, &*server, PATIENCE);
            assert_eq!(client.call(b"short visit").unwrap(), b"short visit", "{}", channel.name());
        }
    }
}

#[test]
fn nobody_there_is_refused() {
    for channel in channels() {
        let server = serve(&*channel);
        let endpoint = server.endpoint();
        drop(server);
        let to =
            callbench_contract::endpoint::Connect { endpoint, timeout: PATIENCE, options: callbench_contract::endpoint::Options::new() };
        let failure = channel.connect("echo", "text/plain", &to).and_then(|mut client| client.call(b"x").map(drop)).unwrap_err();
        assert_eq!(failure.kind, Kind::Refused, "{}: {failure}", channel.name());
    }
}

#[test]
fn channels_without_paths_serve_one_message() {
    for channel in channels().into_iter().filter(|channel| !channel.has_paths()) {
        let routes = vec![super::route(super::Echo), super::route(super::Echo)];
        let failure = channel.serve(routes, super::HERE, &callbench_contract::endpoint::Options::new()).map(drop).unwrap_err();
        assert_eq!(failure.kind, Kind::BadRequest);
    }
}
