//! Generates every argument and answer from a short description. Each kind of data has its own file.

mod binary;
mod content;
mod persons;
mod search;
mod splitmix;
mod structure;

pub use binary::{binary, binary_seeded};
pub use content::{Content, Kind, string, value};
pub use persons::{person, persons, persons_from};
pub use search::{items, search_response, search_response_seeded};
pub use splitmix::SplitMix64;
pub use structure::{structure, structure_from};
