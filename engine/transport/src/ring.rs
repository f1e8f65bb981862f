//! A ring of pieces in shared memory: one side writes, the other reads.
//!
//! Calls alternate, so every message starts at slot 0, which stays in both processors' caches. A longer message uses the ring repeatedly while the
//! other side reads it. The stamp of a slot counts its pieces. The reader waits for the next number, and finds a short message in the same cache
//! line. The memory is not trusted: the other side can only cause a wrong message.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};

use callbench_contract::Failure;

use super::line::{Patience, closed, too_large};
use super::rendezvous::Control;
use super::wait::{Wait, changes_soon};
use callbench_contract::endpoint::LIMIT;

/// The bytes of a piece. Small enough that reading overlaps writing, large enough that stamps cost little.
const PIECE: usize = 8 << 10;
const SLOTS: usize = 8;
/// The bytes of one copy step.
const STEP: usize = 1024;
/// What fits beside the stamp and the length in one cache line.
const SHORT: usize = 56;

/// A word in its own two cache lines, because processors fetch them in pairs.
#[repr(C, align(128))]
struct Apart(AtomicU32);

#[repr(C, align(64))]
struct Slot {
    stamp: AtomicU32,
    /// Bytes of the message from here on.
    left: AtomicU32,
    short: UnsafeCell<[u8; SHORT]>,
    long: UnsafeCell<[u8; PIECE]>,
}

/// One direction. All zeros is an empty ring.
#[repr(C)]
pub struct Ring {
    /// The number of pieces read so far, for a writer that reuses slots.
    taken: Apart,
    reader_waits: Apart,
    writer_waits: Apart,
    slots: [Slot; SLOTS],
}

// SAFETY: the stamps order who touches a slot's bytes; a side that breaks the order spoils bytes, which are only ever copied.
unsafe impl Sync for Ring {}

/// The position of one side in a ring.
#[derive(Default)]
pub struct Place {
    /// What each slot's stamp was when this side last used it.
    stamps: [u32; SLOTS],
    /// Pieces passed in all.
    passed: u32,
}

/// Copies in steps for which the C library does not use `rep movsb`. On several AMD processors, that is twenty times slower if the target lies a few
/// bytes after the source modulo 4096, as the memory of a vector may.
///
/// # Safety As for `copy_nonoverlapping`.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, count: usize) {
    // A short message in two overlapping words, without a call: a spinning round trip is shorter than some calls of the C library.
    macro_rules! overlapping {
        ($word:ty) => {{
            // SAFETY: the caller's promise; both words lie within `count` bytes.
            unsafe {
                let last = count - size_of::<$word>();
                let (first, rest) = (from.cast::<$word>().read_unaligned(), from.add(last).cast::<$word>().read_unaligned());
                to.cast::<$word>().write_unaligned(first);
                to.add(last).cast::<$word>().write_unaligned(rest);
            }
        }};
    }
    match count {
        8..=16 => overlapping!(u64),
        17..=32 => overlapping!(u128),
        _ => {
            for at in (0..count).step_by(STEP) {
                // SAFETY: the caller's promise, for a part of the same range.
                unsafe { std::ptr::copy_nonoverlapping(from.add(at), to.add(at), STEP.min(count - at)) };
            }
        }
    }
}

/// Copies a message into the ring. It waits for the reader if the message does not fit.
#[inline]
pub fn write<W: Wait>(ring: &Ring, place: &mut Place, message: &[u8], patience: &mut Patience, control: &Control) -> Result<(), Failure> {
    if message.len() <= SHORT {
        // The same as below for the one piece that most messages are; a spinning round trip is so short that the loop shows in it.
        let slot = &ring.slots[0];
        // SAFETY: as below.
        unsafe { copy(message.as_ptr(), slot.short.get().cast::<u8>(), message.len()) };
        slot.left.store(message.len() as u32, Ordering::Relaxed);
        pass::<W>(ring, place, 0);
        return Ok(());
    }
    let (announced, mut rest) = if message.len() > LIMIT { (u32::MAX, &message[..0]) } else { (message.len() as u32, message) };
    let (mut number, mut left) = (0, announced);
    loop {
        if number >= SLOTS {
            room::<W>(ring, place.passed.wrapping_sub(SLOTS as u32), patience, control)?;
        }
        let slot = &ring.slots[number % SLOTS];
        let (piece, after) = rest.split_at(rest.len().min(PIECE));
        let into = if piece.len() <= SHORT { slot.short.get().cast::<u8>() } else { slot.long.get().cast::<u8>() };
        // SAFETY: a piece is at most as long as the field chosen for it, and lies outside the shared memory.
        unsafe { copy(piece.as_ptr(), into, piece.len()) };
        slot.left.store(left, Ordering::Relaxed);
        pass::<W>(ring, place, number);
        (number, rest, left) = (number + 1, after, left.saturating_sub(piece.len() as u32));
        if rest.is_empty() {
            return if announced == u32::MAX { Err(too_large(message.len(), LIMIT)) } else { Ok(()) };
        }
    }
}

/// Signals the piece in slot `number` to the reader.
#[inline]
fn pass<W: Wait>(ring: &Ring, place: &mut Place, number: usize) {
    let (slot, stamp) = (&ring.slots[number % SLOTS], &mut place.stamps[number % SLOTS]);
    *stamp = stamp.wrapping_add(1);
    slot.stamp.store(*stamp, Ordering::Release);
    W::wake(&slot.stamp, &ring.reader_waits.0);
    place.passed = place.passed.wrapping_add(1);
}

/// Waits until the reader has taken more than `count` pieces.
fn room<W: Wait>(ring: &Ring, count: u32, patience: &mut Patience, control: &Control) -> Result<(), Failure> {
    loop {
        let taken = ring.taken.0.load(Ordering::Acquire);
        if taken.wrapping_sub(count) as i32 > 0 {
            return Ok(());
        }
        if !changes_soon(&ring.taken.0, taken) {
            let slice = patience.slice();
            W::wait(&ring.taken.0, taken, &ring.writer_waits.0, slice);
            if ring.taken.0.load(Ordering::Acquire) == taken {
                control.check()?;
                patience.wasted(slice)?;
            }
        }
    }
}

/// Copies a message out of the ring. `into` grows with what came, not with what was announced.
#[inline]
pub fn read<W: Wait>(
    ring: &Ring,
    place: &mut Place,
    into: &mut Vec<u8>,
    patience: &mut Patience,
    control: &Control,
) -> Result<(), Failure> {
    into.clear();
    let (mut number, mut left) = (0, None);
    loop {
        let slot = &ring.slots[number % SLOTS];
        stamped::<W>(ring, slot, place.stamps[number % SLOTS], number > 0, patience, control)?;
        let said = slot.left.load(Ordering::Relaxed) as usize;
        if number == 0 && said <= SHORT {
            // The same as below for the one piece that most messages are.
            into.reserve(SHORT);
            // SAFETY: as below; the whole field is copied, which is quicker than asking how much of it counts.
            unsafe {
                std::ptr::copy_nonoverlapping(slot.short.get().cast::<u8>(), into.as_mut_ptr(), SHORT);
                into.set_len(said);
            }
            place.stamps[0] = place.stamps[0].wrapping_add(1);
            place.passed = place.passed.wrapping_add(1);
            return Ok(());
        }
        if said > LIMIT {
            return Err(too_large(said, LIMIT));
        }
        if left.is_some_and(|left| left != said) {
            return Err(Failure::protocol("the pieces of a message in shared memory do not fit together"));
        }
        let piece = said.min(PIECE);
        let from = if piece <= SHORT { slot.short.get().cast::<u8>() } else { slot.long.get().cast::<u8>() };
        into.reserve(piece);
        // SAFETY: a piece is at most as long as the field it is in, `into` has just reserved that much, and its memory is its own.
        // The writer may, against the rules, write meanwhile; then these bytes are wrong, as bytes may be.
        unsafe {
            copy(from, into.as_mut_ptr().add(into.len()), piece);
            into.set_len(into.len() + piece);
        }
        let stamp = &mut place.stamps[number % SLOTS];
        *stamp = stamp.wrapping_add(1);
        place.passed = place.passed.wrapping_add(1);
        let over = said == piece;
        if over {
            return Ok(());
        }
        // The last piece need not be signalled: no writer waits for its slot before the answer.
        ring.taken.0.store(place.passed, Ordering::Release);
        W::wake(&ring.taken.0, &ring.writer_waits.0);
        (number, left) = (number + 1, Some(said - piece));
    }
}

/// Waits until `slot` contains a piece after the one with stamp `last`. The first piece of a message can take any time; with `soon`, the piece is on
/// its way.
#[inline]
fn stamped<W: Wait>(ring: &Ring, slot: &Slot, last: u32, soon: bool, patience: &mut Patience, control: &Control) -> Result<(), Failure> {
    if slot.stamp.load(Ordering::Acquire) != last || W::SPINS && changes_soon(&slot.stamp, last) {
        return Ok(());
    }
    let mut gone = false;
    while slot.stamp.load(Ordering::Acquire) == last {
        if soon && changes_soon(&slot.stamp, last) {
            break;
        }
        if gone {
            return Err(closed());
        }
        let slice = patience.slice();
        W::wait(&slot.stamp, last, &ring.reader_waits.0, slice);
        if slot.stamp.load(Ordering::Acquire) == last {
            // The other side may have answered before it ended: checks the slot once more.
            gone = control.hung_up();
            patience.wasted(slice)?;
        }
    }
    Ok(())
}
