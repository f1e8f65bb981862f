//! Unguessable random bits: names of rendezvous, ids of clients.

use std::fs::File;
use std::io::{self, Read};

pub fn octets() -> io::Result<[u8; 16]> {
    let mut octets = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut octets)?;
    Ok(octets)
}

/// The same as 32 hexadecimal digits.
pub fn name() -> io::Result<String> {
    octets().map(|octets| format!("{:032x}", u128::from_le_bytes(octets)))
}
