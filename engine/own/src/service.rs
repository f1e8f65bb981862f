//! Writes a service: the types of its calls and of its answers, and all that the engine does with them.

/// Takes the service's name over gRPC, its protocol in Avro, and each call: the name on the wire, its name here, its tag in the envelope, its request and its answer; `echoes` where both are one type.
#[macro_export]
macro_rules! service {
    ($grpc:literal $avro:literal $($name:literal $call:ident $tag:literal ($request:ty) -> $answer:ty $(, $echoes:ident)?;)*) => {
        /// The names of the calls.
        pub const CALLS: &[&str] = &[$($name),*];

        /// The service's name over gRPC, with its package: a call's path is `/GRPC/CALL`.
        pub const GRPC: &str = $grpc;

        /// The service's protocol in Avro, with the names of its JSON.
        pub const AVRO: &str = $avro;

        /// The places of the calls.
        #[repr(usize)]
        enum Place {
            $($call),*
        }

        /// A call.
        #[derive(Clone, PartialEq, $crate::generated::prost::Oneof)]
        pub enum Request {
            $(#[prost(message, boxed, tag = $tag)] $call(Box<$request>),)*
        }

        /// What a call answers.
        #[derive(Clone, PartialEq, $crate::generated::prost::Oneof)]
        pub enum Answer {
            $(#[prost(message, boxed, tag = $tag)] $call(Box<$answer>),)*
        }

        $crate::service!(@both Request $($call)*);
        $crate::service!(@both Answer $($call)*);

        impl Request {
            /// Writes its parameters for serde.
            pub fn write<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct as _;
                match self {
                    $(Request::$call(request) => {
                        let mut fields = to.serialize_struct($name, 1)?;
                        fields.serialize_field($crate::PARAMETER, request)?;
                        fields.end()
                    })*
                }
            }

            /// Reads the parameters of the call at `place`.
            pub fn read<'de, D: serde::Deserializer<'de>>(place: usize, from: D) -> Result<Self, D::Error> {
                $(if place == Place::$call as usize {
                    #[derive(serde::Deserialize)]
                    #[serde(rename = $name)]
                    struct Parameters {
                        request: Box<$request>,
                    }
                    return <Parameters as serde::Deserialize>::deserialize(from).map(|it| Request::$call(it.request));
                })*
                Err(<D::Error as serde::de::Error>::custom("there is no such call"))
            }

            /// A number by which a call is found among many.
            #[must_use]
            pub fn fingerprint(&self) -> u64 {
                use $crate::fingerprint::Fingerprint as _;
                match self {
                    $(Request::$call(request) => request.fingerprint(self.place() as u64),)*
                }
            }

            /// Itself as its own answer, if the call answers what it is asked with.
            #[must_use]
            pub fn echoed(&self) -> Option<Answer> {
                match self {
                    $(Request::$call(_request) => $crate::service!(@echo $call _request $($echoes)?),)*
                }
            }
        }

        impl Answer {
            /// Writes its value for serde.
            pub fn write<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Answer::$call(answer) => serde::Serialize::serialize(answer, to),)*
                }
            }

            /// Reads what the call at `place` answers.
            pub fn read<'de, D: serde::Deserializer<'de>>(place: usize, from: D) -> Result<Self, D::Error> {
                $(if place == Place::$call as usize {
                    return <Box<$answer> as serde::Deserialize>::deserialize(from).map(Answer::$call);
                })*
                Err(<D::Error as serde::de::Error>::custom("there is no such call"))
            }

            /// Whether `found` is the same, as far as constant time allows to see.
            #[must_use]
            pub fn same(&self, found: &Self, turn: u64) -> bool {
                use $crate::same::Same as _;
                match (self, found) {
                    $((Answer::$call(right), Answer::$call(found)) => right.same(found, turn),)*
                    #[allow(unreachable_patterns)]
                    _ => false,
                }
            }

            /// The same but for its last field; None where it has none.
            #[must_use]
            pub fn altered(&self) -> Option<Self> {
                use $crate::altered::Altered as _;
                let mut other = self.clone();
                let changed = match &mut other {
                    $(Answer::$call(answer) => answer.alter(),)*
                };
                changed.then_some(other)
            }
        }
    };
    (@both $type:ident $($call:ident)*) => {
        impl $type {
            /// The place of its call in `CALLS`.
            #[must_use]
            pub fn place(&self) -> usize {
                match self {
                    $($type::$call(_) => Place::$call as usize,)*
                }
            }

            /// Appends it as a field of the envelope of Protocol Buffers.
            pub fn put(&self, out: &mut Vec<u8>) {
                self.encode(out);
            }

            /// Reads a field of the envelope.
            pub fn take(
                field: &mut Option<Self>,
                tag: u32,
                kind: prost::encoding::WireType,
                from: &mut impl prost::bytes::Buf,
                context: prost::encoding::DecodeContext,
            ) -> Result<(), prost::DecodeError> {
                if (tag as usize).checked_sub($crate::FIRST_TAG as usize).is_some_and(|place| place < CALLS.len()) {
                    Self::merge(field, tag, kind, from, context)
                } else {
                    prost::encoding::skip_field(kind, tag, from, context)
                }
            }
        }
    };
    (@echo $call:ident $request:ident echoes) => { Some(Answer::$call($request.clone())) };
    (@echo $call:ident $request:ident) => { None };
}
