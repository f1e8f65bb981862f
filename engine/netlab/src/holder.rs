//! The conversation with the core: one JSON object a line, one answer a request, as adapters have it.

use std::io::{BufRead, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::{Accounting, Settling};
use crate::cable::END;
use crate::failure::{Failure, Result};
use crate::namespace;
use crate::pair::{self, Pair};

/// What the core asks for. Unknown members are ignored, unknown requests are not.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Request {
    /// Makes the two hosts.
    Make {
        #[serde(default = "ethernet")]
        mtu: u32,
    },
    /// Switches the offloads of the hosts' ends.
    Offload { on: bool },
    /// Begins an account of the client's end, in a phase of this name; `pcap` keeps the capture there.
    Account { phase: String, pcap: Option<PathBuf> },
    /// Ends the phase under way and begins one of this name.
    Mark {
        phase: String,
        #[serde(flatten)]
        settling: Settling,
    },
    /// Ends the account.
    EndAccount,
    /// Ends the holder, and everything with it.
    Stop,
}

fn ethernet() -> u32 {
    pair::MTU
}

#[derive(Debug, Deserialize)]
struct Id {
    id: u64,
}

/// What the holder holds.
#[derive(Default)]
struct Held {
    pair: Option<Pair>,
    account: Option<Accounting>,
}

/// Answers requests until the input ends or says stop.
pub fn converse(input: impl BufRead, mut output: impl Write, in_user_namespace: bool) -> std::io::Result<()> {
    let mut held = Held::default();
    say(&mut output, &json!({"is": "ready", "version": env!("CARGO_PKG_VERSION"), "user_namespace": in_user_namespace}))?;
    for line in input.lines() {
        let line = line?;
        let id = serde_json::from_str::<Id>(&line).map_or(Value::Null, |it| it.id.into());
        let request =
            serde_json::from_str::<Request>(&line).map_err(|error| Failure::bad(format!("this is no request of the lab: {error}")));
        if let Ok(Request::Stop) = request {
            return say(&mut output, &json!({"is": "stopped", "id": id}));
        }
        let mut answer = match request.and_then(|request| held.answer(&request, in_user_namespace)) {
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

impl Held {
    fn answer(&mut self, request: &Request, in_user_namespace: bool) -> Result<Value> {
        match request {
            Request::Make { mtu } => self.make(*mtu, in_user_namespace),
            Request::Offload { on } => {
                self.pair()?.offload(*on)?;
                Ok(json!({"is": "offloads", "on": on}))
            }
            Request::Account { phase, pcap } => self.account(phase, pcap.as_deref()),
            Request::Mark { phase, settling } => {
                let (ended, settled) = self.accounting()?.mark(phase, *settling);
                Ok(json!({"is": "marked", "phase": ended, "settled": settled}))
            }
            Request::EndAccount => {
                let (account, lost, trouble) = self.account.take().ok_or_else(no_account)?.end()?;
                Ok(json!({"is": "account", "account": account, "lost": lost, "trouble": trouble}))
            }
            Request::Stop => unreachable!("answered by the conversation"),
        }
    }

    fn make(&mut self, mtu: u32, in_user_namespace: bool) -> Result<Value> {
        if self.pair.is_some() {
            return Err(Failure::bad("the hosts are made already: a holder makes one pair"));
        }
        let pair = self.pair.insert(Pair::make(mtu)?);
        let user = in_user_namespace.then(namespace::user_path);
        Ok(json!({
            "is": "made",
            "user": user,
            "client": {"netns": pair.client.path(), "address": pair::CLIENT.address},
            "server": {"netns": pair.server.path(), "address": pair::SERVER.address},
        }))
    }

    fn account(&mut self, phase: &str, pcap: Option<&Path>) -> Result<Value> {
        if self.account.is_some() {
            return Err(Failure::bad("an account is under way: end it before another one begins"));
        }
        self.pair()?.client.enter()?;
        self.account = Some(Accounting::begin(END, IpAddr::V4(pair::CLIENT.address), phase, pcap)?);
        Ok(json!({"is": "accounting"}))
    }

    fn accounting(&self) -> Result<&Accounting> {
        self.account.as_ref().ok_or_else(no_account)
    }

    fn pair(&self) -> Result<&Pair> {
        self.pair.as_ref().ok_or_else(|| Failure::bad("there are no hosts yet: make them first"))
    }
}

fn no_account() -> Failure {
    Failure::bad("there is no account: begin one first")
}
