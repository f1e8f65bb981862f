//! A message over a channel as one stack: the product of the two halves, written once.

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_kit::stack::{Client, Codec, Connect, Listen, Options, Server, Stack};
use callbench_service::service::LookedUp;
use callbench_service::{Answer, Call, Service};

use callbench_codec::{Mark, Message, Reply};
use callbench_transport::{AnswerKind, Channel, Connection, Handler, Route};

/// The glue of a server: bytes to call, call to answer, answer to bytes.
struct Answering {
    message: Arc<dyn Message>,
    service: Arc<Service>,
}

impl Handler for Answering {
    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> AnswerKind {
        let (reply, asked) = self.message.decode_request(request);
        let answer = asked.map_or_else(|fault| LookedUp::Made(Err(fault)), |call| self.service.look_up(&call));
        self.message.encode_answer(&reply, &answer, out)
    }
}

/// Answers requests in `message` with `service`.
#[must_use]
pub fn handler(message: Arc<dyn Message>, service: Arc<Service>) -> Arc<dyn Handler> {
    Arc::new(Answering { message, service })
}

/// The place of `message` on a server of any channel.
#[must_use]
pub fn route(message: &Arc<dyn Message>, service: &Arc<Service>) -> Route {
    let describing = Arc::clone(message);
    Route {
        path: message.name(),
        content_type: message.content_type(),
        fault_status: message.fault_status(),
        description: Arc::new(move |url| describing.description(url)),
        handler: handler(Arc::clone(message), Arc::clone(service)),
    }
}

/// A message without its channel.
struct Alone {
    message: Arc<dyn Message>,
    /// The mark that the message's own requests bear, which an answer must repeat to be taken for one.
    mark: Mark,
}

impl Alone {
    fn new(message: Arc<dyn Message>) -> Self {
        let mut request = Vec::new();
        let written = message.encode_request(&Call::Hello, &mut request);
        let mark = written.map_or(Mark::None, |()| message.decode_request(&request).0.mark);
        Alone { message, mark }
    }
}

/// One message over one channel.
pub struct MessageOverChannel {
    alone: Alone,
    channel: Arc<dyn Channel>,
    options: &'static [&'static str],
}

impl MessageOverChannel {
    #[must_use]
    pub fn new(message: Arc<dyn Message>, channel: Arc<dyn Channel>) -> Self {
        let options = match (message.options(), channel.options()) {
            ([], own) | (own, []) => own,
            // Leaked once per stack. A stack lives as long as the program.
            (both, more) => [both, more].concat().leak(),
        };
        MessageOverChannel { alone: Alone::new(message), channel, options }
    }
}

impl Stack for MessageOverChannel {
    fn name(&self) -> String {
        format!("{}+{}", self.alone.message.name(), self.channel.name())
    }

    fn unavailable(&self) -> Option<String> {
        self.channel.unavailable()
    }

    fn options(&self) -> &'static [&'static str] {
        self.options
    }

    fn serve(&self, service: Arc<Service>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        self.channel.serve(vec![route(&self.alone.message, &service)], at, options)
    }

    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure> {
        let message = self.alone.message.with(&to.options)?.unwrap_or_else(|| Arc::clone(&self.alone.message));
        let connection = self.channel.connect(message.name(), message.content_type(), to)?;
        Ok(Box::new(MessageClient { message, connection, request: Vec::new() }))
    }

    fn codec(&self) -> Option<&dyn Codec> {
        Some(&self.alone)
    }

    fn codec_with(&self, options: &Options) -> Result<Option<Box<dyn Codec>>, Failure> {
        let message = self.alone.message.with(options)?;
        Ok(message.map(|message| Box::new(Alone::new(message)) as Box<dyn Codec>))
    }
}

/// A client: encodes, calls, decodes. Its buffer for requests stays, as a client in a hurry would keep it.
struct MessageClient {
    message: Arc<dyn Message>,
    connection: Box<dyn Connection>,
    request: Vec<u8>,
}

impl Client for MessageClient {
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        self.request.clear();
        self.message.encode_request(call, &mut self.request)?;
        let answer = self.connection.call(&self.request)?;
        self.message.decode_answer(call, answer)
    }

    fn connections(&self) -> usize {
        self.connection.connections()
    }
}

impl Codec for Alone {
    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.message.encode_request(call, out)
    }

    fn decode_request(&self, bytes: &[u8]) -> Result<Call, Failure> {
        self.message.decode_request(bytes).1.map_err(|fault| Failure::fault(fault.message))
    }

    fn encode_answer(&self, call: &Call, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        let reply = Reply { operation: call.operation(), mark: self.mark.clone(), refusal: None };
        self.message.write_answer(&reply, answer, out)
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        self.message.decode_answer(call, bytes)
    }
}
