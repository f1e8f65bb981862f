//! Where a thread runs, and before whom.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// `0,1` as numbers; empty: any processor.
pub fn processors(list: &str) -> Result<Vec<usize>, String> {
    list.split(',')
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().map_err(|_| format!("{list}: {number} is no processor; give numbers with commas, such as 0,1")))
        .collect()
}

/// Keeps the calling thread on these processors, where there are any.
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

/// Asks for the calling thread to be run before every ordinary one; whether the kernel agreed.
///
/// Then a late wake-up cannot be the fault of the processes that are measured: the processor itself was not there.
pub fn first() -> bool {
    let wish = libc::sched_param { sched_priority: 1 };
    // SAFETY: reads the parameters, which live during the call, and changes the calling thread only.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const wish) == 0 }
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
