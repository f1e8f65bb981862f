//! Bytes: base64 in formats that people read, raw elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserializer, Serializer, de};
use serde_with::{DeserializeAs, SerializeAs};

pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    if to.is_human_readable() { to.serialize_str(&BASE64.encode(bytes)) } else { to.serialize_bytes(bytes) }
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    struct Visit;
    impl de::Visitor<'_> for Visit {
        type Value = Vec<u8>;
        fn expecting(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
            to.write_str("bytes")
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
            BASE64.decode(text).map_err(E::custom)
        }
        fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
        fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }
    }
    if from.is_human_readable() { from.deserialize_str(Visit) } else { from.deserialize_byte_buf(Visit) }
}

/// The form of a field of bytes.
pub struct Octets;

impl SerializeAs<Vec<u8>> for Octets {
    fn serialize_as<S: Serializer>(bytes: &Vec<u8>, to: S) -> Result<S::Ok, S::Error> {
        serialize(bytes, to)
    }
}

impl<'de> DeserializeAs<'de, Vec<u8>> for Octets {
    fn deserialize_as<D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        deserialize(from)
    }
}
