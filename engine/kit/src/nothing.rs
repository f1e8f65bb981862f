//! A stack that does nothing. Its times are those of the harness.

use std::sync::Arc;

use callbench_service::service::Service;
use callbench_service::{Answer, Call};

use crate::failure::{Failure, Kind};
use crate::stack::{Client, Connect, Listen, Options, Server, Stack};

/// Answers `Empty` without a server. It can serve, but its server never receives a call.
pub struct Nothing;

struct NothingServer;

impl Server for NothingServer {
    fn endpoint(&self) -> String {
        "nothing".to_owned()
    }
}

/// The client of [`Nothing`].
pub struct Idle;

impl Client for Idle {
    fn call(&mut self, call: &Call) -> Result<Answer, Failure> {
        match call {
            Call::Empty => Ok(Answer::Nothing),
            other => Err(Failure::new(Kind::CannotCarry, format!("the stack nothing carries Empty only, not {}", other.name()))),
        }
    }

    fn connections(&self) -> usize {
        0
    }
}

impl Stack for Nothing {
    fn name(&self) -> String {
        "nothing".to_owned()
    }

    fn serve(&self, _service: Arc<Service>, _at: Listen, _options: &Options) -> Result<Box<dyn Server>, Failure> {
        Ok(Box::new(NothingServer))
    }

    fn connect(&self, _to: &Connect) -> Result<Box<dyn Client>, Failure> {
        Ok(Box::new(Idle))
    }
}
