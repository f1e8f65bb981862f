//! Message queues, and a server that is killed: what only a process of its own can show.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use callbench_contract::Kind;
use callbench_contract::endpoint::{Connect, Options};

use super::super::{AnswerKind, Handler};
use super::{Echo, PATIENCE, channels, serve_with};

const CHANNEL: &str = "CALLBENCH_TEST_CHANNEL";
const WAITS: &[u8] = b"wait 60000";
const WAITING: &str = "waiting";

/// Says on stdout when the call that waits has arrived.
struct Announced;

impl Handler for Announced {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        if request == WAITS {
            println!("\n{WAITING}");
        }
        Echo.answer(request, out)
    }
}

/// Not a test of its own: the server that the next test starts in a process of its own and kills.
#[test]
fn serves_where_asked_to() {
    let Ok(name) = std::env::var(CHANNEL) else { return };
    let channel = channels().into_iter().find(|channel| channel.name() == name).unwrap();
    let server = serve_with(&*channel, Announced);
    println!("\nendpoint {}", server.endpoint());
    std::thread::sleep(PATIENCE);
}

#[test]
fn a_killed_server_is_noticed() {
    for channel in channels().into_iter().filter(|channel| channel.name() != "inproc") {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::memory::serves_where_asked_to", "--nocapture"])
            .env(CHANNEL, channel.name())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let endpoint = lines.find_map(|line| line.strip_prefix("endpoint ").map(str::to_owned)).unwrap();
        let to = Connect { endpoint, timeout: PATIENCE, options: Options::new() };
        let mut client = channel.connect("echo", "application/octet-stream", &to).unwrap();
        assert_eq!(client.call(b"alive").unwrap(), b"alive");
        let pid = nix::unistd::Pid::from_raw(child.id() as i32);
        let killer = std::thread::spawn(move || {
            assert!(lines.any(|line| line == WAITING));
            nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
            Instant::now()
        });
        let failure = client.call(WAITS).unwrap_err();
        let noticed = Instant::now();
        assert_eq!(failure.kind, Kind::Closed, "{}: {failure}", channel.name());
        // 200 ms is what the channels promise; the machine may be busy. Without it the call would end after `PATIENCE`.
        assert!(noticed - killer.join().unwrap() < PATIENCE / 2, "{}", channel.name());
        child.wait().unwrap();
    }
}
