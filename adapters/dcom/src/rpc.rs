//! The client's side of one connection: contexts negotiated, a request sent, its response put together.

use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use callbench_kit::stack::LIMIT;
use callbench_kit::{Failure, Kind};
use callbench_transport::line::{Patience, closed, refused, too_large};
use callbench_transport::stream::even_slice;

use crate::ids::Guid;
use crate::ndr::Writer;
use crate::objref::host_and_port;
use crate::pdu::bind::{ACCEPTED, Answer, Bind, Context, read_refusal};
use crate::pdu::call::{Request, cut, fault_status, response_stub};
use crate::pdu::{HEADER, Header, LEAST_FRAGMENT, flag, kind};
use crate::status;
use crate::wire::Wire;

/// A connection to one server.
pub struct Rpc {
    wire: Wire,
    fragment: u16,
    /// The largest PDU that the server takes.
    most: u16,
    call: u32,
    /// Interfaces negotiated; a context's number is its place.
    contexts: Vec<Guid>,
    out: Vec<u8>,
    fragments: Vec<u8>,
    stub: Vec<u8>,
}

impl Rpc {
    /// Connects to an address such as `127.0.0.1[40001]`.
    pub fn open(address: &str, timeout: Duration, fragment: u16) -> Result<Self, Failure> {
        let (host, port) = host_and_port(address).ok_or_else(|| {
            Failure::new(Kind::BadRequest, format!("{address} is no address of DCOM: it must be a host and a port, as in 127.0.0.1[40001]"))
        })?;
        let mut last = None;
        let found = (host, port).to_socket_addrs().map_err(|why| refused(address, &why))?;
        for place in found {
            match TcpStream::connect_timeout(&place, timeout) {
                Ok(stream) => return Self::over(stream, timeout, fragment),
                Err(why) => last = Some(why),
            }
        }
        Err(last.map_or_else(
            || refused(address, &"it has no address"),
            |why| match Failure::from(why) {
                Failure { kind: Kind::Refused, message } => refused(address, &message),
                other => other,
            },
        ))
    }

    fn over(stream: TcpStream, timeout: Duration, fragment: u16) -> Result<Self, Failure> {
        let slice = even_slice(timeout);
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(slice))?;
        stream.set_write_timeout(Some(slice))?;
        let socket: Arc<OwnedFd> = Arc::new(stream.into());
        let wire = Wire::new(socket, slice);
        let (contexts, out, fragments, stub) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Rpc { wire, fragment, most: LEAST_FRAGMENT, call: 0, contexts, out, fragments, stub })
    }

    /// Negotiates one more interface: the first by bind, others by `alter_context`. The number of its context.
    pub fn negotiate(&mut self, interface: Guid, patience: &mut Patience) -> Result<u16, Failure> {
        let (asking, answering) = if self.contexts.is_empty() { (kind::BIND, kind::BIND_ACK) } else { (kind::ALTER, kind::ALTER_ANSWER) };
        let id = self.contexts.len() as u16;
        let contexts = vec![Context { id, interface, version: 0, offers_ndr: true }];
        self.call = self.call.wrapping_add(1);
        self.out.clear();
        Bind { sends: self.fragment, takes: self.fragment, group: 0, contexts }.put(asking, self.call, &mut self.out);
        self.wire.send(&self.out, patience)?;
        let header = self.receive(patience)?;
        let body = &self.wire.pdu()[HEADER..];
        if header.kind == kind::BIND_NAK {
            let reason = read_refusal(body).map_err(Failure::protocol)?;
            return Err(Failure::protocol(format!("the server does not bind: reason {reason} of bind_nak")));
        }
        if header.kind != answering {
            return Err(unexpected(header));
        }
        let answer = Answer::read(body).map_err(Failure::protocol)?;
        if answer.verdicts != [ACCEPTED] {
            return Err(Failure::protocol(format!("the server does not have the interface {interface}: {:?}", answer.verdicts)));
        }
        if header.kind == kind::BIND_ACK {
            self.most = answer.takes.min(self.fragment);
        }
        self.contexts.push(interface);
        Ok(id)
    }

    /// Makes one call: the stub data of its response, which is good until the next.
    pub fn call(&mut self, request: &Request, patience: &mut Patience, put: impl FnOnce(&mut Writer<'_>)) -> Result<&[u8], Failure> {
        self.call = self.call.wrapping_add(1);
        self.out.clear();
        request.begin(self.call, &mut self.out);
        put(&mut Writer::new(&mut self.out));
        if self.out.len() > LIMIT {
            return Err(too_large(self.out.len(), LIMIT));
        }
        let sent = cut(&mut self.out, request.before_stub(), self.most, &mut self.fragments);
        self.wire.send(sent, patience)?;
        self.answer(patience)
    }

    fn answer(&mut self, patience: &mut Patience) -> Result<&[u8], Failure> {
        self.stub.clear();
        let mut begun = false;
        loop {
            let header = self.receive(patience)?;
            match header.kind {
                kind::RESPONSE => {
                    if begun == (header.flags & flag::FIRST != 0) {
                        return Err(Failure::protocol("the fragments of a response do not follow each other"));
                    }
                    begun = true;
                    let part = response_stub(self.wire.pdu()).map_err(Failure::protocol)?;
                    if self.stub.len() + part.len() > LIMIT {
                        return Err(too_large(self.stub.len() + part.len(), LIMIT));
                    }
                    self.stub.extend_from_slice(part);
                    if header.flags & flag::LAST != 0 {
                        return Ok(&self.stub);
                    }
                }
                kind::FAULT => return Err(fault(self.wire.pdu())),
                _ => return Err(unexpected(header)),
            }
        }
    }

    /// The next PDU, which belongs to the call under way.
    fn receive(&mut self, patience: &mut Patience) -> Result<Header, Failure> {
        let header = self.wire.receive(patience)?;
        let header = header.map_err(|why| Failure::protocol(format!("the server sent a PDU that cannot be read ({why:?})")))?;
        // A refusal of the very first PDU may not know which call it refuses.
        if header.call != self.call && header.kind != kind::BIND_NAK {
            return Err(Failure::protocol(format!("the server answers call {} while call {} waits", header.call, self.call)));
        }
        if header.authentication > 0 {
            return Err(Failure::protocol("the server authenticates itself, which was not asked for"));
        }
        Ok(header)
    }
}

fn unexpected(header: Header) -> Failure {
    Failure::protocol(format!("the server sent a PDU of type {} where none belongs", header.kind))
}

fn fault(pdu: &[u8]) -> Failure {
    match fault_status(pdu) {
        Ok(status::DISCONNECTED) => Failure::new(closed().kind, format!("the object is gone: {}", status::describe(status::DISCONNECTED))),
        Ok(status) => Failure::protocol(format!("the server answered with a fault, {}", status::describe(status))),
        Err(malformed) => Failure::protocol(malformed),
    }
}
