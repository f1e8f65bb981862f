//! The programs that the kernel runs for each frame of a direction.
//!
//! `entry` computes when the frame arrives at the other host: after its sending time and the delay, and at least its sending time after the frame
//! before it. The kernel's queue (htb) can only enforce distances between frames: each frame fills some time, and the next one waits. So if a frame
//! must wait, `entry` first sends a copy that only fills time. `trim` gives the copy the length that represents this time. The frame itself fills no
//! time. `exit` drops the copies, counts, and passes the frame to the other host.

use super::code::{Code, Place, Register, STACK, Sum, When, Width};
use super::plan::{BYTE_NS, CREDIT_NS, FILLING_FROM, Plan, STEP_BYTES, STEPS};

/// The indices of the shared numbers, in 64-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shared {
    /// 1 while a program uses the times.
    Lock,
    /// When the last frame arrives.
    Arrives,
    /// When the kernel's queue becomes empty.
    Filled,
    /// How much earlier frames are released, because the kernel releases them late.
    Lead,
    Frames,
    Bytes,
    Left,
    LeftBytes,
    Overflowed,
    /// Frames and bytes that were dropped because the queue was full or the kernel had no memory.
    OverflowedBytes,
    Missed,
}

/// The number of shared words.
pub const SHARED: usize = Shared::Missed as usize + 1;

impl Shared {
    const fn at(self) -> i16 {
        self as i16 * 8
    }
}

/// Members of `struct __sk_buff`.
const LENGTH: i16 = 0;
const MARK: i16 = 8;
const SEGMENT: i16 = 176;
/// Helpers of the kernel.
const NOW: i32 = 5;
const CLONE_REDIRECT: i32 = 13;
const REDIRECT_PEER: i32 = 155;
const LOAD_BYTES: i32 = 26;
const CHANGE_TAIL: i32 = 38;
/// The results of a program.
const GO_ON: i32 = 0;
const DROP: i32 = 2;
const TAKEN: i32 = 4;

/// The last bits of a frame's mark are its type. For a real frame, the rest is its time of arrival.
const FILLS: i32 = 1;
const TO_TRIM: i32 = 2;
const MARK_BITS: i32 = 2;

/// The use of the registers.
const FRAME: Register = 6;
const NOW_NS: Register = 7;
const STATE: Register = 8;
const BYTES: Register = 9;

/// The use of the stack.
const FRAMES_AT: i16 = -8;
const SCRATCH_AT: i16 = -16;
const HEADER_AT: i16 = -24;
const STEPS_AT: i16 = -32;
const ARRIVES_AT: i16 = -40;

/// Attempts to take the lock before the program continues without it. The other processor holds it for about 50 instructions.
const TRIES: i32 = 200;
/// The longest lead, and the largest deviation that is used to learn it, in nanoseconds.
const MOST_LEAD_NS: i32 = 100_000;
const TELLING_NS: i32 = 100_000;
/// A deviation changes the lead by one part in 2^5.
const MEMORY: i32 = 5;

/// Runs when a frame arrives, and sends it to the interface `line`.
#[must_use]
pub fn entry(plan: &Plan, map: i32, line: u32) -> Vec<u64> {
    let mut code = Code::default();
    let full = code.place();
    begin(&mut code, map);
    count(&mut code);
    code.load(Width::Eight, 1, STACK, FRAMES_AT);
    code.add_to(STATE, Shared::Frames.at(), 1);
    code.add_to(STATE, Shared::Bytes.at(), BYTES);
    if plan.takes_time() {
        code.call(NOW);
        code.sum(Sum::Set, NOW_NS, 0);
        lock(&mut code);
        turn_away(&mut code, plan, full);
        time(&mut code, plan);
        unlock(&mut code);
        fill(&mut code, line);
        code.load(Width::Eight, 1, STACK, ARRIVES_AT);
        code.number(Sum::And, 1, -(1 << MARK_BITS));
    } else {
        code.number(Sum::Set, 1, 0);
    }
    send(&mut code, line);
    code.number(Sum::Set, 0, TAKEN);
    code.exit();
    if plan.takes_time() {
        refuse(&mut code, full);
    }
    code.words()
}

/// Handles a frame that finds the queue full.
fn refuse(code: &mut Code, full: Place) {
    code.put(full);
    unlock(code);
    code.load(Width::Eight, 1, STACK, FRAMES_AT);
    code.add_to(STATE, Shared::Overflowed.at(), 1);
    code.add_to(STATE, Shared::OverflowedBytes.at(), BYTES);
    code.number(Sum::Set, 0, DROP);
    code.exit();
}

/// Runs before the queue: sets the length of copies that fill time.
#[must_use]
pub fn trim() -> Vec<u64> {
    let mut code = Code::default();
    let (pass, drop) = (code.place(), code.place());
    code.sum(Sum::Set, FRAME, 1);
    code.load(Width::Four, 2, FRAME, MARK);
    code.sum(Sum::Set, 3, 2);
    code.number(Sum::And, 3, TO_TRIM);
    code.jump_number(When::Equal, 3, 0, pass);
    code.number(Sum::Right, 2, MARK_BITS);
    code.sum(Sum::Set, 1, FRAME);
    code.number(Sum::Set, 3, 0);
    code.call(CHANGE_TAIL);
    code.jump_number(When::Differs, 0, 0, drop);
    code.number(Sum::Set, 1, FILLS);
    code.store(Width::Four, FRAME, MARK, 1);
    code.put(pass);
    code.number(Sum::Set, 0, GO_ON);
    code.exit();
    code.put(drop);
    code.number(Sum::Set, 0, DROP);
    code.exit();
    code.words()
}

/// Runs after the queue: passes frames to the other end of the interface `host`, which is in the host.
#[must_use]
pub fn exit(plan: &Plan, map: i32, host: u32) -> Vec<u64> {
    let mut code = Code::default();
    let drop = code.place();
    begin(&mut code, map);
    code.load(Width::Four, 1, FRAME, MARK);
    code.jump_number(When::AnyBit, 1, FILLS, drop);
    if plan.takes_time() {
        learn(&mut code);
    }
    count(&mut code);
    code.load(Width::Eight, 1, STACK, FRAMES_AT);
    code.add_to(STATE, Shared::Left.at(), 1);
    code.add_to(STATE, Shared::LeftBytes.at(), BYTES);
    code.number(Sum::Set, 1, 0);
    code.store(Width::Four, FRAME, MARK, 1);
    code.number(Sum::Set, 1, host.cast_signed());
    code.number(Sum::Set, 2, 0);
    code.call(REDIRECT_PEER);
    code.exit();
    code.put(drop);
    code.number(Sum::Set, 0, DROP);
    code.exit();
    code.words()
}

fn begin(code: &mut Code, map: i32) {
    code.sum(Sum::Set, FRAME, 1);
    code.value_of(STATE, map);
}

/// Computes how many frames of the line this frame represents, and their bytes, as `Carried` does.
fn count(code: &mut Code) {
    let (single, datagram, known) = (code.place(), code.place(), code.place());
    code.load(Width::Four, BYTES, FRAME, LENGTH);
    code.number(Sum::Set, 1, 1);
    code.store(Width::Eight, STACK, FRAMES_AT, 1);
    code.load(Width::Four, 1, FRAME, SEGMENT);
    code.jump_number(When::Equal, 1, 0, single);
    // The length of IPv4's header, in words of four bytes, after Ethernet's header.
    byte(code, 14, single);
    code.number(Sum::And, 1, 15);
    code.number(Sum::Left, 1, 2);
    code.number(Sum::Add, 1, 14);
    code.store(Width::Eight, STACK, HEADER_AT, 1);
    byte(code, 23, single);
    code.jump_number(When::Equal, 1, libc::IPPROTO_UDP, datagram);
    code.load(Width::Eight, 2, STACK, HEADER_AT);
    code.number(Sum::Add, 2, 12);
    byte_at_2(code, single);
    code.number(Sum::Right, 1, 4);
    code.number(Sum::Left, 1, 2);
    code.jump(known);
    code.put(datagram);
    code.number(Sum::Set, 1, 8);
    code.put(known);
    code.load(Width::Eight, 2, STACK, HEADER_AT);
    code.sum(Sum::Add, 2, 1); // the headers that each segment repeats
    code.sum(Sum::Set, 3, BYTES);
    code.sum(Sum::Less, 3, 2);
    code.load(Width::Four, 1, FRAME, SEGMENT);
    code.sum(Sum::Add, 3, 1);
    code.number(Sum::Less, 3, 1);
    code.sum(Sum::Over, 3, 1);
    code.jump_number(When::Equal, 3, 0, single);
    code.store(Width::Eight, STACK, FRAMES_AT, 3);
    code.number(Sum::Less, 3, 1);
    code.sum(Sum::Times, 3, 2);
    code.sum(Sum::Add, BYTES, 3);
    code.put(single);
}

/// Register 1 = a byte of the frame.
fn byte(code: &mut Code, at: i32, missing: Place) {
    code.number(Sum::Set, 2, at);
    byte_at_2(code, missing);
}

fn byte_at_2(code: &mut Code, missing: Place) {
    code.sum(Sum::Set, 1, FRAME);
    code.sum(Sum::Set, 3, STACK);
    code.number(Sum::Add, 3, i32::from(SCRATCH_AT));
    code.number(Sum::Set, 4, 1);
    code.call(LOAD_BYTES);
    code.jump_number(When::Differs, 0, 0, missing);
    code.load(Width::One, 1, STACK, SCRATCH_AT);
}

fn lock(code: &mut Code) {
    let (again, got) = (code.place(), code.place());
    code.number(Sum::Set, 1, TRIES);
    code.put(again);
    code.number(Sum::Set, 0, 0);
    code.number(Sum::Set, 2, 1);
    code.compare_and_swap(STATE, Shared::Lock.at(), 2);
    code.jump_number(When::Equal, 0, 0, got);
    code.number(Sum::Less, 1, 1);
    code.jump_number(When::Differs, 1, 0, again);
    code.put(got);
}

fn unlock(code: &mut Code) {
    code.number(Sum::Set, 1, 0);
    code.store(Width::Eight, STATE, Shared::Lock.at(), 1);
}

/// Jumps if the line is busy and the queue is full. The frame that is being sent does not count as waiting, but this one does.
fn turn_away(code: &mut Code, plan: &Plan, full: Place) {
    if plan.packets.is_none() && plan.bytes.is_none() {
        return;
    }
    let room = code.place();
    code.wide(1, plan.delay_ns);
    code.sum(Sum::Add, 1, NOW_NS);
    code.load(Width::Eight, 2, STATE, Shared::Arrives.at());
    code.jump_sum(When::AtLeast, 1, 2, room);
    for (most, came, gone) in [
        (plan.packets, Shared::Frames, [Shared::Overflowed, Shared::Left]),
        (plan.bytes, Shared::Bytes, [Shared::OverflowedBytes, Shared::LeftBytes]),
    ] {
        let Some(most) = most else { continue };
        code.load(Width::Eight, 1, STATE, came.at());
        for one in gone {
            code.load(Width::Eight, 2, STATE, one.at());
            code.sum(Sum::Less, 1, 2);
        }
        if came == Shared::Frames {
            code.load(Width::Eight, 2, STATE, Shared::Missed.at());
            code.sum(Sum::Less, 1, 2);
            code.number(Sum::Less, 1, 1);
        }
        code.wide(2, most);
        code.jump_sum(When::Above, 1, 2, full);
    }
    code.put(room);
}

/// Computes when the frame arrives, and how many steps of time must be filled before it.
fn time(code: &mut Code, plan: &Plan) {
    let (later, owing, few, none, set) = (code.place(), code.place(), code.place(), code.place(), code.place());
    // 3: its sending time.
    code.load(Width::Eight, 3, STACK, FRAMES_AT);
    code.number(Sum::Times, 3, plan.overhead as i32);
    code.sum(Sum::Add, 3, BYTES);
    code.wide(1, plan.octet_parts);
    code.sum(Sum::Times, 3, 1);
    code.number(Sum::Right, 3, 20);
    // 4: its time of arrival.
    code.wide(4, plan.delay_ns);
    code.sum(Sum::Add, 4, NOW_NS);
    code.load(Width::Eight, 5, STATE, Shared::Arrives.at());
    code.jump_sum(When::AtLeast, 4, 5, later);
    code.sum(Sum::Set, 4, 5);
    code.put(later);
    code.sum(Sum::Add, 4, 3);
    code.store(Width::Eight, STATE, Shared::Arrives.at(), 4);
    code.store(Width::Eight, STACK, ARRIVES_AT, 4);
    // 5: when the queue becomes empty. A queue that has been empty has some credit.
    code.load(Width::Eight, 5, STATE, Shared::Filled.at());
    code.sum(Sum::Set, 1, NOW_NS);
    code.number(Sum::Less, 1, CREDIT_NS as i32);
    code.jump_sum(When::AtLeast, 5, 1, owing);
    code.sum(Sum::Set, 5, 1);
    code.put(owing);
    // 4: the steps.
    code.load(Width::Eight, 1, STATE, Shared::Lead.at());
    code.sum(Sum::Less, 4, 1);
    code.sum(Sum::Less, 4, 5);
    code.jump_number(When::SignedBelow, 4, plan.step_ns as i32, none);
    code.number(Sum::Over, 4, plan.step_ns as i32);
    code.jump_number(When::AtLeast, 4, i32::from(STEPS), few);
    code.jump(set);
    code.put(none);
    code.number(Sum::Set, 4, 0);
    code.jump(set);
    code.put(few);
    code.number(Sum::Set, 4, i32::from(STEPS) - 1);
    code.put(set);
    code.store(Width::Eight, STACK, STEPS_AT, 4);
    code.number(Sum::Times, 4, plan.step_ns as i32);
    code.sum(Sum::Add, 5, 4);
    code.number(Sum::Add, 5, BYTE_NS as i32);
    code.store(Width::Eight, STATE, Shared::Filled.at(), 5);
}

/// Sends a copy that fills time, if necessary.
fn fill(code: &mut Code, line: u32) {
    let nothing = code.place();
    code.load(Width::Eight, 1, STACK, STEPS_AT);
    code.jump_number(When::Equal, 1, 0, nothing);
    code.number(Sum::Times, 1, STEP_BYTES as i32);
    code.number(Sum::Add, 1, FILLING_FROM as i32);
    code.number(Sum::Left, 1, MARK_BITS);
    code.number(Sum::Add, 1, FILLS + TO_TRIM);
    copy(code, line);
    code.put(nothing);
}

/// Sends the frame, with the mark in register 1. A copy is sent here too, because the frame no longer belongs to its host.
fn send(code: &mut Code, line: u32) {
    let sent = code.place();
    copy(code, line);
    code.jump_number(When::Equal, 0, 0, sent);
    code.load(Width::Eight, 1, STACK, FRAMES_AT);
    code.add_to(STATE, Shared::Missed.at(), 1);
    code.put(sent);
}

/// Sends a copy with the mark in register 1.
fn copy(code: &mut Code, line: u32) {
    code.store(Width::Four, FRAME, MARK, 1);
    code.sum(Sum::Set, 1, FRAME);
    code.number(Sum::Set, 2, line.cast_signed());
    code.number(Sum::Set, 3, 0);
    code.call(CLONE_REDIRECT);
}

/// Adjusts the lead by the lateness of the frame. Its mark is the intended time of arrival.
fn learn(code: &mut Code) {
    let (most, least, keep) = (code.place(), code.place(), code.place());
    code.call(NOW);
    code.load(Width::Four, 1, FRAME, MARK);
    code.sum(Sum::Less, 0, 1);
    code.number(Sum::Left, 0, 32);
    code.number(Sum::SignedRight, 0, 32);
    code.sum(Sum::Set, 1, 0);
    code.number(Sum::Add, 1, TELLING_NS);
    code.jump_number(When::Above, 1, 2 * TELLING_NS, keep);
    code.number(Sum::SignedRight, 0, MEMORY);
    code.load(Width::Eight, 1, STATE, Shared::Lead.at());
    code.sum(Sum::Add, 1, 0);
    code.jump_number(When::SignedBelow, 1, 0, least);
    code.jump_number(When::Above, 1, MOST_LEAD_NS, most);
    let set = code.place();
    code.jump(set);
    code.put(least);
    code.number(Sum::Set, 1, 0);
    code.jump(set);
    code.put(most);
    code.number(Sum::Set, 1, MOST_LEAD_NS);
    code.put(set);
    code.store(Width::Eight, STATE, Shared::Lead.at(), 1);
    code.put(keep);
}

#[cfg(test)]
mod machine;
#[cfg(test)]
mod tests;
