//! prost as generated messages use it, with maps as protobuf's own compilers write them.
//!
//! prost leaves out a key or a value of a map that is zero or empty. The classes of protoc write both, always, in every language; so a
//! message would be shorter here than what its users send.

pub use prost::*;

/// prost's, but for maps.
pub mod encoding {
    pub use prost::encoding::*;

    /// Maps in the order of their keys.
    pub mod btree_map {
        use std::collections::BTreeMap;

        use prost::bytes::BufMut;
        pub use prost::encoding::btree_map::merge;
        use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};

        const KEY: u32 = 1;
        const VALUE: u32 = 2;

        /// Writes a map: a message of a key and a value for each entry.
        pub fn encode<K, V, B: BufMut>(
            write_key: impl Fn(u32, &K, &mut B),
            key_size: impl Fn(u32, &K) -> usize,
            write_value: impl Fn(u32, &V, &mut B),
            value_size: impl Fn(u32, &V) -> usize,
            tag: u32,
            entries: &BTreeMap<K, V>,
            out: &mut B,
        ) {
            for (key, value) in entries {
                encode_key(tag, WireType::LengthDelimited, out);
                encode_varint((key_size(KEY, key) + value_size(VALUE, value)) as u64, out);
                write_key(KEY, key, out);
                write_value(VALUE, value, out);
            }
        }

        /// The bytes that `encode` writes.
        pub fn encoded_len<K, V>(
            key_size: impl Fn(u32, &K) -> usize,
            value_size: impl Fn(u32, &V) -> usize,
            tag: u32,
            entries: &BTreeMap<K, V>,
        ) -> usize {
            let size = |(key, value): (&K, &V)| {
                let entry = key_size(KEY, key) + value_size(VALUE, value);
                key_len(tag) + encoded_len_varint(entry as u64) + entry
            };
            entries.iter().map(size).sum()
        }
    }
}
