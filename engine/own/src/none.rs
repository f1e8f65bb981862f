// No service: what has no values is never made, and the compiler leaves out all that would be done with it.

use prost::DecodeError;
use prost::bytes::Buf;
use prost::encoding::{DecodeContext, WireType, skip_field};
use serde::de::Error;
use serde::{Deserializer, Serializer};

/// The names of the calls.
pub const CALLS: &[&str] = &[];

/// The service's name over gRPC: there is none.
pub const GRPC: &str = "";

/// The service's protocol in Avro: there is none.
pub const AVRO: &str = "";

/// Writes a type without values, for a request and for an answer.
macro_rules! nothing {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {}

        impl $name {
            /// The place of its call in `CALLS`.
            #[must_use]
            pub fn place(&self) -> usize {
                match *self {}
            }

            /// Writes it for serde.
            pub fn write<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                match *self {}
            }

            /// Reads that of the call at `place`.
            pub fn read<'de, D: Deserializer<'de>>(_: usize, _: D) -> Result<Self, D::Error> {
                Err(D::Error::custom("there is no call"))
            }

            /// Appends it as a field of the envelope of Protocol Buffers.
            pub fn put(&self, _: &mut Vec<u8>) {
                match *self {}
            }

            /// Reads a field of the envelope.
            pub fn take(
                _: &mut Option<Self>,
                tag: u32,
                kind: WireType,
                from: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), DecodeError> {
                skip_field(kind, tag, from, context)
            }
        }
    };
}

nothing! {
    /// A call: there is none.
    Request
}
nothing! {
    /// What a call answers: nothing does.
    Answer
}

impl Request {
    /// A number by which a call is found among many.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        match *self {}
    }

    /// Itself as its own answer, if the call answers what it is asked with.
    #[must_use]
    pub fn echoed(&self) -> Option<Answer> {
        match *self {}
    }
}

impl Answer {
    /// Whether `found` is the same, as far as constant time allows to see.
    #[must_use]
    pub fn same(&self, _: &Self, _: u64) -> bool {
        match *self {}
    }

    /// The same but for its last field; None where it has none.
    #[must_use]
    pub fn altered(&self) -> Option<Self> {
        match *self {}
    }
}
