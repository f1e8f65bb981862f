//! The exporter's calls: what an IPID names, ORPCTHIS, then `IRemUnknown` or the service.

use std::sync::Arc;

use callbench_service::Service;

use crate::connection::Interfaces;
use crate::exporter::Exporter;
use crate::ids::{Guid, REM_UNKNOWN, REM_UNKNOWN_2, SPEED_SERVICE};
use crate::ndr::{Reader, Writer};
use crate::orpc::This;
use crate::pdu::call::Request;
use crate::speed::{answer, request};
use crate::{remunknown, status};

pub struct Skeleton {
    pub exporter: Arc<Exporter>,
    pub service: Arc<Service>,
}

impl Interfaces for Skeleton {
    fn has(&self, interface: &Guid) -> bool {
        [SPEED_SERVICE, REM_UNKNOWN, REM_UNKNOWN_2].contains(interface)
    }

    /// In the order of MS-DCOM 3.1.1.5.4: the version, the IPID, the opnum, the parameters.
    fn answer(&self, interface: &Guid, request: &Request, stub: &[u8], out: &mut Writer<'_>) -> Result<(), u32> {
        let mut from = Reader::new(stub);
        let this = This::get(&mut from).map_err(|_| status::NDR)?;
        if !this.version.is_served() {
            return Err(status::VERSION_MISMATCH);
        }
        let ipid = request.object.ok_or(status::DISCONNECTED)?;
        if *interface != SPEED_SERVICE {
            return if ipid == self.exporter.rem_unknown {
                remunknown::answer(&self.exporter, request.opnum, &mut from, out)
            } else {
                Err(status::DISCONNECTED)
            };
        }
        if self.exporter.called(&ipid) != Some(SPEED_SERVICE) {
            return Err(status::DISCONNECTED);
        }
        let call = request::get(request.opnum, &mut from).ok_or(status::OP_RANGE)?.map_err(|_| status::NDR)?;
        answer::put(&call, self.service.look_up(&call).as_ref(), out);
        Ok(())
    }
}
