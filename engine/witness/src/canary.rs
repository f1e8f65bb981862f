//! The canary: 16 bytes to and fro over TCP on loopback, as simple as can be, so that what moves it is the machine.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

use callbench_kit::clock;
use callbench_kit::histogram::Histogram;
use serde::Serialize;

use crate::place;

const BYTES: usize = 16;

#[derive(Debug, Serialize)]
struct Song {
    calls: u64,
    elapsed_ns: u64,
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
}

/// Sends to and fro for `length_ns` and says what it took. The first tenth is warming up.
pub fn sing(client: &[usize], server: &[usize], length_ns: u64) -> Result<(), String> {
    let song = sung(client, server, length_ns)?;
    println!("{}", serde_json::to_string(&song).map_err(|error| error.to_string())?);
    Ok(())
}

fn sung(client: &[usize], server: &[usize], length_ns: u64) -> Result<Song, String> {
    let told = |error: io::Error| format!("the echo over loopback failed: {error}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(told)?;
    let to = listener.local_addr().map_err(told)?;
    let cpus = server.to_vec();
    let echoing = thread::spawn(move || echo(&listener, &cpus));
    place::pin(client)?;
    let mut stream = TcpStream::connect(to).map_err(told)?;
    stream.set_nodelay(true).map_err(told)?;
    round_trips(&mut stream, length_ns / 10).map_err(told)?;
    let (histogram, elapsed_ns) = round_trips(&mut stream, length_ns).map_err(told)?;
    drop(stream);
    echoing.join().map_err(|_| "the echo's server panicked".to_owned())??;
    let (calls, p50_ns, p99_ns) = (histogram.count(), histogram.quantile(0.5), histogram.quantile(0.99));
    Ok(Song { calls, elapsed_ns, p50_ns, p99_ns })
}

/// Answers one connection until it ends.
fn echo(listener: &TcpListener, cpus: &[usize]) -> Result<(), String> {
    place::pin(cpus)?;
    let told = |error: io::Error| format!("the echo's server failed: {error}");
    let (mut stream, _) = listener.accept().map_err(told)?;
    stream.set_nodelay(true).map_err(told)?;
    let mut bytes = [0; BYTES];
    loop {
        match stream.read_exact(&mut bytes) {
            Ok(()) => stream.write_all(&bytes).map_err(told)?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(told(error)),
        }
    }
}

/// At least one round trip, and no new one after `length_ns`.
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
        let song = sung(&[], &[], 2_000_000).expect("loopback");
        assert!(song.calls >= 1 && song.elapsed_ns >= 2_000_000);
        assert!(song.p50_ns <= song.p99_ns);
    }
}
