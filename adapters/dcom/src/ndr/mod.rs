//! NDR, C706 chapter 14: values at natural alignment, little-endian, pointers deferred.
//!
//! What a pointer points at does not follow the pointer but the outermost construction that the pointer is part of (C706 14.3.12.3).
//! So a type is written, and read, in two parts: the flat one, in which pointers are referents, and the rest, to which they refer.

mod list;
mod number;
mod pointer;
mod read;
mod record;
mod text;
mod write;

pub use read::{Malformed, Reader};
pub use record::greatest;
pub(crate) use record::record;
pub use write::Writer;

/// A type that travels. `Flat` is what reading the first part leaves for the second.
pub trait Ndr: Sized {
    type Flat;
    /// The alignment of the flat part in bytes.
    const ALIGN: usize;
    /// The minimum size of the flat part in bytes, so that a count can be compared with the received bytes.
    const LEAST: usize;

    fn put_flat(&self, out: &mut Writer<'_>);

    /// Nothing where the type has no pointer.
    fn put_rest(&self, _out: &mut Writer<'_>) {}

    fn get_flat(from: &mut Reader<'_>) -> Result<Self::Flat, Malformed>;

    fn get_rest(flat: Self::Flat, from: &mut Reader<'_>) -> Result<Self, Malformed>;

    /// A parameter: both parts.
    fn put(&self, out: &mut Writer<'_>) {
        self.put_flat(out);
        self.put_rest(out);
    }

    /// A parameter: both parts.
    fn get(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let flat = Self::get_flat(from)?;
        Self::get_rest(flat, from)
    }

    /// The elements of an array, after its count.
    fn put_all(items: &[Self], out: &mut Writer<'_>) {
        for item in items {
            item.put_flat(out);
        }
        for item in items {
            item.put_rest(out);
        }
    }

    /// The elements of an array. `count` has been compared with the received bytes.
    fn get_all(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
        let mut flats = Vec::with_capacity(count);
        for _ in 0..count {
            flats.push(Self::get_flat(from)?);
        }
        flats.into_iter().map(|flat| Self::get_rest(flat, from)).collect()
    }
}

#[cfg(test)]
mod tests;
