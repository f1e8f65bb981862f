//! How fields travel that serde does not know by their Rust type alone: enumerations, and what is null where others are left out.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde::ser::{Error as _, Serializer};
use serde_with::{DeserializeAs, SerializeAs};

use crate::any;

/// The values of an enumeration. A field holds the number, as Protocol Buffers do.
pub trait Enumerated {
    const TYPE: &'static str;
    const NAMES: &'static [&'static str];
    const NUMBERS: &'static [i32];
}

/// Declares an enumeration: names as JSON has them, with their numbers.
#[macro_export]
macro_rules! enumeration {
    ($name:ident $type:literal { $($value:literal = $number:literal),* $(,)? }) => {
        pub struct $name;
        impl $crate::forms::Enumerated for $name {
            const TYPE: &'static str = $type;
            const NAMES: &'static [&'static str] = &[$($value),*];
            const NUMBERS: &'static [i32] = &[$($number),*];
        }
    };
}

/// The form of a number that stands for a value of `E`.
pub struct Named<E>(PhantomData<E>);

impl<E: Enumerated> SerializeAs<i32> for Named<E> {
    fn serialize_as<S: Serializer>(number: &i32, to: S) -> Result<S::Ok, S::Error> {
        match E::NUMBERS.iter().position(|it| it == number) {
            Some(place) => to.serialize_unit_variant(E::TYPE, place as u32, E::NAMES[place]),
            None => Err(S::Error::custom(format_args!("{} has no value {number}", E::TYPE))),
        }
    }
}

impl<'de, E: Enumerated> DeserializeAs<'de, i32> for Named<E> {
    fn deserialize_as<D: Deserializer<'de>>(from: D) -> Result<i32, D::Error> {
        from.deserialize_enum(E::TYPE, E::NAMES, Variant::<E>(PhantomData))
    }
}

struct Variant<E>(PhantomData<E>);

impl<'de, E: Enumerated> Visitor<'de> for Variant<E> {
    type Value = i32;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "a value of {}", E::TYPE)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<i32, A::Error> {
        let (number, variant) = from.variant_seed(Number::<E>(PhantomData))?;
        variant.unit_variant()?;
        Ok(number)
    }
}

struct Number<E>(PhantomData<E>);

impl<'de, E: Enumerated> de::DeserializeSeed<'de> for Number<E> {
    type Value = i32;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<i32, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl<E: Enumerated> Visitor<'_> for Number<E> {
    type Value = i32;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "a value of {}", E::TYPE)
    }

    fn visit_str<X: de::Error>(self, name: &str) -> Result<i32, X> {
        let place = E::NAMES.iter().position(|it| *it == name);
        place.map(|place| E::NUMBERS[place]).ok_or_else(|| X::unknown_variant(name, E::NAMES))
    }

    fn visit_u64<X: de::Error>(self, place: u64) -> Result<i32, X> {
        let number = usize::try_from(place).ok().and_then(|place| E::NUMBERS.get(place));
        number.copied().ok_or_else(|| X::custom(format_args!("{} has no place {place}", E::TYPE)))
    }
}

/// The form of an optional field that is null where it has no value; `F` is that of its value.
pub struct Nullable<F>(PhantomData<F>);

struct Formed<'a, T, F>(&'a T, PhantomData<F>);

impl<T, F: SerializeAs<T>> serde::Serialize for Formed<'_, T, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        F::serialize_as(self.0, to)
    }
}

impl<T, F: SerializeAs<T>> SerializeAs<Option<T>> for Nullable<F> {
    fn serialize_as<S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.serialize_some(&Formed::<T, F>(value, PhantomData)),
            None => any::null(to),
        }
    }
}

impl<'de, T, F: DeserializeAs<'de, T>> DeserializeAs<'de, Option<T>> for Nullable<F> {
    fn deserialize_as<D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        Option::<F>::deserialize_as(from)
    }
}
