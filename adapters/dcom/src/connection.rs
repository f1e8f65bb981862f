//! The server's side of one connection: contexts are negotiated, requests put together and answered in the order in which they came.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use callbench_kit::Failure;
use callbench_kit::stack::LIMIT;
use callbench_transport::acceptor::Ending;
use callbench_transport::line::Patience;
use nix::sys::socket::{setsockopt, sockopt};

use crate::ids::Guid;
use crate::ndr::Writer;
use crate::pdu::bind::{ACCEPTED, Answer, Bind, Context, NO_INTERFACE, NO_SYNTAX, Verdict, put_refusal, refusal};
use crate::pdu::call::{RESPONSE, Request, begin_response, cut, put_fault};
use crate::pdu::{Header, LEAST_FRAGMENT, Unreadable, flag, kind};
use crate::status;
use crate::wire::Wire;

/// The maximum number of contexts of a connection. A client needs a few; the limit protects the memory.
const MOST_CONTEXTS: usize = 1024;

/// The interfaces behind a server's connections.
pub trait Interfaces: Send + Sync + 'static {
    fn has(&self, interface: &Guid) -> bool;

    /// Answers a call of `interface`, which it has: the results, or the status of a fault.
    fn answer(&self, interface: &Guid, request: &Request, stub: &[u8], out: &mut Writer<'_>) -> Result<(), u32>;
}

/// How connections are played.
#[derive(Clone, Debug)]
pub struct Manner {
    /// The port, as in `bind_ack`.
    pub port: String,
    /// The largest PDU sent and taken.
    pub fragment: u16,
}

struct Host<'a> {
    wire: Wire,
    interfaces: &'a dyn Interfaces,
    manner: &'a Manner,
    contexts: Vec<Context>,
    /// The largest PDU that the client takes, and what it is limited to.
    most: u16,
    /// A request that has begun and not ended.
    begun: Option<(u32, Request)>,
    stub: Vec<u8>,
    out: Vec<u8>,
    fragments: Vec<u8>,
}

/// Plays one connection, to its end.
pub fn host(socket: &Arc<OwnedFd>, interfaces: &dyn Interfaces, manner: &Manner, ending: &Ending) -> Result<(), Failure> {
    setsockopt(socket, sockopt::TcpNoDelay, &true).map_err(std::io::Error::from)?;
    let wire = Wire::new(Arc::clone(socket), Duration::ZERO);
    let mut host = Host {
        wire,
        interfaces,
        manner,
        contexts: Vec::new(),
        most: LEAST_FRAGMENT,
        begun: None,
        stub: Vec::new(),
        out: Vec::new(),
        fragments: Vec::new(),
    };
    while !ending.load(Ordering::Relaxed) {
        match host.wire.receive(&mut Patience::endless())? {
            Ok(header) => host.take(&header)?,
            Err(unreadable) => return host.turn_away(unreadable),
        }
    }
    Ok(())
}

/// What ends a connection: a sentence for a debugger, because nobody else sees it.
fn ended(why: &str) -> Failure {
    Failure::protocol(why)
}

impl Host<'_> {
    fn take(&mut self, header: &Header) -> Result<(), Failure> {
        match header.kind {
            kind::REQUEST => self.request(header),
            kind::BIND | kind::ALTER => self.negotiate(header),
            kind::ORPHANED => {
                self.begun = None;
                Ok(())
            }
            // A call is answered before the next PDU is read, so there is nothing to cancel.
            kind::CANCEL | kind::AUTH3 => Ok(()),
            _ => Err(ended("a client does not send PDUs of this type")),
        }
    }

    /// A PDU of another version gets the version that would be right; anything else only the end of the connection.
    fn turn_away(&mut self, unreadable: Unreadable) -> Result<(), Failure> {
        if unreadable == Unreadable::Version {
            self.out.clear();
            put_refusal(refusal::VERSION, 0, &mut self.out);
            self.send()?;
        }
        Err(ended("a PDU cannot be read"))
    }

    fn send(&mut self) -> Result<(), Failure> {
        self.wire.send(&self.out, &mut Patience::endless())
    }

    /// bind and `alter_context`. A second bind is taken as an `alter_context`: some clients send one.
    fn negotiate(&mut self, header: &Header) -> Result<(), Failure> {
        self.out.clear();
        if header.authentication > 0 {
            put_refusal(refusal::AUTHENTICATION, header.call, &mut self.out);
            return self.send();
        }
        let Ok(bind) = Bind::read(&self.wire.pdu()[crate::pdu::HEADER..]) else {
            put_refusal(refusal::NOT_SPECIFIED, header.call, &mut self.out);
            self.send()?;
            return Err(ended("a bind cannot be read"));
        };
        let verdicts = bind.contexts.iter().map(|context| self.judge(context)).collect();
        let (kind, address) = match header.kind {
            kind::BIND => {
                self.most = bind.takes.min(self.manner.fragment);
                (kind::BIND_ACK, self.manner.port.clone())
            }
            _ => (kind::ALTER_ANSWER, String::new()),
        };
        let group = if bind.group == 0 { 1 } else { bind.group };
        let fragment = self.manner.fragment;
        Answer { sends: fragment, takes: fragment, group, address, verdicts }.put(kind, header.call, &mut self.out);
        self.send()
    }

    fn judge(&mut self, context: &Context) -> Verdict {
        // DCOM's interfaces are of version 0.0, all of them (MS-DCOM 2.1).
        if context.version != 0 || !self.interfaces.has(&context.interface) {
            return NO_INTERFACE;
        }
        if !context.offers_ndr {
            return NO_SYNTAX;
        }
        self.contexts.retain(|known| known.id != context.id);
        if self.contexts.len() >= MOST_CONTEXTS {
            return NO_INTERFACE;
        }
        self.contexts.push(*context);
        ACCEPTED
    }

    /// One fragment of a request, most often all of it.
    fn request(&mut self, header: &Header) -> Result<(), Failure> {
        if header.authentication > 0 {
            return self.fault(0, status::ACCESS_DENIED, header.call);
        }
        let (request, part) = Request::read(header, self.wire.pdu()).map_err(Failure::protocol)?;
        if header.flags & flag::FIRST != 0 {
            self.stub.clear();
            self.begun = Some((header.call, request));
        }
        if self.begun != Some((header.call, request)) {
            return Err(ended("a fragment belongs to no request"));
        }
        if self.stub.len() + part.len() > LIMIT {
            self.begun = None;
            self.fault(request.context, status::NO_MEMORY, header.call)?;
            return Err(ended("a request is too long"));
        }
        self.stub.extend_from_slice(part);
        if header.flags & flag::LAST == 0 {
            return Ok(());
        }
        self.begun = None;
        self.answer(&request, header.call)
    }

    fn answer(&mut self, request: &Request, call: u32) -> Result<(), Failure> {
        let Some(context) = self.contexts.iter().find(|context| context.id == request.context) else {
            return self.fault(request.context, status::UNKNOWN_INTERFACE, call);
        };
        self.out.clear();
        begin_response(request.context, call, &mut self.out);
        if let Err(status) = self.interfaces.answer(&context.interface, request, &self.stub, &mut Writer::new(&mut self.out)) {
            return self.fault(request.context, status, call);
        }
        let sent = cut(&mut self.out, RESPONSE, self.most, &mut self.fragments);
        self.wire.send(sent, &mut Patience::endless())
    }

    fn fault(&mut self, context: u16, status: u32, call: u32) -> Result<(), Failure> {
        self.out.clear();
        put_fault(context, status, call, &mut self.out);
        self.send()
    }
}
