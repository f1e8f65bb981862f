//! The article's four messages over its three channels that Windows alone has, COM, and the stack that measures the kit.

use std::sync::Arc;

use callbench_kit::direct::Direct;
use callbench_kit::stack::{Adapter, Stack};
use callbench_native::libraries;
use callbench_native::stack::MessageOverChannel;

use crate::channel;
use crate::com::Com;

/// The messages that the article measured.
const MESSAGES: [&str; 4] = ["soap", "xmlrpc", "bin", "bincomp"];
/// What those are built on, of the libraries of all messages.
const LIBRARIES: [&str; 3] = ["flate2", "quick-xml", "zlib-rs"];

/// All stacks, composed when the program starts.
pub struct Windows {
    stacks: Vec<Box<dyn Stack>>,
}

impl Windows {
    pub fn new() -> Self {
        let messages: Vec<_> = callbench_codec::all().into_iter().filter(|message| MESSAGES.contains(&message.name())).collect();
        let over = |channel| messages.iter().map(move |message| (Arc::clone(message), Arc::clone(&channel))).collect::<Vec<_>>();
        let pairs = channel::all().into_iter().flat_map(over);
        let composed = pairs.map(|(message, channel)| Box::new(MessageOverChannel::new(message, channel)) as Box<dyn Stack>);
        let others: [Box<dyn Stack>; 2] = [Box::new(Com), Box::new(Direct::default())];
        Windows { stacks: composed.chain(others).collect() }
    }
}

impl Adapter for Windows {
    fn name(&self) -> &'static str {
        "windows"
    }

    fn libraries(&self) -> Vec<(&'static str, String)> {
        let used = libraries::LIBRARIES.iter().filter(|(name, _)| LIBRARIES.contains(name));
        used.map(|(name, version)| (*name, (*version).to_owned())).collect()
    }

    fn stacks(&self) -> &[Box<dyn Stack>] {
        &self.stacks
    }
}
