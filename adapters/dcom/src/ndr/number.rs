//! Numbers, booleans and GUIDs.

use super::{Malformed, Ndr, Reader, Writer};
use crate::ids::Guid;

macro_rules! number {
    ($($type:ty),*) => {
        $(impl Ndr for $type {
            type Flat = $type;
            const ALIGN: usize = size_of::<$type>();
            const LEAST: usize = size_of::<$type>();

            #[inline]
            fn put_flat(&self, out: &mut Writer<'_>) {
                out.align(Self::ALIGN);
                out.octets(&self.to_le_bytes());
            }

            #[inline]
            fn get_flat(from: &mut Reader<'_>) -> Result<Self, Malformed> {
                from.align(Self::ALIGN);
                from.array().map(<$type>::from_le_bytes)
            }

            #[inline]
            fn get_rest(flat: Self, _: &mut Reader<'_>) -> Result<Self, Malformed> {
                Ok(flat)
            }

            /// All at once, because they are contiguous.
            fn put_all(items: &[Self], out: &mut Writer<'_>) {
                out.align(Self::ALIGN);
                let room = out.room(size_of_val(items));
                for (place, item) in room.as_chunks_mut().0.iter_mut().zip(items) {
                    *place = item.to_le_bytes();
                }
            }

            fn get_all(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
                from.align(Self::ALIGN);
                let octets = from.octets(count.saturating_mul(Self::LEAST))?;
                Ok(octets.as_chunks().0.iter().map(|octets| <$type>::from_le_bytes(*octets)).collect())
            }
        })*
    };
}
number! { u8, u16, u32, u64, i16, i32, i64, f32, f64 }

/// One byte (C706 14.2.3).
impl Ndr for bool {
    type Flat = bool;
    const ALIGN: usize = 1;
    const LEAST: usize = 1;

    fn put_flat(&self, out: &mut Writer<'_>) {
        out.octets(&[u8::from(*self)]);
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        from.array().map(|[octet]| octet != 0)
    }

    fn get_rest(flat: Self, _: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(flat)
    }
}

/// A structure whose largest member has four bytes.
impl Ndr for Guid {
    type Flat = Guid;
    const ALIGN: usize = 4;
    const LEAST: usize = 16;

    fn put_flat(&self, out: &mut Writer<'_>) {
        out.align(Self::ALIGN);
        out.octets(&self.0);
    }

    fn get_flat(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        from.align(Self::ALIGN);
        from.array().map(Guid)
    }

    fn get_rest(flat: Self, _: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(flat)
    }
}
