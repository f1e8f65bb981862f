//! What the allocator has given out: the heap, as far as this runtime can say.

/// Bytes in use, in the heap and in mappings of their own. With another C library than GNU's nobody can say.
#[must_use]
pub fn used_bytes() -> Option<u64> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it reads the allocator's own books, under the allocator's locks.
        let books = unsafe { libc::mallinfo2() };
        Some((books.uordblks + books.hblkhd) as u64)
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    None
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_is_held_is_counted_and_what_is_let_go_is_not() {
        // Far more than the tests beside this one can give back meanwhile.
        const HELD: u64 = 256 << 20;
        let before = super::used_bytes().expect("a figure");
        // An optimiser would leave out what nobody looks at.
        let block = std::hint::black_box(vec![1_u8; HELD as usize]);
        let with = super::used_bytes().expect("a figure");
        drop(block);
        let after = super::used_bytes().expect("a figure");
        assert!(with > before + HELD / 2, "{before} {with}");
        assert!(after < with - HELD / 2, "{with} {after}");
    }
}
