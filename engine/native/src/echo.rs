//! A raw echo over a channel: bytes in both directions, and no message. Its time is the baseline of every stack of the channel.
//!
//! The only call is `Empty`. The options `request_bytes` and `answer_bytes` of connect set the sizes of its request and answer. A request begins with
//! the size of the answer (four bytes, little-endian) and one byte with which the answer must begin, so that answers cannot be confused.

use std::sync::Arc;

use callbench_kit::stack::{Client, Connect, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call, Service};

use callbench_kit::stack::LIMIT;
use callbench_transport::{AnswerKind, Channel, Connection, Handler, Route};

/// The name where messages have theirs.
pub const NAME: &str = "echo";
const CONTENT_TYPE: &str = "application/octet-stream";
const REQUEST: &str = "request_bytes";
const ANSWER: &str = "answer_bytes";
/// The size of the answer, and its first byte.
const LEAST_REQUEST: usize = 5;
const LEAST_ANSWER: usize = 1;
const USUAL: usize = 16;

struct Echo {
    service: Arc<Service>,
}

impl Handler for Echo {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        // Counted, and delayed where the options say so, as every call is.
        let answered = self.service.look_up(&Call::Empty);
        match (answered.as_ref(), request) {
            (Ok(_), [a, b, c, d, mark, ..]) => {
                let size = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                out.resize(size.min(LIMIT), 0);
                if let Some(first) = out.first_mut() {
                    *first = *mark;
                }
                AnswerKind::Answer
            }
            _ => AnswerKind::Fault,
        }
    }
}

/// Answers echoes, counted by `service`.
#[must_use]
pub fn handler(service: Arc<Service>) -> Arc<dyn Handler> {
    Arc::new(Echo { service })
}

/// The raw echo over one channel.
pub struct EchoOverChannel {
    channel: Arc<dyn Channel>,
    /// Ours and the channel's.
    options: &'static [&'static str],
}

impl EchoOverChannel {
    /// Its list of options lives as long as the program.
    #[must_use]
    pub fn new(channel: Arc<dyn Channel>) -> Self {
        let options = [REQUEST, ANSWER].iter().chain(channel.options()).copied().collect::<Vec<_>>().leak();
        EchoOverChannel { channel, options }
    }
}

impl Stack for EchoOverChannel {
    fn name(&self) -> String {
        format!("{NAME}+{}", self.channel.name())
    }

    fn unavailable(&self) -> Option<String> {
        self.channel.unavailable()
    }

    fn options(&self) -> &'static [&'static str] {
        self.options
    }

    fn serve(&self, service: Arc<Service>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        let description = Arc::new(|_: &str| None);
        let route = Route { path: NAME, content_type: CONTENT_TYPE, fault_status: 200, description, handler: handler(service) };
        self.channel.serve(vec![route], at, options)
    }

    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure> {
        let request = size(&to.options, REQUEST, LEAST_REQUEST)?;
        let answer = size(&to.options, ANSWER, LEAST_ANSWER)?;
        let connection = self.channel.connect(NAME, CONTENT_TYPE, to)?;
        let mut octets = vec![0; request];
        octets[..4].copy_from_slice(&(answer as u32).to_le_bytes());
        Ok(Box::new(Caller { connection, request: octets, answer }))
    }
}

fn size(options: &Options, name: &str, least: usize) -> Result<usize, Failure> {
    let Some(given) = options.get(name) else { return Ok(USUAL) };
    let size = given.as_u64().map(|size| size as usize).filter(|size| (least..=LIMIT).contains(size));
    size.ok_or_else(|| Failure::new(Kind::BadRequest, format!("{name} is {given}: it must be a whole number from {least} to {LIMIT}")))
}

struct Caller {
    connection: Box<dyn Connection>,
    request: Vec<u8>,
    answer: usize,
}

impl Client for Caller {
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        if *call != Call::Empty {
            return Err(Failure::new(Kind::CannotCarry, format!("the stack {NAME} carries Empty only, not {}", call.name())));
        }
        self.request[4] = self.request[4].wrapping_add(1);
        let answer = self.connection.call(&self.request)?;
        if answer.len() == self.answer && answer[0] == self.request[4] {
            return Ok(Answer::Nothing);
        }
        let sentence = format!("{} bytes came back where {} were asked for, or they answer another request", answer.len(), self.answer);
        Err(Failure::new(Kind::WrongAnswer, sentence))
    }

    fn connections(&self) -> usize {
        self.connection.connections()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use super::*;
    use callbench_transport::all;

    const HERE: Listen = Listen { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 };

    fn options(pairs: &[(&str, u64)]) -> Options {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
    }

    /// Every channel but the library, which needs a library built beside the test.
    fn stacks() -> impl Iterator<Item = EchoOverChannel> {
        all().into_iter().filter(|channel| channel.name() != "library" && channel.unavailable().is_none()).map(EchoOverChannel::new)
    }

    #[test]
    fn every_channel_carries_the_sizes_asked_for_and_counts_each_echo() {
        for stack in stacks() {
            let service = Arc::new(Service::default());
            let server = stack.serve(Arc::clone(&service), HERE, &Options::new()).expect("a server");
            for (request, answer) in [(5, 1), (16, 100_000), (70_000, 3)] {
                let options = options(&[(REQUEST, request), (ANSWER, answer)]);
                let to = Connect { endpoint: server.endpoint(), timeout: Duration::from_secs(60), options };
                let mut client = stack.connect(&to).expect("a client");
                for _ in 0..30 {
                    assert_eq!(client.call(&Call::Empty).expect("an answer"), Answer::Nothing, "{}", stack.name());
                }
            }
            assert_eq!(service.counted(), [("Empty", 90)], "{}", stack.name());
        }
    }

    #[test]
    fn other_calls_and_impossible_sizes_are_refused() {
        let stack = stacks().next().expect("a channel");
        let server = stack.serve(Arc::new(Service::default()), HERE, &Options::new()).expect("a server");
        let connect = |options| stack.connect(&Connect { endpoint: server.endpoint(), timeout: Duration::from_secs(1), options });
        let mut client = connect(Options::new()).expect("a client");
        assert_eq!(client.call(&Call::Hello).expect_err("a refusal").kind, Kind::CannotCarry);
        for wrong in [options(&[(REQUEST, 4)]), options(&[(ANSWER, 0)]), options(&[(ANSWER, 1 << 40)])] {
            let failure = connect(wrong).map(|_| ()).expect_err("a refusal");
            assert_eq!(failure.kind, Kind::BadRequest);
            assert!(failure.message.contains("_bytes is "), "{}", failure.message);
        }
    }
}
