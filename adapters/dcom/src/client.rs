//! A client: activates an object, requests the interface, calls it, and releases its references.

use std::time::Duration;

use callbench_kit::stack::{Client, Connect};
use callbench_kit::{Failure, Kind};
use callbench_service::{Answer, Call};
use callbench_transport::line::Patience;

use crate::activation::{self, Activated, REMOTE_ACTIVATION};
use crate::ids::{ACTIVATION, Guid, IUNKNOWN, Mint, OBJECT_EXPORTER, REM_UNKNOWN, SPEED_SERVICE};
use crate::objref::{Bindings, NO_PING, Reference};
use crate::orpc::{This, VERSION};
use crate::pdu::call::Request;
use crate::pinger::{self, Pinged};
use crate::resolver::{get_alive, get_resolve, opnum, put_resolve};
use crate::rpc::Rpc;
use crate::settings::Settings;
use crate::speed::{self, answer, request};
use crate::{ndr, remunknown};

/// The timeout for releasing references. Nobody waits for the result, and a server that does not receive it forgets the object later.
const LEAVE: Duration = Duration::from_millis(500);
/// The references requested with the interface.
const REFS: u32 = 1;

/// One client with one connection.
pub struct Caller {
    endpoint: String,
    timeout: Duration,
    settings: Settings,
    link: Option<Link>,
}

impl Caller {
    pub fn connect(to: &Connect) -> Result<Self, Failure> {
        let settings = Settings::of(&to.options)?;
        let link = Some(Link::open(&to.endpoint, to.timeout, settings)?);
        Ok(Caller { endpoint: to.endpoint.clone(), timeout: to.timeout, settings, link })
    }
}

impl Client for Caller {
    /// After a failed call, a late answer may still arrive on the connection. So the next call activates a new object.
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => Link::open(&self.endpoint, self.timeout, self.settings)?,
        };
        let made = link.call(call, self.timeout);
        match &made {
            Err(failure) if failure.kind != Kind::Fault => link.spoiled = true,
            _ => self.link = Some(link),
        }
        made
    }

    fn connections(&self) -> usize {
        usize::from(self.link.is_some())
    }
}

/// An object and the connection to its exporter.
struct Link {
    rpc: Rpc,
    mint: Mint,
    speed: Request,
    rem_unknown: Request,
    held: [Reference; 2],
    spoiled: bool,
    _pinged: Option<Pinged>,
}

impl Link {
    fn open(endpoint: &str, timeout: Duration, settings: Settings) -> Result<Self, Failure> {
        let (mint, mut patience) = (Mint::new()?, Patience::of(timeout));
        let Activated { object, exporter, rem_unknown } = activate(endpoint, timeout, settings, &mint)?;
        let address = exporter.0.first().ok_or_else(|| Failure::protocol("the object's exporter has no address for TCP"))?;
        let mut rpc = Rpc::open(address, timeout, settings.fragment)?;
        let context = rpc.negotiate(REM_UNKNOWN, &mut patience)?;
        let rem_unknown = Request { context, opnum: remunknown::QUERY, object: Some(rem_unknown) };
        let this = This::of(mint.guid());
        let stub = rpc.call(&rem_unknown, &mut patience, |out| {
            this.put(out);
            remunknown::put_query(&object.reference.ipid, &SPEED_SERVICE, REFS, out);
        })?;
        let found = remunknown::get_query(&mut ndr::Reader::new(stub))?;
        let context = rpc.negotiate(SPEED_SERVICE, &mut patience)?;
        let speed = Request { context, opnum: 0, object: Some(found.ipid) };
        let resolver = object.resolver.0.first().filter(|_| object.reference.flags & NO_PING == 0);
        let pinged = resolver.map(|resolver| pinger::ping(resolver, settings, object.reference.oid)).transpose()?;
        Ok(Link { rpc, mint, speed, rem_unknown, held: [object.reference, found], spoiled: false, _pinged: pinged })
    }

    fn call(&mut self, call: &Call, timeout: Duration) -> Result<Answer, Failure> {
        let this = This::of(self.mint.guid());
        let request = Request { opnum: speed::opnum(call.operation()), ..self.speed };
        let stub = self.rpc.call(&request, &mut Patience::of(timeout), |out| {
            this.put(out);
            request::put(call, out);
        })?;
        answer::get(call, stub)
    }
}

/// `RemRelease`, where the connection is still good for it.
impl Drop for Link {
    fn drop(&mut self) {
        if self.spoiled {
            return;
        }
        let (this, held) = (This::of(self.mint.guid()), self.held);
        let request = Request { opnum: remunknown::RELEASE, ..self.rem_unknown };
        let _ = self.rpc.call(&request, &mut Patience::of(LEAVE), |out| {
            this.put(out);
            remunknown::put_release(&held, out);
        });
    }
}

/// `RemoteActivation` over a separate connection. If requested, the OXID is resolved too.
fn activate(endpoint: &str, timeout: Duration, settings: Settings, mint: &Mint) -> Result<Activated, Failure> {
    let mut patience = Patience::of(timeout);
    let mut rpc = Rpc::open(endpoint, timeout, settings.fragment)?;
    let context = rpc.negotiate(ACTIVATION, &mut patience)?;
    let request = Request { context, opnum: REMOTE_ACTIVATION, object: None };
    let causality = mint.guid();
    let mut activated = activation::get_answer(rpc.call(&request, &mut patience, |out| {
        activation::put_request(causality, &IUNKNOWN, out);
    })?)?;
    if settings.resolve {
        (activated.exporter, activated.rem_unknown) = resolve(&mut rpc, &mut patience, activated.object.reference.oxid)?;
    }
    Ok(activated)
}

/// `ServerAlive2`, which returns the server's version, and `ResolveOxid2` (MS-DCOM 3.2.4.1.2).
fn resolve(rpc: &mut Rpc, patience: &mut Patience, oxid: u64) -> Result<(Bindings, Guid), Failure> {
    let context = rpc.negotiate(OBJECT_EXPORTER, patience)?;
    let request = |opnum| Request { context, opnum, object: None };
    let version = get_alive(rpc.call(&request(opnum::SERVER_ALIVE_2), patience, |_| ())?)?;
    if version.major != VERSION.major {
        return Err(Failure::protocol(format!("the server speaks version {}.{} of DCOM, and we 5.7", version.major, version.minor)));
    }
    get_resolve(rpc.call(&request(opnum::RESOLVE_OXID_2), patience, |out| {
        put_resolve(oxid, out);
    })?)
}
