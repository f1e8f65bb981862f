//! Lists: `struct { unsigned long count; [size_is(count)] T* items; }`. The items are a conformant array (C706 14.3.3.2) behind a unique pointer. The
//! pointer of an empty list may be null, as it is here.

use callbench_service::Octets;

use super::{Malformed, Ndr, Reader, Writer};

impl<T: Ndr> Ndr for Vec<T> {
    /// The count, where the pointer is not null.
    type Flat = Option<usize>;
    const ALIGN: usize = 4;
    const LEAST: usize = 8;

    fn put_flat(&self, out: &mut Writer<'_>) {
        put_flat(self.len(), out);
    }

    fn put_rest(&self, out: &mut Writer<'_>) {
        if !self.is_empty() {
            out.count(self.len());
            T::put_all(self, out);
        }
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<Option<usize>, Malformed> {
        let count = from.u32()? as usize;
        match from.pointer()? {
            true => Ok(Some(count)),
            false if count == 0 => Ok(None),
            false => Err(Malformed("a list that is not empty has no items")),
        }
    }

    fn get_rest(announced: Option<usize>, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let Some(announced) = announced else {
            return Ok(Vec::new());
        };
        let count = from.same_count(announced, T::LEAST)?;
        T::get_all(count, from)
    }
}

fn put_flat(count: usize, out: &mut Writer<'_>) {
    out.count(count);
    if count > 0 {
        out.referent();
    } else {
        out.u32(0);
    }
}

/// A list of bytes, copied as a whole.
impl Ndr for Octets {
    type Flat = Option<usize>;
    const ALIGN: usize = 4;
    const LEAST: usize = 8;

    fn put_flat(&self, out: &mut Writer<'_>) {
        put_flat(self.0.len(), out);
    }

    fn put_rest(&self, out: &mut Writer<'_>) {
        if !self.0.is_empty() {
            out.count(self.0.len());
            out.octets(&self.0);
        }
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<Option<usize>, Malformed> {
        Vec::<u8>::get_flat(from)
    }

    fn get_rest(announced: Option<usize>, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let Some(announced) = announced else {
            return Ok(Octets::default());
        };
        let count = from.same_count(announced, 1)?;
        from.octets(count).map(|octets| Octets(octets.to_vec()))
    }
}
