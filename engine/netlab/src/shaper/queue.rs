//! Configures the kernel over netlink: its queue (htb) on an interface, and programs before and after it (`clsact`, `cls_bpf`).

use std::os::fd::{AsRawFd, OwnedFd};

use netlink_packet_core::{DefaultNla, Emitable, NLM_F_CREATE, NLM_F_EXCL};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};

use super::plan::{BYTE_NS, CREDIT_NS, FILLING_FROM, Plan, SHIFT, STEP_BYTES, STEPS};
use crate::cable::Route;
use crate::failure::Result;

/// The queue, and its only class.
const QUEUE: TcHandle = TcHandle { major: 1, minor: 0 };
const CLASS: TcHandle = TcHandle { major: 1, minor: 1 };
const HOOK: TcHandle = TcHandle { major: u16::MAX, minor: 0 };
const ARRIVING: TcHandle = TcHandle { major: u16::MAX, minor: TcHandle::MIN_INGRESS };
const LEAVING: TcHandle = TcHandle { major: u16::MAX, minor: TcHandle::MIN_EGRESS };

/// Attributes of `linux/pkt_sched.h` and `linux/pkt_cls.h`.
const OPTIONS: u16 = 2;
const STAB: u16 = 8;
const STAB_BASE: u16 = 1;
const STAB_DATA: u16 = 2;
const HTB_PARAMETERS: u16 = 1;
const HTB_INIT: u16 = 2;
const BPF_DESCRIPTOR: u16 = 6;
const BPF_NAME: u16 = 7;
const BPF_FLAGS: u16 = 8;
/// The program's result decides what happens to the frame.
const DIRECT: u32 = 1;
const ETHERNET: u8 = 1;
const HTB_VERSION: u32 = 3;
/// The kernel counts its credit in ticks of this many nanoseconds.
const TICK_NS: u64 = 64;

/// The position of a program.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    Arriving,
    Leaving,
}

/// Enables programs at an interface of this namespace.
pub fn hook(route: &mut Route, index: u32) -> Result<()> {
    let message = message(index, HOOK, TcHandle::CLSACT, "clsact", vec![]);
    route.ask(RouteNetlinkMessage::NewQueueDiscipline(message), NLM_F_CREATE | NLM_F_EXCL, "cannot look at what passes an interface")
}

/// Removes the programs at an interface, if there are any.
pub fn unhook(route: &mut Route, index: u32) {
    let message = message(index, HOOK, TcHandle::CLSACT, "clsact", vec![]);
    let _ = route.ask(RouteNetlinkMessage::DelQueueDiscipline(message), 0, "no programs");
}

/// Adds a program.
pub fn run(route: &mut Route, index: u32, side: Side, program: &OwnedFd) -> Result<()> {
    let parent = match side {
        Side::Arriving => ARRIVING,
        Side::Leaving => LEAVING,
    };
    let options = [
        (BPF_DESCRIPTOR, program.as_raw_fd().to_ne_bytes().to_vec()),
        (BPF_NAME, b"callbench\0".to_vec()),
        (BPF_FLAGS, DIRECT.to_ne_bytes().to_vec()),
    ];
    let mut message = message(index, TcHandle::UNSPEC, parent, "bpf", nested(&options));
    // Priority 1, every protocol.
    message.header.info = 1 << 16 | u32::from((libc::ETH_P_ALL as u16).to_be());
    route.ask(
        RouteNetlinkMessage::NewTrafficFilter(message),
        NLM_F_CREATE | NLM_F_EXCL,
        "cannot run a program for what passes an interface",
    )
}

/// Adds a queue to an interface. The lengths of frames represent times.
pub fn keep_apart(route: &mut Route, index: u32, plan: &Plan) -> Result<()> {
    let mut whole = Vec::new();
    // struct tc_htb_glob: version, quantum per rate, default class, and two unused words.
    for word in [HTB_VERSION, 10, u32::from(CLASS.minor), 0, 0] {
        whole.extend(word.to_ne_bytes());
    }
    let mut queue = message(index, QUEUE, TcHandle::ROOT, "htb", nested(&[(HTB_INIT, whole)]));
    queue.attributes.push(TcAttribute::Other(DefaultNla::new(STAB, nested(&lengths(plan)))));
    route.ask(RouteNetlinkMessage::NewQueueDiscipline(queue), NLM_F_CREATE | NLM_F_EXCL, "this kernel has no htb")?;
    let class = message(index, CLASS, QUEUE, "htb", nested(&[(HTB_PARAMETERS, class())]));
    route.ask(RouteNetlinkMessage::NewTrafficClass(class), NLM_F_CREATE | NLM_F_EXCL, "cannot set the rate of htb")
}

/// struct `tc_htb_opt`: the time of a byte, twice (rate and ceiling), and the credit of an idle queue.
fn class() -> Vec<u8> {
    let rate = (1_000_000_000 / BYTE_NS) as u32;
    let mut bytes = Vec::new();
    for _ in 0..2 {
        bytes.extend([0, ETHERNET, 0, 0, 0, 0, 0, 0]);
        bytes.extend(rate.to_ne_bytes());
    }
    let credit = (CREDIT_NS / TICK_NS) as u32;
    // Credit, credit of the ceiling, quantum, level, priority.
    for word in [credit, credit, 1 << 16, 0, 0] {
        bytes.extend(word.to_ne_bytes());
    }
    bytes
}

/// The table from a frame's length to the bytes that it counts for: one byte for a real frame, and more in steps for a frame that only fills time.
fn lengths(plan: &Plan) -> [(u16, Vec<u8>); 2] {
    // struct tc_sizespec: shift of a cell, shift of its number, what is added to a length, unused members, and the number of cells.
    let mut base = vec![STEP_BYTES.ilog2() as u8, SHIFT];
    base.extend((-(FILLING_FROM as i16)).to_ne_bytes());
    for word in [0, u32::from(ETHERNET), 0, 0, u32::from(STEPS)] {
        base.extend(word.to_ne_bytes());
    }
    let numbers = (0..STEPS).map(|step| ((u64::from(step) * plan.step_ns / BYTE_NS) >> SHIFT) as u16).flat_map(u16::to_ne_bytes);
    [(STAB_BASE, base), (STAB_DATA, numbers.collect())]
}

fn message(index: u32, handle: TcHandle, parent: TcHandle, kind: &str, options: Vec<u8>) -> TcMessage {
    let mut message = TcMessage::with_index(index as i32);
    message.header.handle = handle;
    message.header.parent = parent;
    message.attributes = vec![TcAttribute::Kind(kind.to_owned()), TcAttribute::Other(DefaultNla::new(OPTIONS, options))];
    message
}

fn nested(attributes: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, value) in attributes {
        let attribute = DefaultNla::new(*kind, value.clone());
        let at = bytes.len();
        bytes.resize(at + attribute.buffer_len(), 0);
        attribute.emit(&mut bytes[at..]);
    }
    bytes
}
