//! The compressor and the level that a client asks for: its options, and the user word with which its requests pass them to the server.
//!
//! The first byte of the word is the flag of the compressor, the second byte is the level. The vendor's clients always send zero. Zero and
//! every unknown word mean zlib at its default level.

use callbench_kit::stack::Options;
use callbench_kit::{Failure, Kind};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    Zlib,
    Zstd,
    Lz4,
}

const ALL: [Compressor; 3] = [Compressor::Zlib, Compressor::Zstd, Compressor::Lz4];

impl Compressor {
    /// The header's flag: the vendor's for zlib, ours for the others.
    pub fn flag(self) -> u8 {
        match self {
            Compressor::Zlib => 1,
            Compressor::Zstd => 2,
            Compressor::Lz4 => 4,
        }
    }

    /// The compressor with this flag.
    pub fn of(flag: u8) -> Option<Self> {
        ALL.into_iter().find(|it| it.flag() == flag)
    }

    fn name(self) -> &'static str {
        match self {
            Compressor::Zlib => "zlib",
            Compressor::Zstd => "zstd",
            Compressor::Lz4 => "lz4",
        }
    }

    /// The possible levels and the default level. LZ4 frames have only one level.
    fn levels(self) -> (std::ops::RangeInclusive<u8>, u8) {
        match self {
            Compressor::Zlib => (0..=9, 6),
            Compressor::Zstd => (1..=22, 3),
            Compressor::Lz4 => (0..=0, 0),
        }
    }
}

/// A compressor and its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    pub compressor: Compressor,
    pub level: u8,
}

impl Default for Compression {
    fn default() -> Self {
        Compression { compressor: Compressor::Zlib, level: Compressor::Zlib.levels().1 }
    }
}

impl Compression {
    /// Reads the options `compressor` and `level`. None if neither is given.
    pub fn read(options: &Options) -> Result<Option<Self>, Failure> {
        let (named, level) = (options.get("compressor"), options.get("level"));
        if named.is_none() && level.is_none() {
            return Ok(None);
        }
        let compressor = match named {
            None => Compressor::Zlib,
            Some(value) => ALL
                .into_iter()
                .find(|it| value.as_str() == Some(it.name()))
                .ok_or_else(|| bad(format!("option compressor is {value}: it must be zlib, zstd or lz4")))?,
        };
        let (levels, default) = compressor.levels();
        let level = match level.map(Value::as_u64) {
            None => default,
            Some(Some(level)) if u8::try_from(level).is_ok_and(|level| levels.contains(&level)) => level as u8,
            Some(_) if levels.end() == &0 => {
                return Err(bad("option level is for zlib and zstd: lz4 has one level".to_owned()));
            }
            Some(_) => {
                let (least, most) = (levels.start(), levels.end());
                return Err(bad(format!("option level of {} must be a whole number from {least} to {most}", compressor.name())));
            }
        };
        Ok(Some(Compression { compressor, level }))
    }

    /// The user word that requests this compression.
    pub fn word(self) -> [u8; 2] {
        if self == Compression::default() { [0, 0] } else { [self.compressor.flag(), self.level] }
    }

    /// The compression that the user word of a request stands for.
    pub fn of(word: [u8; 2]) -> Self {
        Compressor::of(word[0])
            .filter(|it| it.levels().0.contains(&word[1]))
            .map_or_else(Compression::default, |compressor| Compression { compressor, level: word[1] })
    }
}

fn bad(sentence: String) -> Failure {
    Failure::new(Kind::BadRequest, sentence)
}
