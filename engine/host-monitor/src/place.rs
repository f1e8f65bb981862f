//! Pins threads to processors and sets their priority.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Parses a list such as `0,1`. An empty list means any processor.
pub fn processors(list: &str) -> Result<Vec<usize>, String> {
    list.split(',')
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().map_err(|_| format!("{list}: {number} is no processor; give numbers with commas, such as 0,1")))
        .collect()
}

/// Pins the calling thread to these processors, if there are any.
pub fn pin(cpus: &[usize]) -> Result<(), String> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu).map_err(|error| format!("processor {cpu}: {}", error.desc()))?;
    }
    sched_setaffinity(Pid::from_raw(0), &set).map_err(|error| format!("cannot run on processors {cpus:?}: {}", error.desc()))
}

/// Gives the calling thread real-time priority. False if the kernel refuses.
///
/// With this priority, the measured processes cannot delay a wake-up. A late wake-up then means that the processor itself was not available.
pub fn realtime() -> bool {
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: reads the parameters, which live during the call, and changes the calling thread only.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lists_and_refuses_words() {
        assert_eq!(processors("0,2").expect("a list"), [0, 2]);
        assert!(processors("").expect("none").is_empty());
        assert!(processors("0,x").expect_err("a word").contains("x is no processor"));
    }
}
