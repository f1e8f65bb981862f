//! The calls of a service of the user's own.
//!
//! The ordinary build has none: `Request` and `Answer` have no values, so they cost nothing. For an imported service, the program
//! writes a file of Rust and names it in `CALLBENCH_OWN` while it builds the native adapter. `docs/guide/own-service.md` has the whole way.
//!
//! The other modules are what such a file is written in: how values travel (`forms`), and what is done with them (`same`, `altered`,
//! `fingerprint`).

pub mod altered;
pub mod any;
pub mod fingerprint;
pub mod forms;
pub mod octets;
pub mod same;
mod service;
pub mod wire;

mod chosen {
    include!(env!("CALLBENCH_OWN_FILE"));
}

pub use chosen::{AVRO, Answer, CALLS, GRPC, Request};

/// What generated code names.
pub mod generated {
    pub use crate::altered::Altered;
    pub use crate::any::Any;
    pub use crate::fingerprint::Fingerprint;
    pub use crate::forms::{Enumerated, Named};
    pub use crate::octets::Octets;
    pub use crate::same::Same;
    pub use crate::{enumeration, record, service, wire};
    pub use prost;
    pub use prost_types::Value;
    pub use serde;
    pub use serde_with::{As, DisplayFromStr, Same as Plain};
}

/// The first tag of a call in the envelope of Protocol Buffers; Callbench's own calls lie below.
pub const FIRST_TAG: u32 = 100;

/// The name of the one parameter that every call has.
pub const PARAMETER: &str = "request";

/// The place of the call of this name, if the service has it.
#[must_use]
#[inline]
pub fn place_of(operation: &str) -> Option<usize> {
    CALLS.iter().position(|call| *call == operation)
}
