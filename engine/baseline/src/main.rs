//! `callbench-baseline`: the adapter whose stacks are raw echoes, one a channel. It speaks `contract/CONTRACT.md` as any other.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_kit::stack::{Adapter, Stack};
use callbench_native::echo::EchoOverChannel;

struct Baseline {
    stacks: Vec<Box<dyn Stack>>,
}

impl Adapter for Baseline {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}

fn main() -> ExitCode {
    let channels = callbench_transport::all().into_iter().filter(|channel| !channel.compresses());
    let stacks = channels.map(|channel| Box::new(EchoOverChannel::new(channel)) as Box<dyn Stack>).collect();
    callbench_kit::run(Arc::new(Baseline { stacks }))
}
