//! The parts of the system call bpf(2) that the shaper needs.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;

const MAP_CREATE: libc::c_int = 0;
const MAP_LOOKUP: libc::c_int = 1;
const MAP_UPDATE: libc::c_int = 2;
const PROGRAM_LOAD: libc::c_int = 5;
const ARRAY: u32 = 2;
const CLASSIFIER: u32 = 3;
/// The programs call no function that requires a GPL licence.
const LICENSE: &[u8] = b"Apache-2.0\0";
const LOG: usize = 1 << 16;

/// The argument of the system call: the beginning of `union bpf_attr`. Unused words are zero.
type Words = [u64; 16];

fn bpf(command: libc::c_int, words: &mut Words) -> nix::Result<libc::c_long> {
    // SAFETY: the kernel reads and writes at most the words, and the buffers of the stated lengths that they point at.
    Errno::result(unsafe { libc::syscall(libc::SYS_bpf, command, words.as_mut_ptr(), size_of::<Words>()) })
}

fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// An array with one value of `bytes` bytes, shared by programs and this process.
pub fn map(bytes: u32) -> nix::Result<OwnedFd> {
    let mut words = Words::default();
    words[..2].copy_from_slice(&[two(ARRAY, 4), two(bytes, 1)]);
    let made = bpf(MAP_CREATE, &mut words)?;
    // SAFETY: the descriptor was just made, and is ours.
    Ok(unsafe { OwnedFd::from_raw_fd(made as i32) })
}

/// The value of a map.
pub fn value<const N: usize>(map: &OwnedFd) -> nix::Result<[u64; N]> {
    let (key, mut value) = (0_u32, [0_u64; N]);
    let mut words = Words::default();
    words[..3].copy_from_slice(&[map.as_raw_fd() as u64, (&raw const key) as u64, value.as_mut_ptr() as u64]);
    bpf(MAP_LOOKUP, &mut words)?;
    Ok(value)
}

/// Sets the value of a map.
pub fn set<const N: usize>(map: &OwnedFd, value: &[u64; N]) -> nix::Result<()> {
    let key = 0_u32;
    let mut words = Words::default();
    words[..3].copy_from_slice(&[map.as_raw_fd() as u64, (&raw const key) as u64, value.as_ptr() as u64]);
    bpf(MAP_UPDATE, &mut words).map(drop)
}

/// Loads a program that handles frames. On failure, the text says why the kernel refused it.
pub fn program(code: &[u64]) -> Result<OwnedFd, (Errno, String)> {
    let load = |log: &mut [u8]| {
        let mut words = Words::default();
        words[0] = two(CLASSIFIER, code.len() as u32);
        words[1] = code.as_ptr() as u64;
        words[2] = LICENSE.as_ptr() as u64;
        if !log.is_empty() {
            words[3] = two(1, log.len() as u32);
            words[4] = log.as_mut_ptr() as u64;
        }
        // SAFETY: the descriptor was just made, and is ours.
        bpf(PROGRAM_LOAD, &mut words).map(|made| unsafe { OwnedFd::from_raw_fd(made as i32) })
    };
    load(&mut []).or_else(|_| {
        let mut log = vec![0; LOG];
        load(&mut log).map_err(|error| {
            let end = log.iter().position(|it| *it == 0).unwrap_or(log.len());
            (error, String::from_utf8_lossy(&log[..end]).into_owned())
        })
    })
}
