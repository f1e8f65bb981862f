use std::collections::VecDeque;

use proptest::prelude::*;

use super::machine::{Frame, Machine};
use super::*;
use crate::emulator::carried::Carried;
use crate::emulator::lane::{Fate, Lane};
use crate::emulator::profile::{Direction, Link};

const BEGAN_NS: u64 = 1_000_000_000_000;

fn lan100() -> Direction {
    Direction { delay_ns: 50_000, rate_bps: Some(100_000_000), overhead_bytes: 24, queue_packets: Some(1000), ..Direction::default() }
}

fn planned(way: Direction) -> Plan {
    let link = Link { to_server: way, to_client: way, seed: 0, offload: None, maker: None };
    Plan::of(&link, 1500).expect("the kernel makes it")[0]
}

/// The kernel's queue on virtual time: each frame that leaves fills some time, and the next one waits. Idle time gives some credit.
struct Kernel {
    plan: Plan,
    machine: Machine,
    waiting: VecDeque<(u64, u32, Frame)>,
    filled_ns: u64,
    left_ns: Vec<u64>,
}

impl Kernel {
    fn new(plan: Plan) -> Self {
        Kernel { plan, machine: Machine::default(), waiting: VecDeque::new(), filled_ns: 0, left_ns: Vec::new() }
    }

    /// A frame arrives. Returns whether it is accepted.
    fn arrive(&mut self, now_ns: u64, mut frame: Frame) -> bool {
        self.until(now_ns);
        self.machine.now_ns = now_ns;
        let answer_of = self.machine.run(&entry(&self.plan, 3, 31), &mut frame);
        for mark in std::mem::take(&mut self.machine.copies) {
            self.waiting.push_back((now_ns, mark, frame.clone()));
        }
        answer_of == TAKEN as u64
    }

    /// Releases the frames that leave until this time.
    fn until(&mut self, now_ns: u64) {
        while let Some((came_ns, _, _)) = self.waiting.front() {
            let leaves_ns = self.filled_ns.max(*came_ns);
            if leaves_ns > now_ns {
                return;
            }
            let Some((_, mark, frame)) = self.waiting.pop_front() else { return };
            self.filled_ns = self.filled_ns.max(leaves_ns - CREDIT_NS) + self.fills(mark, &frame);
            let mut out = Frame { mark, ..frame };
            if mark & FILLS as u32 == 0 {
                self.left_ns.push(leaves_ns);
            } else {
                out.mark = FILLS as u32;
            }
            self.machine.now_ns = leaves_ns;
            let dropped = self.machine.run(&exit(&self.plan, 3, 22), &mut out) == DROP as u64;
            assert_eq!(dropped, mark & FILLS as u32 != 0);
        }
    }

    /// The time that a packet with this mark fills in the queue.
    fn fills(&self, mark: u32, frame: &Frame) -> u64 {
        let mut machine = Machine::default();
        machine.run(&trim(), &mut Frame { mark, ..frame.clone() });
        let length = machine.changed.unwrap_or(u64::from(frame.length));
        assert_eq!(machine.changed.is_some(), mark & FILLS as u32 != 0);
        let steps = length.saturating_sub(u64::from(FILLING_FROM)) / u64::from(STEP_BYTES);
        assert!(steps < u64::from(STEPS));
        (steps * self.plan.step_ns).max(BYTE_NS)
    }
}

fn plain(length: u32) -> Frame {
    Frame { length, ..Frame::default() }
}

/// Ethernet, IPv4 and TCP with a time stamp, and payload in segments of 1448.
fn segments(carried: u32) -> Frame {
    let mut bytes = vec![0; 66];
    (bytes[14], bytes[23], bytes[46]) = (0x45, 6, 0x80);
    Frame { length: 66 + carried, segment: 1448, bytes, mark: 0 }
}

#[test]
fn a_frame_of_several_segments_counts_as_the_line_has_them() {
    let mut kernel = Kernel::new(planned(lan100()));
    assert!(kernel.arrive(BEGAN_NS, segments(3000)));
    kernel.until(BEGAN_NS * 2);
    let told = |which| kernel.machine.shared(which);
    assert_eq!((told(Shared::Frames), told(Shared::Bytes)), (3, 2 * 1514 + 66 + 104));
    assert_eq!((told(Shared::Left), told(Shared::LeftBytes)), (3, 2 * 1514 + 66 + 104));
    assert_eq!((told(Shared::Overflowed), told(Shared::Missed), told(Shared::Lock)), (0, 0, 0));
}

#[test]
fn a_full_queue_turns_frames_away_and_counts_them() {
    let mut kernel = Kernel::new(planned(Direction { queue_packets: Some(10), ..lan100() }));
    let taken = (0..20).filter(|_| kernel.arrive(BEGAN_NS, plain(1514))).count();
    // One is being sent, and ten wait.
    assert_eq!(taken, 11);
    assert_eq!(kernel.machine.shared(Shared::Overflowed), 9);
    kernel.until(BEGAN_NS * 2);
    assert!(kernel.arrive(BEGAN_NS * 2, plain(1514)));
    let mut small = Kernel::new(planned(Direction { queue_packets: None, queue_bytes: Some(5000), ..lan100() }));
    let taken = (0..20).filter(|_| small.arrive(BEGAN_NS, plain(1514))).count();
    assert!((3..=4).contains(&taken), "{taken}");
}

#[test]
fn a_link_without_time_sends_each_frame_at_once() {
    let mut kernel = Kernel::new(planned(Direction::default()));
    for _ in 0..5 {
        assert!(kernel.arrive(BEGAN_NS, plain(1514)));
        assert_eq!(kernel.waiting.iter().map(|(_, mark, _)| *mark).collect::<Vec<_>>(), [0]);
        kernel.waiting.clear();
    }
    assert_eq!(kernel.machine.shared(Shared::Frames), 5);
}

#[test]
fn a_kernel_that_lets_frames_go_late_is_asked_earlier() {
    let plan = planned(lan100());
    let mut kernel = Kernel::new(plan);
    let mut off = Vec::new();
    for number in 0..200 {
        let now_ns = BEGAN_NS + number * 10_000_000;
        assert!(kernel.arrive(now_ns, plain(106)));
        // The kernel's timer is 30 us late.
        let due_ns = now_ns + 50_000 + 130 * 80;
        kernel.filled_ns = kernel.filled_ns.max(now_ns - CREDIT_NS);
        let (_, filling, frame) = kernel.waiting.pop_front().expect("what fills the time");
        let leaves_ns = kernel.filled_ns + kernel.fills(filling, &frame) + 30_000;
        kernel.waiting.clear();
        kernel.machine.now_ns = leaves_ns;
        kernel.machine.run(&exit(&plan, 3, 22), &mut Frame { mark: due_ns as u32 & !3, ..plain(106) });
        off.push(leaves_ns as i64 - due_ns as i64);
        kernel.filled_ns = leaves_ns;
    }
    assert!(off[0] > 25_000, "{}", off[0]);
    assert!(off[150..].iter().all(|it| it.abs() < 2 * plan.step_ns as i64), "{:?}", &off[150..]);
}

proptest! {
    /// The programs and the kernel's queue produce the same times as the emulator's lane, except for the steps.
    #[test]
    fn frames_leave_when_the_emulator_would_let_them(
        frames in prop::collection::vec((0_u64..400_000, prop_oneof![(60_u32..1515).prop_map(plain), (1_u32..6000).prop_map(segments)]), 1..200),
    ) {
        let plan = planned(lan100());
        let (mut kernel, mut lane) = (Kernel::new(plan), Lane::new(lan100(), 1));
        let (mut now_ns, mut due_ns) = (BEGAN_NS, Vec::new());
        for (gap_ns, frame) in frames {
            now_ns += gap_ns;
            let count = if frame.segment > 0 { u64::from(frame.length - 66).div_ceil(1448) } else { 1 };
            let carried = Carried { frames: count, bytes: u64::from(frame.length) + (count - 1) * 66 };
            prop_assert!(kernel.arrive(now_ns, frame));
            match lane.arrive(now_ns, carried) {
                Fate::Leaves { at_ns, .. } => due_ns.push(at_ns),
                other => prop_assert!(false, "{other:?}"),
            }
        }
        kernel.until(u64::MAX);
        prop_assert_eq!(kernel.left_ns.len(), due_ns.len());
        for (left, due) in kernel.left_ns.iter().zip(&due_ns) {
            let off = *left as i64 - *due as i64;
            prop_assert!(off.unsigned_abs() <= plan.step_ns + BYTE_NS, "{off}");
        }
    }
}
