//! Makes every argument and every answer from a short description, one file a kind of data.

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
