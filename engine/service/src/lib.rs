//! The one service behind every stack, as `contract/SERVICE.md` describes it.
//!
//! `records` and `call` are the vocabulary that messages encode; `generate` makes every argument and answer;
//! `canonical` writes them for the core; `service` answers calls and counts them; `check` looks at each answer while measuring.

pub mod call;
pub mod records;
pub mod service;

pub use call::{Answer, Call, Fault, Fill, Value};
pub use records::{Octets, Person, SearchResponse, Structure};
