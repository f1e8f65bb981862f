//! The service behind every stack, as `contract/SERVICE.md` defines it.
//!
//! `records` and `call` are the types that messages encode. `generate` generates arguments and answers. `arguments` parses the core's description of
//! a call. `canonical` writes values for the core, `plain` for runners in other languages; both use `tree`. `service` answers calls and counts them.
//! `pairs` holds the requests and answers of a service of the user's own. `check` checks each answer during a measurement.

pub mod arguments;
pub mod call;
pub mod canonical;
pub mod check;
pub mod generate;
pub mod names;
pub mod pairs;
pub mod plain;
pub mod records;
pub mod service;
mod tree;

pub use call::{Answer, Call, Fault, Fill, Value};
pub use check::Expectation;
pub use records::{Octets, Person, SearchResponse, Structure};
pub use service::Service;
