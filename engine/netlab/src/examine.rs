//! Measures a link from its hosts: datagrams to the server and back, datagrams in one direction, a stream. The core computes the statistics.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::cable::{END, Party};
use crate::capture::{Frame, Sink, Tap};
use crate::failure::{Failure, Result};
use crate::hosts::{CLIENT, Hosts, SERVER};
use crate::namespace::Namespace;
use crate::packet;

/// How often, and how long each time, a datagram through a new link is awaited.
const TRIES: usize = 3;
const PATIENCE: Duration = Duration::from_millis(300);

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    ToServer,
    ToClient,
}

impl Way {
    fn ends(self, hosts: &Hosts) -> ((&Namespace, Party), (&Namespace, Party)) {
        let (client, server) = ((&hosts.client, CLIENT), (&hosts.server, SERVER));
        match self {
            Way::ToServer => (client, server),
            Way::ToClient => (server, client),
        }
    }
}

/// Sends datagrams of `bytes` to the server and back, one at a time, `gap` apart. Returns the nanoseconds of those that came back within `patience`.
pub fn echo(hosts: &Hosts, times: usize, bytes: usize, gap: Duration, patience: Duration) -> Result<Vec<u64>> {
    let server = bound(&hosts.server, SERVER, None)?;
    let there = address(&server)?;
    let client = bound(&hosts.client, CLIENT, Some(patience))?;
    client.connect(there).map_err(|error| Failure::io("cannot reach the server's host", &error))?;
    thread::scope(|scope| {
        let answering = thread::Builder::new()
            .name("echo".to_owned())
            .spawn_scoped(scope, || send_back(&server))
            .map_err(|error| Failure::io("cannot start the thread that sends back", &error))?;
        let taken = (0..times).map(|number| round_trip(&client, number, bytes, gap, patience)).collect::<std::io::Result<Vec<_>>>();
        // An empty datagram ends the echo. It is repeated, because it may be lost.
        while !answering.is_finished() {
            let _ = client.send(&[]);
            thread::sleep(Duration::from_millis(5));
        }
        let taken = taken.map_err(|error| Failure::io("the echo between the hosts failed", &error))?;
        Ok(taken.into_iter().flatten().collect())
    })
}

fn send_back(server: &UdpSocket) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok((length, from)) = server.recv_from(&mut buffer)
        && length > 0
    {
        let _ = server.send_to(&buffer[..length], from);
    }
}

fn round_trip(client: &UdpSocket, number: usize, bytes: usize, gap: Duration, patience: Duration) -> std::io::Result<Option<u64>> {
    let mut sent = vec![0; bytes.max(8)];
    sent[..8].copy_from_slice(&(number as u64).to_le_bytes());
    let mut buffer = vec![0; 1 << 16];
    let began = Instant::now();
    client.send(&sent)?;
    loop {
        match client.recv(&mut buffer) {
            // An earlier datagram that was late or duplicated is ignored.
            Ok(length) if buffer[..length] == sent[..] => {
                let taken = began.elapsed();
                thread::sleep(gap);
                return Ok(Some(taken.as_nanos() as u64));
            }
            Ok(_) if began.elapsed() < patience => {}
            Ok(_) => return Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

/// Whether a datagram passes in a direction.
pub fn passes(hosts: &Hosts, way: Way) -> Result<bool> {
    let (from, to) = way.ends(hosts);
    let receiver = bound(to.0, to.1, Some(PATIENCE))?;
    let sender = bound(from.0, from.1, None)?;
    let there = address(&receiver)?;
    Ok((0..TRIES).any(|_| sender.send_to(&[0; 64], there).is_ok() && receiver.recv(&mut [0; 64]).is_ok()))
}

/// The result of datagrams in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Flood {
    /// Frames sent, and the time for sending.
    pub sent: u64,
    pub sending_ns: u64,
    /// Frames that arrived at the other host, how many of them were duplicates, and how many were overtaken.
    pub arrived: u64,
    pub again: u64,
    pub overtaken: u64,
    /// The bytes of those after the first, and the time from the first to the last.
    pub bytes_after_first: u64,
    pub span_ns: u64,
    /// Frames that the capture lost. If there are any, the other values are too low.
    pub dropped: u64,
}

/// Sends datagrams of `bytes` in one direction, `per_second` (None: as fast as possible), and counts those that arrive.
pub fn flood(hosts: &Hosts, way: Way, packets: u64, bytes: usize, per_second: Option<f64>, patience: Duration) -> Result<Flood> {
    let (from, to) = way.ends(hosts);
    let there = bound(to.0, to.1, None)?;
    let tap = Tap::start(END, Arrivals::new(packets))?;
    let sender = bound(from.0, from.1, None)?;
    sender.connect(address(&there)?).map_err(|error| Failure::io("cannot reach the other host", &error))?;
    let began = Instant::now();
    let sent = send_all(&sender, packets, bytes, per_second).map_err(|error| Failure::io("cannot send to the other host", &error))?;
    let sending_ns = began.elapsed().as_nanos() as u64;
    await_rest(&tap, sent, patience)?;
    let (arrivals, counts) = tap.stop()?;
    Ok(Flood { sent, sending_ns, dropped: counts.dropped, ..arrivals.flood })
}

/// Waits until all have arrived, or none has arrived for `patience`.
fn await_rest(tap: &Tap<Arrivals>, sent: u64, patience: Duration) -> Result<()> {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        let arrived = tap.with(|sink, _| sink.flood.arrived)?;
        if arrived != last {
            (last, since) = (arrived, Instant::now());
        }
        if arrived >= sent || since.elapsed() > patience {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn send_all(sender: &UdpSocket, packets: u64, bytes: usize, per_second: Option<f64>) -> std::io::Result<u64> {
    let mut datagram = vec![0x5a; bytes.max(8)];
    let began = Instant::now();
    let mut sent = 0;
    for number in 0..packets {
        if let Some(rate) = per_second {
            let due = Duration::from_secs_f64(number as f64 / rate);
            let early = due.saturating_sub(began.elapsed());
            if early > Duration::from_millis(1) {
                thread::sleep(early);
            }
        }
        datagram[..8].copy_from_slice(&number.to_le_bytes());
        match sender.send(&datagram) {
            Ok(_) => sent += 1,
            Err(error) if error.raw_os_error() == Some(Errno::ENOBUFS as i32) => thread::sleep(Duration::from_micros(50)),
            Err(error) => return Err(error),
        }
    }
    Ok(sent)
}

/// Counts the datagrams of a flood.
struct Arrivals {
    flood: Flood,
    first_ns: u64,
    highest: Option<u64>,
    seen: Vec<bool>,
}

impl Arrivals {
    fn new(packets: u64) -> Self {
        Arrivals { flood: Flood::default(), first_ns: 0, highest: None, seen: vec![false; packets as usize] }
    }
}

/// The bytes before the number of a datagram: Ethernet, IPv4 without options, UDP.
const BEFORE_NUMBER: usize = 14 + 20 + 8;

impl Sink for Arrivals {
    fn frame(&mut self, frame: &Frame<'_>) {
        let Some(number) = frame.bytes.get(BEFORE_NUMBER..BEFORE_NUMBER + 8).filter(|_| !frame.outgoing) else { return };
        let number = u64::from_le_bytes(std::array::from_fn(|place| number[place]));
        let Some(seen) = self.seen.get_mut(number as usize) else { return };
        self.flood.again += u64::from(std::mem::replace(seen, true));
        self.flood.overtaken += u64::from(self.highest.is_some_and(|highest| number < highest));
        self.highest = self.highest.max(Some(number));
        if self.flood.arrived == 0 {
            self.first_ns = frame.at_ns;
        } else {
            self.flood.bytes_after_first += frame.length as u64;
            self.flood.span_ns = frame.at_ns.saturating_sub(self.first_ns);
        }
        self.flood.arrived += 1;
    }
}

/// The result of a TCP stream.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Stream {
    /// The bytes that arrived, and the time.
    pub bytes: u64,
    pub elapsed_ns: u64,
}

/// Sends a TCP stream in one direction for a time, with at most `at_most` bytes per second.
pub fn stream(hosts: &Hosts, way: Way, time: Duration, at_most: Option<u64>) -> Result<Stream> {
    let failed = |error: std::io::Error| Failure::io("the stream between the hosts failed", &error);
    let (from, to) = way.ends(hosts);
    to.0.enter()?;
    let door = TcpListener::bind((to.1.address, 0)).map_err(failed)?;
    let there = door.local_addr().map_err(failed)?;
    from.0.enter()?;
    let mut sender = TcpStream::connect(there).map_err(failed)?;
    let (mut receiver, _) = door.accept().map_err(failed)?;
    sender.set_write_timeout(Some(time)).map_err(failed)?;
    if let Some(bytes) = at_most {
        packet::set_at(&sender, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &bytes)
            .map_err(|error| Failure::kernel("cannot pace a stream", error))?;
    }
    thread::scope(|scope| {
        let sending = thread::Builder::new().name("stream".to_owned()).spawn_scoped(scope, move || {
            let (piece, began) = (vec![0x5a; 1 << 18], Instant::now());
            while began.elapsed() < time && sender.write(&piece).is_ok() {}
        });
        sending.map_err(|error| Failure::io("cannot start the thread that sends", &error))?;
        let (mut buffer, began, mut bytes) = (vec![0; 1 << 18], Instant::now(), 0);
        while began.elapsed() < time {
            match receiver.read(&mut buffer).map_err(failed)? {
                0 => break,
                length => bytes += length as u64,
            }
        }
        let elapsed_ns = began.elapsed().as_nanos() as u64;
        // The sender may be blocked because the receiver no longer reads.
        let _ = receiver.shutdown(std::net::Shutdown::Both);
        Ok(Stream { bytes, elapsed_ns })
    })
}

/// Opens a datagram socket on a host. The calling thread stays on that host.
fn bound(host: &Namespace, party: Party, patience: Option<Duration>) -> Result<UdpSocket> {
    host.enter()?;
    let made = UdpSocket::bind((party.address, 0)).and_then(|socket| socket.set_read_timeout(patience).map(|()| socket));
    made.map_err(|error| Failure::io(format!("cannot open a socket at {}", party.address), &error))
}

fn address(socket: &UdpSocket) -> Result<SocketAddr> {
    socket.local_addr().map_err(|error| Failure::io("cannot tell where a socket is", &error))
}
