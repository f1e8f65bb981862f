//! Capture files in the usual format: pcap with nanoseconds, Ethernet.
//! <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-05.html>

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use super::{Frame, Sink};
use crate::failure::{Failure, Kind, Result};

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const ETHERNET: u32 = 1;
const LONGEST: u32 = 1 << 18;
/// The size of a write. If the disk becomes full, the file is cut after the last complete packet.
const PIECE: usize = 1 << 20;

/// Writes each frame. A full disk ends the writing but not the capture. The file then has only complete packets, and `finish` reports it.
pub struct PcapFile {
    file: File,
    path: PathBuf,
    pending: Vec<u8>,
    pending_packets: u64,
    written: u64,
    failure: Option<io::Error>,
}

impl PcapFile {
    /// Creates a file. An existing one is replaced.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|error| failed(path, "cannot be written", &error))?;
        let mut made = PcapFile::of(file, path);
        let mut header = Vec::with_capacity(24);
        for word in [MAGIC_NANOSECONDS, 0x0004_0002, 0, 0, LONGEST, ETHERNET] {
            header.extend(word.to_le_bytes());
        }
        made.file.write_all(&header).map_err(|error| failed(path, "cannot be written", &error))?;
        Ok(made)
    }

    fn of(file: File, path: &Path) -> Self {
        PcapFile { file, path: path.to_owned(), pending: Vec::new(), pending_packets: 0, written: 0, failure: None }
    }

    /// Flushes everything to disk. Returns the packets written and, if not all could be written, the reason.
    pub fn finish(mut self) -> std::result::Result<u64, (u64, Failure)> {
        self.flush();
        match self.failure {
            None => Ok(self.written),
            Some(error) => {
                let what = format!("holds the first {} packets and no more", self.written);
                Err((self.written, failed(&self.path, &what, &error)))
            }
        }
    }

    fn flush(&mut self) {
        if self.failure.is_some() || self.pending.is_empty() {
            return;
        }
        let whole = self.file.stream_position();
        if let Err(error) = self.file.write_all(&self.pending) {
            // The written part of this piece may end within a packet.
            if let Ok(whole) = whole {
                let _ = self.file.set_len(whole);
            }
            self.failure = Some(error);
        } else {
            self.written += self.pending_packets;
        }
        self.pending.clear();
        self.pending_packets = 0;
    }
}

impl Sink for PcapFile {
    fn frame(&mut self, frame: &Frame<'_>) {
        if self.failure.is_some() {
            return;
        }
        let (seconds, nanoseconds) = (frame.at_ns / 1_000_000_000, frame.at_ns % 1_000_000_000);
        for word in [seconds as u32, nanoseconds as u32, frame.bytes.len() as u32, frame.length as u32] {
            self.pending.extend(word.to_le_bytes());
        }
        self.pending.extend_from_slice(frame.bytes);
        self.pending_packets += 1;
        if self.pending.len() >= PIECE {
            self.flush();
        }
    }
}

fn failed(path: &Path, what: &str, error: &io::Error) -> Failure {
    Failure::new(Kind::File, format!("the capture {} {what}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(bytes: &[u8]) -> Frame<'_> {
        Frame { at_ns: 1_700_000_000_123_456_789, outgoing: true, length: bytes.len(), bytes }
    }

    #[test]
    fn writes_what_dissectors_read() {
        let path = std::env::temp_dir().join(format!("callbench-{}.pcap", std::process::id()));
        let mut file = PcapFile::create(&path).unwrap();
        file.frame(&frame(&[7; 60]));
        assert_eq!(file.finish().ok(), Some(1));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes[..8], [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0]);
        assert_eq!(bytes.len(), 24 + 16 + 60);
        assert_eq!(bytes[24..32], [0x00, 0xf1, 0x53, 0x65, 0x15, 0xcd, 0x5b, 0x07]);
        assert_eq!(bytes[32..36], 60_u32.to_le_bytes());
    }

    #[test]
    fn a_full_disk_is_said_and_the_packets_go_on() {
        // /dev/full behaves like a full disk.
        let file = File::options().write(true).open("/dev/full").unwrap();
        let mut file = PcapFile::of(file, Path::new("/dev/full"));
        for _ in 0..3 {
            file.frame(&frame(&[7; 60]));
        }
        let (written, failure) = file.finish().unwrap_err();
        assert_eq!((written, failure.kind), (0, Kind::File));
        assert!(failure.message.contains("/dev/full holds the first 0 packets"), "{failure}");
        assert!(PcapFile::create(Path::new("/nowhere/x.pcap")).is_err_and(|failure| failure.kind == Kind::File));
    }
}
