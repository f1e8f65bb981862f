//! `shm-spin`: the rings of `shm`, but both sides spin instead of sleeping. It has the lowest latency between two processes, and uses a whole
//! processor for each connection's server thread, even without calls.

use callbench_contract::Failure;
use callbench_contract::endpoint::{Connect, Listen, Options, Server};

use super::shm::{connect, serve};
use super::wait::Spin;
use super::{Channel, Connection, Route};

pub struct ShmSpin;

impl Channel for ShmSpin {
    fn name(&self) -> &'static str {
        "shm-spin"
    }

    fn serve(&self, routes: Vec<Route>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        serve::<Spin>("shm-spin", routes)
    }

    fn connect(&self, _path: &'static str, _content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
        connect::<Spin>(to)
    }
}
