//! A small version of the kernel's virtual machine for tests, with the features that the programs use.

use std::collections::HashMap;

/// The addresses in the machine's memory.
const CONTEXT: u64 = 1 << 32;
const STACK_END: u64 = 2 << 32;
const STATE: u64 = 3 << 32;

/// A frame as a program sees it.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub length: u32,
    pub mark: u32,
    pub segment: u32,
    pub bytes: Vec<u8>,
}

/// A machine with the memory that two programs share.
#[derive(Default)]
pub struct Machine {
    pub state: HashMap<u64, u64>,
    pub now_ns: u64,
    /// The marks of the copies that were sent.
    pub copies: Vec<u32>,
    /// The new length of a frame.
    pub changed: Option<u64>,
}

impl Machine {
    /// A number that the programs share.
    pub fn shared(&self, which: super::Shared) -> u64 {
        self.state.get(&(which as u64 * 8)).copied().unwrap_or(0)
    }

    /// Runs a program for a frame. Returns its result.
    pub fn run(&mut self, code: &[u64], frame: &mut Frame) -> u64 {
        let (mut register, mut stack, mut at) = ([0_u64; 11], HashMap::new(), 0);
        (register[1], register[10]) = (CONTEXT, STACK_END);
        for _ in 0..10_000 {
            let word = code[at];
            let (operation, to, from) = (word as u8, (word >> 8 & 15) as usize, (word >> 12 & 15) as usize);
            let (offset, number) = (i64::from((word >> 16) as i16), i64::from((word >> 32) as i32));
            let operand = if operation & 8 == 0 { number as u64 } else { register[from] };
            let target = |base: u64| base.wrapping_add(offset as u64);
            at += 1;
            match operation {
                0x95 => return register[0],
                0x85 => register[0] = self.help(number, &register, frame, &mut stack),
                0x18 => {
                    register[to] = if from == 2 { STATE } else { (word >> 32) | (code[at] >> 32 << 32) };
                    at += 1;
                }
                0x61 | 0x71 | 0x79 => register[to] = self.load(target(register[from]), frame, &stack),
                0x63 | 0x7b => self.store(target(register[to]), register[from], frame, &mut stack),
                0xdb => {
                    let place = target(register[to]);
                    let old = self.load(place, frame, &stack);
                    let new = if number == 0 { old.wrapping_add(register[from]) } else { register[from] };
                    if number == 0 || old == register[0] {
                        self.store(place, new, frame, &mut stack);
                    }
                    if number != 0 {
                        register[0] = old;
                    }
                }
                _ if operation & 7 == 7 => register[to] = calculated(operation & 0xf0, register[to], operand),
                _ if operation & 7 == 5 => {
                    if jumps(operation & 0xf0, register[to], operand) {
                        at = (at as i64 + offset) as usize;
                    }
                }
                other => panic!("no such instruction: {other:#x}"),
            }
        }
        panic!("the program does not end");
    }

    fn load(&self, place: u64, frame: &Frame, stack: &HashMap<u64, u64>) -> u64 {
        match place {
            CONTEXT => u64::from(frame.length),
            _ if place == CONTEXT + 8 => u64::from(frame.mark),
            _ if place == CONTEXT + 176 => u64::from(frame.segment),
            _ if place >= STATE => self.state.get(&(place - STATE)).copied().unwrap_or(0),
            _ => stack[&place],
        }
    }

    fn store(&mut self, place: u64, value: u64, frame: &mut Frame, stack: &mut HashMap<u64, u64>) {
        if place >= STATE {
            self.state.insert(place - STATE, value);
        } else if place == CONTEXT + 8 {
            frame.mark = value as u32;
        } else {
            stack.insert(place, value);
        }
    }

    fn help(&mut self, which: i64, register: &[u64; 11], frame: &Frame, stack: &mut HashMap<u64, u64>) -> u64 {
        match which {
            5 => return self.now_ns,
            13 => self.copies.push(frame.mark),
            26 => match frame.bytes.get(register[2] as usize) {
                Some(byte) => {
                    stack.insert(register[3], u64::from(*byte));
                }
                None => return u64::MAX,
            },
            38 => self.changed = Some(register[2]),
            155 => return 7,
            other => panic!("no such helper: {other}"),
        }
        0
    }
}

fn calculated(operation: u8, to: u64, operand: u64) -> u64 {
    match operation {
        0x00 => to.wrapping_add(operand),
        0x10 => to.wrapping_sub(operand),
        0x20 => to.wrapping_mul(operand),
        0x30 => to.checked_div(operand).unwrap_or(0),
        0x50 => to & operand,
        0x60 => to << operand,
        0x70 => to >> operand,
        0xb0 => operand,
        0xc0 => (to as i64 >> operand) as u64,
        other => panic!("no such sum: {other:#x}"),
    }
}

fn jumps(operation: u8, one: u64, other: u64) -> bool {
    match operation {
        0x00 => true,
        0x10 => one == other,
        0x20 => one > other,
        0x30 => one >= other,
        0x40 => one & other != 0,
        0x50 => one != other,
        0xc0 => (one as i64) < other as i64,
        other => panic!("no such jump: {other:#x}"),
    }
}
