//! The size of the heap, as far as the allocator reports it.

/// Bytes in use, in the heap and in separate mappings. Only GNU's C library reports them.
#[must_use]
pub fn used_bytes() -> Option<u64> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it reads the allocator's statistics, under the allocator's locks.
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
        // Far more than concurrent tests can free.
        const HELD: u64 = 256 << 20;
        let before = super::used_bytes().expect("a figure");
        // Prevents the optimiser from removing the block.
        let block = std::hint::black_box(vec![1_u8; HELD as usize]);
        let with = super::used_bytes().expect("a figure");
        drop(block);
        let after = super::used_bytes().expect("a figure");
        assert!(with > before + HELD / 2, "{before} {with}");
        assert!(after < with - HELD / 2, "{with} {after}");
    }
}
