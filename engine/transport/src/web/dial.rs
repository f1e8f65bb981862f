//! How a client of `http` makes its connections, one a call, and how they end: the options `closes`, `reset` and `ports`.
//!
//! They are there to tell what a connection a call costs, and what becomes of it where a machine runs out of ports: the side that closes first keeps
//! the connection's ports for a minute (TIME-WAIT, RFC 9293), unless it ends the connection with a reset.

use std::net::SocketAddr;
use std::time::Duration;

use callbench_contract::endpoint::Options;
use callbench_contract::{Failure, Kind};
use tokio::net::{TcpSocket, TcpStream};

/// Where the kernel says from which ports connections leave.
const RANGE: &str = "/proc/sys/net/ipv4/ip_local_port_range";
/// How long a client rests that finds no port free.
const REST: Duration = Duration::from_millis(1);

/// What the options of a client say.
#[derive(Clone, Copy, Default)]
pub struct Dial {
    /// The client closes first, not whichever side comes to it first.
    pub closes: bool,
    /// The client ends its connections with a reset.
    reset: bool,
    /// The first and the last port that its connections may leave from.
    ports: Option<(u16, u16)>,
}

impl Dial {
    pub fn read(options: &Options) -> Result<Self, Failure> {
        let closes = match options.get("closes").map(serde_json::Value::as_str) {
            None | Some(Some("either")) => false,
            Some(Some("client")) => true,
            Some(_) => return Err(bad("closes must be client or either")),
        };
        let reset = match options.get("reset").map(serde_json::Value::as_bool) {
            None => false,
            Some(Some(reset)) => reset,
            Some(None) => return Err(bad("reset must be true or false")),
        };
        Ok(Dial { closes, reset, ports: options.get("ports").map(few).transpose()? })
    }

    /// A connection to `address`. Waits where none of its ports is free.
    pub async fn connect(&self, address: SocketAddr) -> std::io::Result<TcpStream> {
        let stream = loop {
            let made = match self.ports {
                None => TcpStream::connect(address).await,
                Some(ports) => leave_from(ports, address).await,
            };
            match made {
                Err(error) if self.ports.is_some() && error.kind() == std::io::ErrorKind::AddrNotAvailable => {
                    tokio::time::sleep(REST).await;
                }
                made => break made?,
            }
        };
        stream.set_nodelay(true)?;
        if self.reset {
            stream.set_zero_linger()?;
        }
        Ok(stream)
    }
}

/// So many neighbouring ports of those that connections may leave from, each client's somewhere else.
fn few(value: &serde_json::Value) -> Result<(u16, u16), Failure> {
    let text = std::fs::read_to_string(RANGE)?;
    let ends: Vec<u16> = text.split_whitespace().filter_map(|end| end.parse().ok()).collect();
    let &[first, last] = &ends[..] else { return Err(Failure::protocol(format!("{RANGE} holds no two ports"))) };
    let most = u64::from(last.saturating_sub(first)) + 1;
    let count = value.as_u64().filter(|count| (1..=most).contains(count));
    let count = count.ok_or_else(|| bad(&format!("ports is {value}: it must be a whole number from 1 to the {most} that there are")))?;
    let drawn = u128::from_le_bytes(super::super::random::octets()?);
    let start = first + (drawn % u128::from(most - count + 1)) as u16;
    Ok((start, start + (count - 1) as u16))
}

async fn leave_from((first, last): (u16, u16), address: SocketAddr) -> std::io::Result<TcpStream> {
    use std::os::fd::AsRawFd;
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    let range = u32::from(last) << 16 | u32::from(first);
    // SAFETY: the option's value is a number of four octets, which lives longer than the call.
    let said = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            IP_LOCAL_PORT_RANGE,
            (&raw const range).cast(),
            size_of::<u32>() as libc::socklen_t,
        )
    };
    if said != 0 {
        let error = std::io::Error::last_os_error();
        return Err(std::io::Error::new(error.kind(), format!("option ports needs Linux 6.3 or newer: {error}")));
    }
    socket.connect(address).await
}

/// Of linux/in.h, since Linux 6.3.
const IP_LOCAL_PORT_RANGE: libc::c_int = 51;

fn bad(sentence: &str) -> Failure {
    Failure::new(Kind::BadRequest, format!("option {sentence}"))
}
