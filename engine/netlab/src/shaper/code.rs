//! Generates programs for the kernel's virtual machine (BPF) without a compiler. The machine: Documentation/bpf/standardization/instruction-set.rst
//! of the kernel.

/// Registers: 0 is the result of a call, 1 to 5 are its arguments and are overwritten by it, 6 to 9 are preserved, 10 is the end of the stack.
pub type Register = u8;

pub const STACK: Register = 10;

/// The size of a memory access.
#[derive(Debug, Clone, Copy)]
pub enum Width {
    One = 0x10,
    Four = 0x00,
    Eight = 0x18,
}

/// An operation on a 64-bit register.
#[derive(Debug, Clone, Copy)]
pub enum Sum {
    Add = 0x00,
    Less = 0x10,
    Times = 0x20,
    Over = 0x30,
    And = 0x50,
    Left = 0x60,
    Right = 0x70,
    Set = 0xb0,
    SignedRight = 0xc0,
}

/// The condition of a jump. Comparisons are unsigned unless the name says otherwise.
#[derive(Debug, Clone, Copy)]
pub enum When {
    Always = 0x00,
    Equal = 0x10,
    Above = 0x20,
    AtLeast = 0x30,
    AnyBit = 0x40,
    Differs = 0x50,
    SignedBelow = 0xc0,
}

/// A label.
#[derive(Debug, Clone, Copy)]
pub struct Place(usize);

/// A program under construction.
#[derive(Default)]
pub struct Code {
    words: Vec<u64>,
    places: Vec<Option<usize>>,
    jumps: Vec<(usize, Place)>,
}

const LOAD: u8 = 0x61;
const STORE: u8 = 0x63;
const STORE_ATOMIC: u8 = 0xdb;
const COMPARE_AND_SWAP: i32 = 0xf1;
const SUM: u8 = 0x07;
const JUMP: u8 = 0x05;
const FROM_REGISTER: u8 = 0x08;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const ADDRESS: u8 = 0x18;
const VALUE_OF_MAP: u8 = 2;

impl Code {
    fn push(&mut self, operation: u8, to: Register, from: Register, offset: i16, number: i32) {
        let word = u64::from(operation)
            | u64::from(to | from << 4) << 8
            | u64::from(offset.cast_unsigned()) << 16
            | u64::from(number.cast_unsigned()) << 32;
        self.words.push(word);
    }

    /// `to = to ? number`.
    pub fn number(&mut self, sum: Sum, to: Register, number: i32) {
        self.push(SUM | sum as u8, to, 0, 0, number);
    }

    /// `to = to ? from`.
    pub fn sum(&mut self, sum: Sum, to: Register, from: Register) {
        self.push(SUM | FROM_REGISTER | sum as u8, to, from, 0, 0);
    }

    /// `to = number`, of 64 bits.
    pub fn wide(&mut self, to: Register, number: u64) {
        self.push(ADDRESS, to, 0, 0, (number as u32).cast_signed());
        self.push(0, 0, 0, 0, ((number >> 32) as u32).cast_signed());
    }

    /// `to` = the address of the only value of a map.
    pub fn value_of(&mut self, to: Register, map: i32) {
        self.push(ADDRESS, to, VALUE_OF_MAP, 0, map);
        self.push(0, 0, 0, 0, 0);
    }

    /// `to = memory[base + offset]`.
    pub fn load(&mut self, width: Width, to: Register, base: Register, offset: i16) {
        self.push(LOAD | width as u8, to, base, offset, 0);
    }

    /// `memory[base + offset] = from`.
    pub fn store(&mut self, width: Width, base: Register, offset: i16, from: Register) {
        self.push(STORE | width as u8, base, from, offset, 0);
    }

    /// `memory[base + offset] += from`, atomically.
    pub fn add_to(&mut self, base: Register, offset: i16, from: Register) {
        self.push(STORE_ATOMIC, base, from, offset, 0);
    }

    /// If the memory contains register 0, it is set to `from`, atomically. Register 0 = the old value.
    pub fn compare_and_swap(&mut self, base: Register, offset: i16, from: Register) {
        self.push(STORE_ATOMIC, base, from, offset, COMPARE_AND_SWAP);
    }

    /// A new label, whose position is set later.
    pub fn place(&mut self) -> Place {
        self.places.push(None);
        Place(self.places.len() - 1)
    }

    /// Sets the label to the next instruction.
    pub fn put(&mut self, place: Place) {
        self.places[place.0] = Some(self.words.len());
    }

    pub fn jump(&mut self, to: Place) {
        self.jump_number(When::Always, 0, 0, to);
    }

    /// Jumps if `register ? number`.
    pub fn jump_number(&mut self, when: When, register: Register, number: i32, to: Place) {
        self.jumps.push((self.words.len(), to));
        self.push(JUMP | when as u8, register, 0, 0, number);
    }

    /// Jumps if `one ? other`.
    pub fn jump_sum(&mut self, when: When, one: Register, other: Register, to: Place) {
        self.jumps.push((self.words.len(), to));
        self.push(JUMP | FROM_REGISTER | when as u8, one, other, 0, 0);
    }

    pub fn call(&mut self, helper: i32) {
        self.push(CALL, 0, 0, 0, helper);
    }

    /// Ends the program with the value of register 0.
    pub fn exit(&mut self) {
        self.push(EXIT, 0, 0, 0, 0);
    }

    /// The finished program.
    ///
    /// # Panics If a label has no position, which is a programming error.
    #[must_use]
    pub fn words(mut self) -> Vec<u64> {
        for (at, place) in &self.jumps {
            let to = self.places[place.0].expect("a jump to a place that was put down");
            let distance = to as i64 - *at as i64 - 1;
            self.words[*at] |= u64::from((distance as i16).cast_unsigned()) << 16;
        }
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_as_the_kernel_writes_them() {
        let mut code = Code::default();
        code.number(Sum::Set, 0, -1);
        code.sum(Sum::Add, 6, 1);
        code.load(Width::Four, 2, 6, 176);
        code.store(Width::Eight, STACK, -8, 2);
        code.add_to(8, 16, 2);
        code.call(5);
        code.exit();
        let expected = [
            0xffff_ffff_0000_00b7,
            0x0000_0000_0000_160f,
            0x0000_0000_00b0_6261,
            0x0000_0000_fff8_2a7b,
            0x0000_0000_0010_28db,
            0x0000_0005_0000_0085,
            0x0000_0000_0000_0095,
        ];
        assert_eq!(code.words(), expected);
    }

    #[test]
    fn jumps_lead_to_their_place_forwards_and_backwards() {
        let mut code = Code::default();
        let (begin, end) = (code.place(), code.place());
        code.put(begin);
        code.jump_number(When::Equal, 1, 7, end);
        code.jump(begin);
        code.put(end);
        code.exit();
        assert_eq!(code.words(), [0x0000_0007_0001_0115, 0x0000_0000_fffe_0005, 0x95]);
    }
}
