//! One file a channel: `namedpipe`, `winmsg`. The third, `dll`, is the native adapter's `library` under its Windows name.

pub mod namedpipe;
pub mod winmsg;

use std::sync::Arc;

use callbench_transport::{Channel, library};

/// Every channel, from the nearest to the farthest.
pub fn all() -> Vec<Arc<dyn Channel>> {
    vec![Arc::new(library::Library), Arc::new(winmsg::WinMsg), Arc::new(namedpipe::NamedPipe)]
}

/// For the system: UTF-16, with a zero at the end.
pub fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}
