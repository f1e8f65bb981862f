//! The lab daemon's protocol with the core: one JSON object per line, and one answer per request, as in the contract.

use std::io::{BufRead, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::{Accounting, Settling};
use crate::cable::END;
use crate::capture::Tap;
use crate::capture::file::PcapFile;
use crate::emulator::profile::Link;
use crate::examine::{self, Way};
use crate::failure::{Failure, Result};
use crate::half::{Half, Tunnel};
use crate::hosts;
use crate::namespace;
use crate::pair::{self, Pair};

/// The requests of the core. Unknown members are ignored; unknown requests are errors.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Request {
    /// Creates the two hosts, and the link between them if there is a profile.
    Make {
        #[serde(default = "ethernet")]
        mtu: u32,
        #[serde(default)]
        link: Option<Link>,
    },
    /// Takes a port at an address of this machine, for a link to another machine.
    Listen { address: Ipv4Addr },
    /// Creates one host, whose frames go to the lab at `other`. The profile is laid at one of the two halves.
    Join {
        sends: Way,
        other: SocketAddrV4,
        #[serde(default = "ethernet")]
        mtu: u32,
        #[serde(default)]
        link: Option<Link>,
    },
    /// Whether the host on the other machine answers.
    Reach { patience_ms: u64 },
    /// Switches the offloads of the hosts' interfaces.
    Offload { on: bool },
    /// Returns the counts of the emulator.
    Count,
    /// Begins an account at the client's interface, with a phase of this name; `pcap` is the file for the capture.
    Account { phase: String, pcap: Option<PathBuf> },
    /// Ends the current phase and begins one with this name.
    Mark {
        phase: String,
        #[serde(flatten)]
        settling: Settling,
    },
    /// Ends the account.
    EndAccount,
    /// Starts to write every frame at the server's host to a file.
    Capture { file: PathBuf },
    /// Stops the capture. Returns the number of frames.
    StopCapture,
    /// Datagrams to the server and back.
    Echo { times: usize, bytes: usize, gap_us: u64, patience_ms: u64 },
    /// Datagrams in one direction.
    Flood { way: Way, packets: u64, bytes: usize, per_second: Option<f64>, patience_ms: u64 },
    /// A stream in one direction, with at most this number of bytes per second.
    Stream { way: Way, seconds: f64, at_most: Option<u64> },
    /// Ends the daemon and everything that it created.
    Stop,
}

fn ethernet() -> u32 {
    pair::MTU
}

#[derive(Debug, Deserialize)]
struct Id {
    id: u64,
}

/// The objects of the daemon. Observers of the hosts are declared first, so they are dropped first.
struct State {
    account: Option<Accounting>,
    capture: Option<Tap<PcapFile>>,
    pair: Option<Pair>,
    half: Option<Half>,
    tunnel: Tunnel,
    in_user_namespace: bool,
}

/// Answers requests until the input ends or `stop` is requested.
pub fn converse(input: impl BufRead, mut output: impl Write, tunnel: Tunnel, in_user_namespace: bool) -> std::io::Result<()> {
    let mut held = State { account: None, capture: None, pair: None, half: None, tunnel, in_user_namespace };
    say(&mut output, &json!({"is": "ready", "version": env!("CARGO_PKG_VERSION"), "user_namespace": in_user_namespace}))?;
    for line in input.lines() {
        let line = line?;
        let id = serde_json::from_str::<Id>(&line).map_or(Value::Null, |it| it.id.into());
        let request =
            serde_json::from_str::<Request>(&line).map_err(|error| Failure::bad(format!("this is no request of the lab: {error}")));
        if let Ok(Request::Stop) = request {
            return say(&mut output, &json!({"is": "stopped", "id": id}));
        }
        let mut answer = match request.and_then(|request| held.answer(request)) {
            Ok(answer) => answer,
            Err(failure) => json!({"is": "error", "kind": failure.kind.name(), "message": failure.message}),
        };
        answer["id"] = id;
        say(&mut output, &answer)?;
    }
    Ok(())
}

fn say(output: &mut impl Write, message: &Value) -> std::io::Result<()> {
    writeln!(output, "{message}")?;
    output.flush()
}

impl State {
    fn answer(&mut self, request: Request) -> Result<Value> {
        match request {
            Request::Make { mtu, link } => self.make(mtu, link.as_ref()),
            Request::Listen { address } => Ok(json!({"is": "listening", "port": self.tunnel.listen(address)?})),
            Request::Join { sends, other, mtu, link } => self.join(sends, other, link.as_ref(), mtu),
            Request::Reach { patience_ms } => {
                Ok(json!({"is": "reached", "passes": self.half()?.reaches(Duration::from_millis(patience_ms))?}))
            }
            Request::Offload { on } => {
                self.pair()?.offload(on)?;
                Ok(json!({"is": "offloads", "on": on}))
            }
            Request::Count => {
                let counts = match &mut self.half {
                    Some(half) => Some(half.counts()?),
                    None => self.pair()?.counts()?,
                };
                let [to_server, to_client] = counts.map_or([None; 2], |both| both.map(Some));
                Ok(json!({"is": "counted", "to_server": to_server, "to_client": to_client}))
            }
            Request::Account { phase, pcap } => self.account(&phase, pcap.as_deref()),
            Request::Mark { phase, settling } => {
                let (ended, settled) = self.accounting()?.mark(&phase, settling);
                Ok(json!({"is": "marked", "phase": ended, "settled": settled}))
            }
            Request::EndAccount => {
                let (account, lost, trouble) = self.account.take().ok_or_else(no_account)?.end()?;
                Ok(json!({"is": "account", "account": account, "lost": lost, "trouble": trouble}))
            }
            Request::Capture { file } => self.capture(&file),
            Request::StopCapture => self.stop_capture(),
            Request::Echo { times, bytes, gap_us, patience_ms } => {
                let (gap, patience) = (Duration::from_micros(gap_us), Duration::from_millis(patience_ms));
                Ok(json!({"is": "echoed", "ns": examine::echo(&self.pair()?.hosts, times, bytes, gap, patience)?}))
            }
            Request::Flood { way, packets, bytes, per_second, patience_ms } => {
                let patience = Duration::from_millis(patience_ms);
                Ok(json!({"is": "flooded", "flood": examine::flood(&self.pair()?.hosts, way, packets, bytes, per_second, patience)?}))
            }
            Request::Stream { way, seconds, at_most } => {
                let time = Duration::try_from_secs_f64(seconds).map_err(|error| Failure::bad(format!("seconds: {error}")))?;
                Ok(json!({"is": "streamed", "stream": examine::stream(&self.pair()?.hosts, way, time, at_most)?}))
            }
            Request::Stop => unreachable!("answered by the conversation"),
        }
    }

    fn make(&mut self, mtu: u32, link: Option<&Link>) -> Result<Value> {
        if self.pair.is_some() {
            return Err(Failure::bad("the hosts are made already: a holder makes one pair"));
        }
        link.map_or(Ok(()), Link::check)?;
        let pair = self.pair.insert(Pair::make(mtu, link)?);
        let user = self.in_user_namespace.then(namespace::user_path);
        let (maker, why) = pair.maker().map_or((None, None), |(maker, why)| (Some(maker), why));
        Ok(json!({
            "is": "made",
            "maker": maker,
            "why_emulated": why,
            "user": user,
            "client": {"netns": pair.hosts.client.path(), "address": hosts::CLIENT.address},
            "server": {"netns": pair.hosts.server.path(), "address": hosts::SERVER.address},
        }))
    }

    fn join(&mut self, sends: Way, other: SocketAddrV4, link: Option<&Link>, mtu: u32) -> Result<Value> {
        if self.half.is_some() {
            return Err(Failure::bad("the host is made already: a holder makes one"));
        }
        link.map_or(Ok(()), Link::check)?;
        let half = self.half.insert(Half::make(&self.tunnel, sends, other, link, mtu)?);
        let user = self.in_user_namespace.then(namespace::user_path);
        Ok(json!({"is": "joined", "user": user, "netns": half.host.path(), "address": half.own.address}))
    }

    fn half(&self) -> Result<&Half> {
        self.half.as_ref().ok_or_else(|| Failure::bad("there is no host yet: join it first"))
    }

    fn account(&mut self, phase: &str, pcap: Option<&Path>) -> Result<Value> {
        if self.account.is_some() {
            return Err(Failure::bad("an account is under way: end it before another one begins"));
        }
        self.pair()?.hosts.client.enter()?;
        self.account = Some(Accounting::begin(END, IpAddr::V4(hosts::CLIENT.address), phase, pcap)?);
        Ok(json!({"is": "accounting"}))
    }

    fn accounting(&self) -> Result<&Accounting> {
        self.account.as_ref().ok_or_else(no_account)
    }

    fn capture(&mut self, file: &Path) -> Result<Value> {
        if self.capture.is_some() {
            return Err(Failure::bad("a capture is under way: stop it first"));
        }
        let pair = self.pair()?;
        pair.offload(false)?;
        pair.hosts.server.enter()?;
        self.capture = Some(Tap::start(END, PcapFile::create(file)?)?);
        Ok(json!({"is": "capturing"}))
    }

    fn stop_capture(&mut self) -> Result<Value> {
        let tap = self.capture.take().ok_or_else(|| Failure::bad("no capture is under way"))?;
        let (file, counts) = tap.stop()?;
        // A full disk damages the file, not the count.
        let (written, failure) = match file.finish() {
            Ok(written) => (written, None),
            Err((written, failure)) => (written, Some(failure.message)),
        };
        Ok(json!({"is": "captured", "packets": counts.packets, "dropped": counts.dropped, "written": written, "failure": failure}))
    }

    fn pair(&mut self) -> Result<&mut Pair> {
        self.pair.as_mut().ok_or_else(|| Failure::bad("there are no hosts yet: make them first"))
    }
}

fn no_account() -> Failure {
    Failure::bad("there is no account: begin one first")
}
