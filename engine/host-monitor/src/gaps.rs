//! The gap detector: one thread per processor sleeps repeatedly and notes how late it woke up.
//!
//! A wake-up costs 5 to 30 us, so a measurement on the same processor loses a few thousandths. A spinning thread would see every gap, but would use
//! the whole processor. A gap between two wake-ups is not seen, unless it is longer than the sleep.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use callbench_kit::clock;
use serde::Serialize;

use crate::place;

/// The default time between two wake-ups.
pub const DEFAULT_INTERVAL_NS: u64 = 5_000_000;
/// A wake-up that is at least this late counts as a gap. Idle states and interrupts take less.
pub const GAP_NS: u64 = 500_000;

/// The result for one processor.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuGaps {
    pub cpu: usize,
    pub wakeups: u64,
    pub gaps: u64,
    pub gap_ns: u64,
    pub longest_ns: u64,
    /// Whether the thread had real-time priority.
    pub realtime: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    watched_ns: u64,
    /// The processor time of the gap detector itself.
    cost_ns: u64,
    processors: Vec<CpuGaps>,
}

impl CpuGaps {
    /// Notes a wake-up that was late by `late_ns`.
    pub fn note(&mut self, late_ns: u64) {
        self.wakeups += 1;
        if late_ns >= GAP_NS {
            self.gaps += 1;
            self.gap_ns += late_ns;
            self.longest_ns = self.longest_ns.max(late_ns);
        }
    }
}

/// Reads commands from stdin until it ends.
pub fn watch(cpus: &[usize]) -> Result<(), String> {
    let watch = Watch::start(cpus);
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("stdin cannot be read: {error}"))?;
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["begin"] => watch.begin(DEFAULT_INTERVAL_NS),
            ["begin", microseconds] => match microseconds.parse::<u64>() {
                Ok(every @ 1..=1_000_000) => watch.begin(every * 1000),
                _ => return Err(format!("begin {microseconds}: microseconds between two looks, from 1 to 1000000")),
            },
            ["end"] => {
                let text = serde_json::to_string(&watch.end()).map_err(|error| error.to_string())?;
                let mut out = io::stdout().lock();
                // The reader has ended.
                if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
                    return Ok(());
                }
            }
            _ => return Err(format!("{line} is not something to do: begin, begin MICROSECONDS or end")),
        }
    }
    Ok(())
}

/// What all threads share.
#[derive(Default)]
struct Shared {
    /// The time between two wake-ups; 0: the threads sleep.
    interval_ns: AtomicU64,
    since_ns: AtomicU64,
    /// For threads that wait for the next watch.
    sleep: Mutex<()>,
    started: Condvar,
}

impl Shared {
    fn interval_ns(&self) -> u64 {
        self.interval_ns.load(Relaxed)
    }

    /// Sleeps until a watch begins.
    fn wait_until_started(&self) {
        let mut held = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        while self.interval_ns() == 0 {
            held = self.started.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The state of one processor, written by its thread.
#[derive(Default)]
struct Cpu {
    result: Mutex<CpuGaps>,
    /// When the thread wants to wake up next; 0: it does not watch.
    due_ns: AtomicU64,
    /// Processor time of the thread so far, and at the beginning of the watch.
    cost_ns: AtomicU64,
    cost_before_ns: AtomicU64,
    realtime: AtomicBool,
}

impl Cpu {
    fn locked(&self) -> std::sync::MutexGuard<'_, CpuGaps> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Watch {
    shared: Arc<Shared>,
    cpus: Vec<(usize, Arc<Cpu>)>,
}

impl Watch {
    /// Starts one sleeping thread per processor.
    fn start(cpus: &[usize]) -> Watch {
        let shared = Arc::new(Shared::default());
        let cpus = cpus.iter().filter_map(|cpu| {
            let (cpu, place) = (*cpu, Arc::new(Cpu::default()));
            let (own, shared) = (Arc::clone(&place), Arc::clone(&shared));
            let thread = thread::Builder::new().name(format!("gaps {cpu}")).spawn(move || watch_cpu(cpu, &own, &shared));
            thread.ok().map(|_| (cpu, place))
        });
        let cpus = cpus.collect();
        Watch { shared, cpus }
    }

    fn begin(&self, interval_ns: u64) {
        for (cpu, place) in &self.cpus {
            *place.locked() = CpuGaps { cpu: *cpu, ..CpuGaps::default() };
            place.cost_before_ns.store(place.cost_ns.load(Relaxed), Relaxed);
        }
        self.shared.since_ns.store(clock::now(), Relaxed);
        let _held = self.shared.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.interval_ns.store(interval_ns, Relaxed);
        self.shared.started.notify_all();
    }

    fn end(&self) -> Report {
        let now = clock::now();
        if self.shared.interval_ns.swap(0, Relaxed) == 0 {
            return Report { watched_ns: 0, cost_ns: 0, processors: Vec::new() };
        }
        let since_ns = self.shared.since_ns.load(Relaxed);
        let processors = self.cpus.iter().map(|(_, place)| {
            let mut gaps_of_cpu = std::mem::take(&mut *place.locked());
            let due_ns = place.due_ns.load(Relaxed);
            let late_ns = now.saturating_sub(due_ns.max(since_ns));
            // The thread should be awake but is not: the gap still lasts.
            if due_ns > 0 && late_ns >= GAP_NS {
                gaps_of_cpu.note(late_ns);
            }
            gaps_of_cpu.realtime = place.realtime.load(Relaxed);
            gaps_of_cpu
        });
        let cost_ns = self.cpus.iter().map(|(_, place)| place.cost_ns.load(Relaxed) - place.cost_before_ns.load(Relaxed)).sum();
        Report { watched_ns: now - since_ns, cost_ns, processors: processors.collect() }
    }
}

/// The thread of one processor.
fn watch_cpu(cpu: usize, place: &Cpu, shared: &Shared) {
    // If the thread cannot be pinned to its processor, it would report another processor. So it ends.
    if place::pin(&[cpu]).is_err() {
        return;
    }
    place.realtime.store(place::realtime(), Relaxed);
    clock::sharpen_sleeps();
    loop {
        shared.wait_until_started();
        let mut due = clock::now() + shared.interval_ns();
        while let interval_ns @ 1.. = shared.interval_ns() {
            place.due_ns.store(due, Relaxed);
            let woke_at = clock::wait_until(due, 0);
            // Time before the watch began does not count.
            place.locked().note(woke_at.saturating_sub(due.max(shared.since_ns.load(Relaxed))));
            place.cost_ns.store(clock::thread_cpu_ns(), Relaxed);
            due = woke_at + interval_ns;
        }
        place.due_ns.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_late_enough_is_a_gap() {
        let mut gaps_of_cpu = CpuGaps::default();
        for late in [0, GAP_NS - 1, GAP_NS, 3_000_000] {
            gaps_of_cpu.note(late);
        }
        let expected = CpuGaps { wakeups: 4, gaps: 2, gap_ns: 3_500_000, longest_ns: 3_000_000, ..CpuGaps::default() };
        assert_eq!(gaps_of_cpu, expected);
    }

    #[test]
    fn watches_anew_each_time() {
        let watch = Watch::start(&[0]);
        assert_eq!(watch.end().watched_ns, 0, "nobody has begun");
        for _ in 0..2 {
            watch.begin(1_000_000);
            thread::sleep(std::time::Duration::from_millis(30));
            let report = watch.end();
            assert!(report.watched_ns >= 30_000_000);
            assert!(report.processors[0].wakeups <= report.watched_ns / 1_000_000, "{report:?}");
        }
        assert!(watch.end().processors.is_empty());
    }
}
