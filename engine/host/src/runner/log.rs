//! The standard error of the runner: it is passed on to that of the host, and its last lines are kept.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Mutex, PoisonError};

/// The number of kept lines, and the kept characters of each.
const LINES: usize = 5;
const LENGTH: usize = 160;
/// A log without line ends is read in pieces of this size.
const PIECE: u64 = 1 << 16;

#[derive(Default)]
pub struct Log {
    last: Mutex<VecDeque<String>>,
}

impl Log {
    /// Passes on and keeps everything until the end.
    pub fn keep(&self, from: impl Read) {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while matches!(from.by_ref().take(PIECE).read_until(b'\n', &mut line), Ok(read) if read > 0) {
            let _ = io::stderr().write_all(&line);
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if !text.is_empty() {
                let more = if text.chars().count() > LENGTH { "..." } else { "" };
                let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.len() == LINES {
                    last.pop_front();
                }
                last.push_back(text.chars().take(LENGTH).collect::<String>() + more);
            }
            line.clear();
        }
    }

    /// The last lines as the end of a sentence, or nothing if nothing was logged.
    pub fn last_lines(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = last.iter().map(String::as_str).collect();
        if lines.is_empty() { String::new() } else { format!("; its log ends with: {}", lines.join(" | ")) }
    }
}
