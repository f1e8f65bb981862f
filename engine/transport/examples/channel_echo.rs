//! A raw echo over one of the channels, without a message. `bench/channels` compares it with the simplest C program.
//!
//! `channel_echo CHANNEL SIZE [OPTION=VALUE ...]` starts its own server and prints `ready CLIENT_PID SERVER_PID`. For each line `go NANOSECONDS` on
//! stdin, it makes calls for this time and prints `CALLS ELAPSED_NS`. `channel_echo serve CHANNEL` is the server. It prints its endpoint and ends
//! with its stdin.

use std::env;
use std::error::Error;
use std::io::{self, BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use callbench_contract::endpoint::{Connect, Listen, Options};
use callbench_transport::{AnswerKind, Channel, Connection, Handler, Route, all};

/// Calls between two readings of the clock, as in the C program.
const BATCH: u32 = 8;
/// The bytes of one copy step.
const STEP: usize = 1024;

struct Echo;

impl Handler for Echo {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        // In steps for which the C library does not use `rep movsb`, whose speed depends on the addresses. The C program has no such copy.
        out.reserve(request.len());
        request.chunks(STEP).for_each(|part| out.extend_from_slice(part));
        AnswerKind::Answer
    }
}

fn find(name: &str) -> Result<Arc<dyn Channel>, Box<dyn Error>> {
    all().into_iter().find(|channel| channel.name() == name).ok_or_else(|| format!("there is no channel {name}").into())
}

fn serve(name: &str) -> Result<(), Box<dyn Error>> {
    let handler = Arc::new(Echo);
    let route =
        Route { path: "echo", content_type: "application/octet-stream", fault_status: 200, description: Arc::new(|_| None), handler };
    let server = find(name)?.serve(vec![route], Listen { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 }, &Options::new())?;
    println!("{}", server.endpoint());
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

/// Starts the server in its own process. Returns it with its endpoint.
fn start(name: &str) -> Result<(Child, String), Box<dyn Error>> {
    let mut child = Command::new(env::current_exe()?).args(["serve", name]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("the server has no stdout")?).read_line(&mut line)?;
    Ok((child, line.trim_end().to_owned()))
}

fn call_for(connection: &mut dyn Connection, message: &mut [u8], length: Duration) -> Result<(u64, Duration), Box<dyn Error>> {
    let (start, mut calls) = (Instant::now(), 0_u64);
    loop {
        for _ in 0..BATCH {
            calls += 1;
            message[0] = calls as u8;
            let answer = connection.call(message)?;
            if answer.len() != message.len() || answer[0] != calls as u8 {
                return Err("a wrong answer".into());
            }
        }
        let elapsed = start.elapsed();
        if elapsed >= length {
            return Ok((calls, elapsed));
        }
    }
}

fn drive(name: &str, size: usize, options: Options) -> Result<(), Box<dyn Error>> {
    let (mut server, endpoint) = start(name)?;
    let to = Connect { endpoint, timeout: Duration::from_secs(10), options };
    let mut connection = find(name)?.connect("echo", "application/octet-stream", &to)?;
    let mut message = vec![0; size];
    // A first call: the server's thread for this connection is there from now on, to be given its processor.
    connection.call(&message)?;
    println!("ready {} {}", std::process::id(), server.id());
    for line in io::stdin().lines() {
        let line = line?;
        let length = line.strip_prefix("go ").ok_or("say go NANOSECONDS")?.trim().parse()?;
        let (calls, elapsed) = call_for(&mut *connection, &mut message, Duration::from_nanos(length))?;
        println!("{calls} {}", elapsed.as_nanos());
    }
    drop(connection);
    drop(server.stdin.take());
    server.wait()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    match &words[..] {
        [serving, name] if serving == "serve" => serve(name),
        [name, size, options @ ..] => {
            let parted = options.iter().map(|option| {
                let (name, value) = option.split_once('=').ok_or("an option is NAME=VALUE")?;
                Ok((name.to_owned(), serde_json::from_str(value)?))
            });
            drive(name, size.parse()?, parted.collect::<Result<Options, Box<dyn Error>>>()?)
        }
        _ => Err("usage: channel_echo CHANNEL SIZE [OPTION=VALUE ...]".into()),
    }
}
