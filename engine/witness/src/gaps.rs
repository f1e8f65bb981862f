//! The gap detector: one thread a processor that sleeps, and notes how late it was woken.
//!
//! Waking costs 5 to 30 us, so what is measured beside it loses a few thousandths; spinning would see every gap and take the processor.
//! A stop that covers no wake-up is not seen: one that is longer than the sleep always is.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use callbench_kit::clock;
use serde::Serialize;

use crate::place;

/// Between two wake-ups, where nobody asks for another time.
pub const EVERY_NS: u64 = 5_000_000;
/// A wake-up that is later counts as a gap: beyond what an idle state and an interrupt take.
pub const LEAST_NS: u64 = 500_000;

/// What one processor's thread saw.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub cpu: usize,
    /// Wake-ups.
    pub looks: u64,
    pub gaps: u64,
    pub gap_ns: u64,
    pub longest_ns: u64,
    /// Whether the thread runs before every ordinary one.
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
    let watched = Watched::begun(cpus);
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("stdin cannot be read: {error}"))?;
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["begin"] => watched.begin(EVERY_NS),
            ["begin", microseconds] => match microseconds.parse::<u64>() {
                Ok(every @ 1..=1_000_000) => watched.begin(every * 1000),
                _ => return Err(format!("begin {microseconds}: microseconds between two looks, from 1 to 1000000")),
            },
            ["end"] => {
                let text = serde_json::to_string(&watched.end()).map_err(|error| error.to_string())?;
                let mut out = io::stdout().lock();
                // Whoever asked has gone: there is nobody left to tell.
                if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
                    return Ok(());
                }
            }
            _ => return Err(format!("{line} is not something to do: begin, begin MICROSECONDS or end")),
        }
    }
    Ok(())
}

/// What the threads are asked for.
#[derive(Default)]
struct Wish {
    /// Between two wake-ups; 0: nobody watches, and they sleep.
    every_ns: AtomicU64,
    since_ns: AtomicU64,
    /// For whoever sleeps until a watch begins.
    asked: Mutex<()>,
    begins: Condvar,
}

impl Wish {
    fn every_ns(&self) -> u64 {
        self.every_ns.load(Relaxed)
    }

    /// Sleeps until a watch is under way.
    fn awaited(&self) {
        let mut held = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        while self.every_ns() == 0 {
            held = self.begins.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// One processor, seen by its thread and read by whoever asks.
#[derive(Default)]
struct Place {
    seen: Mutex<Seen>,
    /// When its thread asked to be woken next; 0: it does not watch.
    due_ns: AtomicU64,
    /// Processor time of its thread so far, and when the watch began.
    cost_ns: AtomicU64,
    cost_before_ns: AtomicU64,
    first: AtomicBool,
}

impl Place {
    fn locked(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Watched {
    wish: Arc<Wish>,
    places: Vec<(usize, Arc<Place>)>,
}

impl Watched {
    /// One thread a processor; they sleep.
    fn begun(cpus: &[usize]) -> Watched {
        let wish = Arc::new(Wish::default());
        let places = cpus.iter().filter_map(|cpu| {
            let (cpu, place) = (*cpu, Arc::new(Place::default()));
            let (theirs, wish) = (Arc::clone(&place), Arc::clone(&wish));
            let thread = thread::Builder::new().name(format!("gaps {cpu}")).spawn(move || look(cpu, &theirs, &wish));
            thread.ok().map(|_| (cpu, place))
        });
        let places = places.collect();
        Watched { wish, places }
    }

    fn begin(&self, every_ns: u64) {
        for (cpu, place) in &self.places {
            *place.locked() = Seen { cpu: *cpu, ..Seen::default() };
            place.cost_before_ns.store(place.cost_ns.load(Relaxed), Relaxed);
        }
        self.wish.since_ns.store(clock::now(), Relaxed);
        let _held = self.wish.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.wish.every_ns.store(every_ns, Relaxed);
        self.wish.begins.notify_all();
    }

    fn end(&self) -> Said {
        let now = clock::now();
        if self.wish.every_ns.swap(0, Relaxed) == 0 {
            return Said { watched_ns: 0, cost_ns: 0, processors: Vec::new() };
        }
        let since_ns = self.wish.since_ns.load(Relaxed);
        let processors = self.places.iter().map(|(_, place)| {
            let mut seen = std::mem::take(&mut *place.locked());
            let due_ns = place.due_ns.load(Relaxed);
            let late_ns = now.saturating_sub(due_ns.max(since_ns));
            // A thread that ought to be awake and is not: its gap is not over.
            if due_ns > 0 && late_ns >= LEAST_NS {
                seen.note(late_ns);
            }
            seen.first = place.first.load(Relaxed);
            seen
        });
        let cost_ns = self.places.iter().map(|(_, place)| place.cost_ns.load(Relaxed) - place.cost_before_ns.load(Relaxed)).sum();
        Said { watched_ns: now - since_ns, cost_ns, processors: processors.collect() }
    }
}

/// One processor's thread.
fn look(cpu: usize, place: &Place, wish: &Wish) {
    // A processor that is gone from our set is watched by nobody: its thread would speak for another.
    if place::pin(&[cpu]).is_err() {
        return;
    }
    place.first.store(place::first(), Relaxed);
    clock::sharpen_sleeps();
    loop {
        wish.awaited();
        let mut due = clock::now() + wish.every_ns();
        while let every_ns @ 1.. = wish.every_ns() {
            place.due_ns.store(due, Relaxed);
            let woken = clock::wait_until(due, 0);
            // What lies before a watch is not its own.
            place.locked().note(woken.saturating_sub(due.max(wish.since_ns.load(Relaxed))));
            place.cost_ns.store(clock::thread_cpu_ns(), Relaxed);
            due = woken + every_ns;
        }
        place.due_ns.store(0, Relaxed);
    }
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

    #[test]
    fn watches_anew_each_time() {
        let watched = Watched::begun(&[0]);
        assert_eq!(watched.end().watched_ns, 0, "nobody has begun");
        for _ in 0..2 {
            watched.begin(1_000_000);
            thread::sleep(std::time::Duration::from_millis(30));
            let said = watched.end();
            assert!(said.watched_ns >= 30_000_000);
            assert!(said.processors[0].looks <= said.watched_ns / 1_000_000, "{said:?}");
        }
        assert!(watched.end().processors.is_empty());
    }
}
