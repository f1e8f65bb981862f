//! The one service behind every stack, as `contract/SERVICE.md` describes it.
//!
//! `records` and `call` are the vocabulary that messages encode; `generate` makes every argument and answer;
//! `arguments` reads the core's description of a call; `canonical` writes values for the core, `plain` for the runners of
//! other languages, both as a `tree`; `service` answers calls and counts them; `check` looks at each answer while measuring.

pub mod arguments;
pub mod call;
pub mod canonical;
pub mod check;
pub mod generate;
pub mod names;
pub mod plain;
pub mod records;
pub mod service;
mod tree;

pub use call::{Answer, Call, Fault, Fill, Value};
pub use check::Expectation;
pub use records::{Octets, Person, SearchResponse, Structure};
pub use service::Service;
