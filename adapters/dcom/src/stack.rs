//! `orpc`: the stack, and what of it can be timed without a connection.

use std::sync::Arc;

use callbench_kit::Failure;
use callbench_kit::stack::{Adapter, Client, Codec, Connect, Listen, Options, Server, Stack};
use callbench_service::{Answer, Call, Service};

use crate::client::Caller;
use crate::ids::{Guid, SPEED_SERVICE};
use crate::ndr::{Reader, Writer};
use crate::orpc::This;
use crate::pdu::call::{Request, begin_response, response_stub};
use crate::pdu::{HEADER, Header};
use crate::server::Running;
use crate::settings::{self, Settings};
use crate::speed::{self, answer, request};

pub struct Orpc;

impl Stack for Orpc {
    fn name(&self) -> String {
        "orpc".to_owned()
    }

    fn options(&self) -> &'static [&'static str] {
        settings::NAMES
    }

    fn serve(&self, service: Arc<Service>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        Ok(Box::new(Running::start(service, at, Settings::of(options)?)?))
    }

    fn connect(&self, to: &Connect) -> Result<Box<dyn Client>, Failure> {
        Ok(Box::new(Caller::connect(to)?))
    }

    fn codec(&self) -> Option<&dyn Codec> {
        Some(self)
    }
}

/// One PDU of any length, with header and ORPCTHIS or ORPCTHAT: the work of both sides for a call, except for sending and dividing.
impl Codec for Orpc {
    fn encode_request(&self, call: &Call, out: &mut Vec<u8>) -> Result<(), Failure> {
        Request { context: 1, opnum: speed::opnum(call.operation()), object: Some(SPEED_SERVICE) }.begin(1, out);
        let mut out = Writer::new(out);
        This::of(Guid::default()).put(&mut out);
        request::put(call, &mut out);
        Ok(())
    }

    fn decode_request(&self, bytes: &[u8]) -> Result<Call, Failure> {
        let header = bytes.first_chunk::<HEADER>().ok_or_else(|| Failure::protocol("a request is shorter than its header"))?;
        // The length has sixteen bits, which a PDU that is not cut yet may exceed.
        let header = Header { kind: header[2], flags: header[3], length: 0, authentication: 0, call: 1 };
        let (request, stub) = Request::read(&header, bytes).map_err(Failure::protocol)?;
        let mut from = Reader::new(stub);
        This::get(&mut from).map_err(Failure::protocol)?;
        let call = request::get(request.opnum, &mut from).ok_or_else(|| Failure::protocol("there is no such operation"))?;
        call.map_err(Failure::protocol)
    }

    fn encode_answer(&self, call: &Call, answer: &Answer, out: &mut Vec<u8>) -> Result<(), Failure> {
        begin_response(1, 1, out);
        answer::put(call, Ok(answer), &mut Writer::new(out));
        Ok(())
    }

    fn decode_answer(&self, call: &Call, bytes: &[u8]) -> Result<Answer, Failure> {
        answer::get(call, response_stub(bytes).map_err(Failure::protocol)?)
    }
}

/// The adapter with its one stack.
pub struct Dcom {
    stacks: [Box<dyn Stack>; 1],
}

impl Dcom {
    #[must_use]
    pub fn new() -> Self {
        Dcom { stacks: [Box::new(Orpc)] }
    }
}

impl Default for Dcom {
    fn default() -> Self {
        Dcom::new()
    }
}

impl Adapter for Dcom {
    fn name(&self) -> &'static str {
        "dcom"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}
