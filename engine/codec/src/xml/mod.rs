//! What the two XML messages share: text that XML can hold, a pen that writes elements, a reader that refuses what is dangerous.

pub mod pen;
pub mod pull;
pub mod scalar;
pub mod text;
