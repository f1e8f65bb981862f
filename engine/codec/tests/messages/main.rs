//! Tests of every message: with values, with recorded bytes, and with hostile bytes.

mod bin;
mod compressors;
mod golden;
mod hostile;
mod json;
mod refused;
mod round_trip;
mod samples;
mod xml;

use std::sync::Arc;

use callbench_codec::{Message, all};

/// The message of this name.
fn message(name: &str) -> Arc<dyn Message> {
    all().into_iter().find(|it| it.name() == name).expect("a message of this name")
}
