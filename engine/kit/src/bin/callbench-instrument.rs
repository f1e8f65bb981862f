//! The adapter that measures Callbench itself: its stacks have no message and no channel.

use std::process::ExitCode;
use std::sync::Arc;

use callbench_kit::direct::Direct;
use callbench_kit::nothing::Nothing;
use callbench_kit::stack::{Adapter, Stack};

struct Instrument {
    stacks: Vec<Box<dyn Stack>>,
}

impl Adapter for Instrument {
    fn name(&self) -> &'static str {
        "instrument"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}

fn main() -> ExitCode {
    let stacks: Vec<Box<dyn Stack>> = vec![Box::new(Nothing), Box::new(Direct::default())];
    callbench_kit::run(Arc::new(Instrument { stacks }))
}
