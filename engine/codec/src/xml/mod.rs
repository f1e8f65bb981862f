//! The common parts of the two XML messages: text that is valid in XML, a writer, and a reader that refuses dangerous documents.

pub mod key;
pub mod pull;
pub mod scalar;
pub mod text;
pub mod writer;
