//! Structures: their members, one after the other, at the alignment of the greatest (C706 14.3.6).

/// The greatest of some alignments.
#[must_use]
pub const fn greatest(of: &[usize]) -> usize {
    let (mut most, mut at) = (1, 0);
    while at < of.len() {
        if of[at] > most {
            most = of[at];
        }
        at += 1;
    }
    most
}

/// Implements `Ndr` for a struct whose members implement it, in the given order.
macro_rules! record {
    ($($type:ident { $($field:ident: $member:ty),* $(,)? })*) => {
        $(impl $crate::ndr::Ndr for $type {
            type Flat = ($(<$member as $crate::ndr::Ndr>::Flat,)*);
            const ALIGN: usize = $crate::ndr::greatest(&[$(<$member as $crate::ndr::Ndr>::ALIGN),*]);
            const LEAST: usize = 0 $(+ <$member as $crate::ndr::Ndr>::LEAST)*;

            fn put_flat(&self, out: &mut $crate::ndr::Writer<'_>) {
                out.align(Self::ALIGN);
                $(self.$field.put_flat(out);)*
            }

            fn put_rest(&self, out: &mut $crate::ndr::Writer<'_>) {
                $(self.$field.put_rest(out);)*
            }

            fn get_flat(from: &mut $crate::ndr::Reader<'_>) -> Result<Self::Flat, $crate::ndr::Malformed> {
                from.align(Self::ALIGN);
                Ok(($(<$member as $crate::ndr::Ndr>::get_flat(from)?,)*))
            }

            fn get_rest(flat: Self::Flat, from: &mut $crate::ndr::Reader<'_>) -> Result<Self, $crate::ndr::Malformed> {
                let ($($field,)*) = flat;
                $(let $field = <$member as $crate::ndr::Ndr>::get_rest($field, from)?;)*
                Ok($type { $($field),* })
            }
        })*
    };
}
pub(crate) use record;
