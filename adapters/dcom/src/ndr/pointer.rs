//! Optional values: a unique pointer (C706 14.3.10), which is null if the value is absent. And boxes, which are not visible on the wire.

use super::{Malformed, Ndr, Reader, Writer};

/// The first referent of a message: as MIDL's stubs number them.
pub const REFERENT: u32 = 0x0002_0000;

impl<T: Ndr> Ndr for Option<T> {
    type Flat = bool;
    const ALIGN: usize = 4;
    const LEAST: usize = 4;

    fn put_flat(&self, out: &mut Writer<'_>) {
        if self.is_some() {
            out.referent();
        } else {
            out.u32(0);
        }
    }

    fn put_rest(&self, out: &mut Writer<'_>) {
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<bool, Malformed> {
        from.pointer()
    }

    fn get_rest(there: bool, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        if there { T::get(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Ndr> Ndr for Box<T> {
    type Flat = T::Flat;
    const ALIGN: usize = T::ALIGN;
    const LEAST: usize = T::LEAST;

    fn put_flat(&self, out: &mut Writer<'_>) {
        (**self).put_flat(out);
    }

    fn put_rest(&self, out: &mut Writer<'_>) {
        (**self).put_rest(out);
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<T::Flat, Malformed> {
        T::get_flat(from)
    }

    fn get_rest(flat: T::Flat, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        T::get_rest(flat, from).map(Box::new)
    }
}
