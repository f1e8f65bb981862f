//! A raw TCP echo of 16 bytes over loopback. It is as simple as possible, so its time shows changes of the machine itself.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

use callbench_kit::clock;
use callbench_kit::histogram::Histogram;
use serde::Serialize;

use crate::place;

const BYTES: usize = 16;

#[derive(Debug, Serialize)]
struct EchoTimes {
    calls: u64,
    elapsed_ns: u64,
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
}

/// Measures round trips for `length_ns` and prints the result. A warm-up of a tenth of that time comes first.
pub fn run(client: &[usize], server: &[usize], length_ns: u64) -> Result<(), String> {
    let times = measure(client, server, length_ns)?;
    println!("{}", serde_json::to_string(&times).map_err(|error| error.to_string())?);
    Ok(())
}

fn measure(client: &[usize], server: &[usize], length_ns: u64) -> Result<EchoTimes, String> {
    let failed = |error: io::Error| format!("the echo over loopback failed: {error}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    let to = listener.local_addr().map_err(failed)?;
    let cpus = server.to_vec();
    let echoing = thread::Builder::new().name("echo".to_owned()).spawn(move || echo(&listener, &cpus)).map_err(failed)?;
    place::pin(client)?;
    let mut stream = TcpStream::connect(to).map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    round_trips(&mut stream, length_ns / 10).map_err(failed)?;
    let (histogram, elapsed_ns) = round_trips(&mut stream, length_ns).map_err(failed)?;
    drop(stream);
    echoing.join().map_err(|_| "the echo's server panicked".to_owned())??;
    let (calls, p50_ns, p99_ns) = (histogram.count(), histogram.quantile(0.5), histogram.quantile(0.99));
    Ok(EchoTimes { calls, elapsed_ns, p50_ns, p99_ns })
}

/// Echoes on one connection until the client closes it.
fn echo(listener: &TcpListener, cpus: &[usize]) -> Result<(), String> {
    place::pin(cpus)?;
    let failed = |error: io::Error| format!("the echo's server failed: {error}");
    let (mut stream, _) = listener.accept().map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    let mut bytes = [0; BYTES];
    loop {
        match stream.read_exact(&mut bytes) {
            Ok(()) => stream.write_all(&bytes).map_err(failed)?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Makes at least one round trip, and starts no new one after `length_ns`.
fn round_trips(stream: &mut TcpStream, length_ns: u64) -> io::Result<(Histogram, u64)> {
    let mut histogram = Histogram::default();
    let mut bytes = [7; BYTES];
    let start = clock::now();
    let mut began = start;
    loop {
        stream.write_all(&bytes)?;
        stream.read_exact(&mut bytes)?;
        let ended = clock::now();
        histogram.record(ended - began);
        began = ended;
        if ended - start >= length_ns {
            return Ok((histogram, ended - start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sings_for_as_long_as_asked_and_counts_every_round_trip() {
        let times = measure(&[], &[], 2_000_000).expect("loopback");
        assert!(times.calls >= 1 && times.elapsed_ns >= 2_000_000);
        assert!(times.p50_ns <= times.p99_ns);
    }
}
