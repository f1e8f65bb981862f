//! Capture files: reads `pcap` and `pcapng`, writes `pcap`.

use std::fmt;
use std::io::{self, Read, Write};

use pcap_parser::{Block, PcapBlockOwned, PcapError, create_reader};

use crate::frame::Link;
use crate::ledger::Ledger;

/// The longest block. Linux captures at most 256 KiB of a frame.
const BUFFER: usize = 1 << 20;
const ETHERNET: i32 = 1;

/// Why a file could not be read.
#[derive(Debug)]
pub enum CaptureError {
    /// It is not a capture file, or it is damaged. `frames` is how many frames were read before.
    Damaged {
        frames: u64,
        what: String,
    },
    /// The link type is not supported.
    Link(i32),
    Io(io::Error),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { frames: 0, what } => write!(f, "is no capture in the format pcap or pcapng ({what})"),
            Self::Damaged { frames, what } => write!(f, "is damaged after {frames} frames ({what})"),
            Self::Link(number) => {
                write!(f, "has frames of link type {number}; Ethernet, raw IP, loopback and Linux cooked ones are understood")
            }
            Self::Io(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

impl std::error::Error for CaptureError {}

/// One interface of a capture.
#[derive(Clone, Copy)]
struct Interface {
    link: i32,
    /// Time units per second.
    resolution: u64,
    offset_s: i64,
}

/// Adds every frame of a capture to the ledger. Returns how many there were.
pub fn book<R: Read + Send>(source: R, ledger: &mut Ledger) -> Result<u64, CaptureError> {
    let mut frames = 0;
    read(source, |at_ns, link, frame, wire_bytes| {
        frames += 1;
        ledger.frame(at_ns, link, frame, wire_bytes);
    })
    .map(|()| frames)
}

/// Passes every frame to `each`: its time in nanoseconds, its link type, the captured bytes, and its length on the wire.
pub fn read<R: Read + Send>(source: R, mut each: impl FnMut(u64, Link, &[u8], usize)) -> Result<(), CaptureError> {
    let mut frames = 0;
    let mut reader = create_reader(BUFFER, source).map_err(|error| trouble(0, &error))?;
    let mut interfaces: Vec<Interface> = Vec::new();
    loop {
        match reader.next() {
            Ok((consumed, block)) => {
                frames += u64::from(take(&block, &mut interfaces, &mut each)?);
                reader.consume(consumed);
            }
            Err(PcapError::Eof) => return Ok(()),
            Err(PcapError::Incomplete(_)) => {
                reader.refill().map_err(|error| trouble(frames, &error))?;
            }
            Err(PcapError::UnexpectedEof) => {
                return Err(CaptureError::Damaged { frames, what: "it ends in the middle of a frame".to_owned() });
            }
            Err(error) => return Err(trouble(frames, &error)),
        }
    }
}

fn trouble(frames: u64, error: &PcapError<&[u8]>) -> CaptureError {
    match error {
        PcapError::ReadError => CaptureError::Io(io::Error::other("the file could not be read on")),
        other => CaptureError::Damaged { frames, what: other.to_string() },
    }
}

/// Handles one block. Returns whether it was a frame.
fn take(
    block: &PcapBlockOwned<'_>,
    interfaces: &mut Vec<Interface>,
    each: &mut impl FnMut(u64, Link, &[u8], usize),
) -> Result<bool, CaptureError> {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            let resolution = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
            interfaces.push(Interface { link: header.network.0, resolution, offset_s: 0 });
        }
        PcapBlockOwned::Legacy(frame) => {
            let Some(interface) = interfaces.first() else { return Ok(false) };
            let part_ns = u64::from(frame.ts_usec) * (1_000_000_000 / interface.resolution);
            each(
                u64::from(frame.ts_sec) * 1_000_000_000 + part_ns,
                link(interface.link)?,
                cut(frame.data, frame.caplen),
                frame.origlen as usize,
            );
            return Ok(true);
        }
        // A new section has its own interfaces.
        PcapBlockOwned::NG(Block::SectionHeader(_)) => interfaces.clear(),
        PcapBlockOwned::NG(Block::InterfaceDescription(described)) => {
            let resolution = described.ts_resolution().unwrap_or(1_000_000);
            interfaces.push(Interface { link: described.linktype.0, resolution, offset_s: described.ts_offset() });
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(frame)) => {
            let Some(interface) = interfaces.get(frame.if_id as usize) else { return Ok(false) };
            let units = (u64::from(frame.ts_high) << 32) | u64::from(frame.ts_low);
            let ns = u128::from(units) * 1_000_000_000 / u128::from(interface.resolution.max(1));
            let offset_ns = i128::from(interface.offset_s) * 1_000_000_000;
            let at_ns = u64::try_from(i128::try_from(ns).unwrap_or(i128::MAX).saturating_add(offset_ns)).unwrap_or(0);
            each(at_ns, link(interface.link)?, cut(frame.data, frame.caplen), frame.origlen as usize);
            return Ok(true);
        }
        PcapBlockOwned::NG(Block::SimplePacket(frame)) => {
            let Some(interface) = interfaces.first() else { return Ok(false) };
            each(0, link(interface.link)?, cut(frame.data, frame.origlen), frame.origlen as usize);
            return Ok(true);
        }
        PcapBlockOwned::NG(_) => {}
    }
    Ok(false)
}

fn link(number: i32) -> Result<Link, CaptureError> {
    Link::of(number).ok_or(CaptureError::Link(number))
}

/// A frame without the padding of its block.
fn cut(data: &[u8], length: u32) -> &[u8] {
    data.get(..length as usize).unwrap_or(data)
}

/// Writes a capture of Ethernet frames with times in nanoseconds (the libpcap format of draft-ietf-opsawg-pcap).
pub struct Writer<W: Write> {
    to: W,
}

impl<W: Write> Writer<W> {
    /// Writes the header of the file. `longest` is the maximum that is kept of a frame.
    pub fn new(mut to: W, longest: u32) -> io::Result<Self> {
        to.write_all(&0xa1b2_3c4d_u32.to_le_bytes())?;
        for half in [2_u16, 4] {
            to.write_all(&half.to_le_bytes())?;
        }
        for word in [0, 0, longest, ETHERNET as u32] {
            to.write_all(&word.to_le_bytes())?;
        }
        Ok(Self { to })
    }

    /// Writes one frame. `frame` is the captured part of `wire_bytes`.
    pub fn frame(&mut self, at_ns: u64, frame: &[u8], wire_bytes: usize) -> io::Result<()> {
        let (seconds, rest) = (at_ns / 1_000_000_000, at_ns % 1_000_000_000);
        for word in [seconds as u32, rest as u32, frame.len() as u32, wire_bytes as u32] {
            self.to.write_all(&word.to_le_bytes())?;
        }
        self.to.write_all(frame)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
