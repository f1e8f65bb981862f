//! How one side of shared memory waits for a word to change: asleep on a futex, or spinning.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a word is looked at before its waiter gives up the processor. Long enough that a round trip of 32 KiB between two
/// processors is over before, short enough that two sides on one processor do not starve each other.
const LOOKS: u32 = 4000;
/// How often it then yields between two readings of the clock.
const YIELDS: u32 = 64;
/// How often a side in the middle of a message looks before it sleeps: the next piece is being copied at this moment, and
/// falling asleep costs more than that.
const BRIEFLY: u32 = 400;

pub trait Wait: Send + 'static {
    /// Whether waiting is looking, so that one may as well look at once.
    const SPINS: bool;

    /// Waits until `word` is no longer `seen`, at most `slice`. `waits` tells the other side that somebody does.
    fn wait(word: &AtomicU32, seen: u32, waits: &AtomicU32, slice: Duration);

    /// Called after `word` has changed.
    fn wake(word: &AtomicU32, waits: &AtomicU32);
}

/// Looks for a change without leaving the processor.
#[inline]
pub fn changes_soon(word: &AtomicU32, seen: u32) -> bool {
    looks(word, seen, BRIEFLY)
}

#[inline]
fn looks(word: &AtomicU32, seen: u32, times: u32) -> bool {
    for _ in 0..times {
        if word.load(Ordering::Acquire) != seen {
            return true;
        }
        spin_loop();
    }
    false
}

/// Asleep; the other side makes a system call only where somebody waits.
pub struct Futex;

impl Wait for Futex {
    const SPINS: bool = false;

    fn wait(word: &AtomicU32, seen: u32, waits: &AtomicU32, slice: Duration) {
        // Sequentially consistent, as are the other side's store to `word` and its look at `waits`: either it sees that somebody
        // waits, or this side sees the change.
        waits.store(1, Ordering::SeqCst);
        if word.load(Ordering::SeqCst) == seen {
            let slice = libc::timespec { tv_sec: slice.as_secs() as libc::time_t, tv_nsec: libc::c_long::from(slice.subsec_nanos()) };
            // SAFETY: `word` and `slice` live through the call; the kernel reads four bytes at `word`. Not FUTEX_PRIVATE, since
            // two processes share it.
            unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const slice) };
        }
        waits.store(0, Ordering::Relaxed);
    }

    fn wake(word: &AtomicU32, waits: &AtomicU32) {
        std::sync::atomic::fence(Ordering::SeqCst);
        if waits.load(Ordering::SeqCst) != 0 {
            // SAFETY: waking only needs the address, which is that of a live word.
            unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
        }
    }
}

/// Spinning: the least latency, for a processor of one's own. After long spinning it yields, so that two sides that share one
/// processor still make progress.
pub struct Spin;

impl Wait for Spin {
    const SPINS: bool = true;

    fn wait(word: &AtomicU32, seen: u32, _waits: &AtomicU32, slice: Duration) {
        if looks(word, seen, LOOKS) {
            return;
        }
        let until = Instant::now() + slice;
        while Instant::now() < until {
            for _ in 0..YIELDS {
                thread::yield_now();
                if looks(word, seen, 1) {
                    return;
                }
            }
        }
    }

    fn wake(_word: &AtomicU32, _waits: &AtomicU32) {}
}
