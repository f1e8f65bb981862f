//! The gap detector: one thread a processor that sleeps, and notes how late it was woken.
//!
//! Waking costs 5 to 30 us every 5 ms, so what is measured beside it loses a few thousandths; spinning would see every gap and take
//! the processor. A stop that covers no wake-up is not seen: one of 5 ms or more always is.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

use callbench_kit::clock;
use serde::Serialize;

use crate::place;

/// Between two wake-ups.
pub const EVERY_NS: u64 = 5_000_000;
/// A wake-up that is later counts as a gap: beyond what an idle state and an interrupt take.
pub const LEAST_NS: u64 = 500_000;

static WATCHING: AtomicBool = AtomicBool::new(false);

/// What one processor's thread saw.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub cpu: usize,
    /// Wake-ups.
    pub looks: u64,
    pub gaps: u64,
    pub gap_ns: u64,
    pub longest_ns: u64,
    /// Whether the thread ran before every ordinary one.
    pub first: bool,
}

#[derive(Debug, Serialize)]
struct Said {
    watched_ns: u64,
    /// Processor time that watching took.
    cost_ns: u64,
    processors: Vec<Seen>,
}

impl Seen {
    /// Notes a wake-up that was so much later than asked for.
    pub fn note(&mut self, late_ns: u64) {
        self.looks += 1;
        if late_ns >= LEAST_NS {
            self.gaps += 1;
            self.gap_ns += late_ns;
            self.longest_ns = self.longest_ns.max(late_ns);
        }
    }
}

/// Obeys the lines of stdin until it ends.
pub fn watch(cpus: &[usize]) -> Result<(), String> {
    let mut watching = None;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("stdin cannot be read: {error}"))?;
        match line.trim() {
            "begin" => watching = Some(begin(cpus)),
            "end" => {
                let said = match watching.take() {
                    Some(watching) => end(watching),
                    None => Said { watched_ns: 0, cost_ns: 0, processors: Vec::new() },
                };
                let text = serde_json::to_string(&said).map_err(|error| error.to_string())?;
                let mut out = io::stdout().lock();
                // Whoever asked has gone: there is nobody left to tell.
                if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
                    return Ok(());
                }
            }
            other => return Err(format!("{other} is not something to do: begin or end")),
        }
    }
    Ok(())
}

type Watching = (u64, Vec<JoinHandle<(Seen, u64)>>);

fn begin(cpus: &[usize]) -> Watching {
    WATCHING.store(true, Relaxed);
    let threads = cpus.iter().filter_map(|cpu| {
        let cpu = *cpu;
        thread::Builder::new().name(format!("gaps {cpu}")).spawn(move || look(cpu)).ok()
    });
    (clock::now(), threads.collect())
}

fn end((since, threads): Watching) -> Said {
    WATCHING.store(false, Relaxed);
    let watched_ns = clock::now() - since;
    let seen: Vec<(Seen, u64)> = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
    let cost_ns = seen.iter().map(|(_, cost)| cost).sum();
    Said { watched_ns, cost_ns, processors: seen.into_iter().map(|(seen, _)| seen).collect() }
}

/// One processor's thread: what it saw, and the processor time that took.
fn look(cpu: usize) -> (Seen, u64) {
    let mut seen = Seen { cpu, ..Seen::default() };
    // A processor that is gone from our set is watched by nobody: its thread would speak for another.
    if place::pin(&[cpu]).is_err() {
        return (seen, 0);
    }
    seen.first = place::first();
    clock::sharpen_sleeps();
    let mut due = clock::now() + EVERY_NS;
    while WATCHING.load(Relaxed) {
        let woken = clock::wait_until(due, 0);
        seen.note(woken - due);
        due = woken + EVERY_NS;
    }
    (seen, clock::thread_cpu_ns())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_late_enough_is_a_gap() {
        let mut seen = Seen::default();
        for late in [0, LEAST_NS - 1, LEAST_NS, 3_000_000] {
            seen.note(late);
        }
        let expected = Seen { looks: 4, gaps: 2, gap_ns: 3_500_000, longest_ns: 3_000_000, ..Seen::default() };
        assert_eq!(seen, expected);
    }
}
