//! prost as generated messages use it, with maps and -0.0 as protobuf's own compilers write them.
//!
//! prost leaves out a key or a value of a map that is zero or empty, and a number of -0.0. The classes of protoc write them, always, in every
//! language; so a message would be shorter here than what its users send.

pub use prost::*;

/// prost's, but for maps and numbers with a fraction.
pub mod encoding {
    pub use prost::encoding::*;

    /// What stands in for groups, which no generated message has. prost's derive writes their code around whatever type a field has, so that this is
    /// where a number with a fraction is left out: if it is zero, but not if it is -0.0.
    pub mod group {
        use prost::DecodeError;
        use prost::bytes::{Buf, BufMut};
        use prost::encoding::{DecodeContext, WireType};

        /// A number with a fraction.
        pub trait Number {
            fn encode(&self, tag: u32, out: &mut impl BufMut);
            fn encoded_len(&self, tag: u32) -> usize;
            fn merge(&mut self, wire_type: WireType, from: &mut impl Buf, context: DecodeContext) -> Result<(), DecodeError>;
        }

        macro_rules! number {
            ($number:ident $module:ident) => {
                impl Number for $number {
                    fn encode(&self, tag: u32, out: &mut impl BufMut) {
                        if self.to_bits() != 0 {
                            prost::encoding::$module::encode(tag, self, out);
                        }
                    }

                    fn encoded_len(&self, tag: u32) -> usize {
                        if self.to_bits() == 0 { 0 } else { prost::encoding::$module::encoded_len(tag, self) }
                    }

                    fn merge(&mut self, wire_type: WireType, from: &mut impl Buf, context: DecodeContext) -> Result<(), DecodeError> {
                        prost::encoding::$module::merge(wire_type, self, from, context)
                    }
                }
            };
        }

        number!(f32 float);
        number!(f64 double);

        /// Writes a number, unless it is left out.
        pub fn encode(tag: u32, number: &impl Number, out: &mut impl BufMut) {
            number.encode(tag, out);
        }

        /// The bytes that `encode` writes.
        pub fn encoded_len(tag: u32, number: &impl Number) -> usize {
            number.encoded_len(tag)
        }

        /// Reads a number.
        pub fn merge(
            _tag: u32,
            wire_type: WireType,
            number: &mut impl Number,
            from: &mut impl Buf,
            context: DecodeContext,
        ) -> Result<(), DecodeError> {
            number.merge(wire_type, from, context)
        }
    }

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
