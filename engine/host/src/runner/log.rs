//! What the runner writes to its standard error: passed on to the host's, and its last lines kept.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Mutex, PoisonError};

/// So many lines are kept, and so much of each, in characters.
const LINES: usize = 5;
const LENGTH: usize = 160;
/// A log without line ends is taken in pieces of so many bytes.
const PIECE: u64 = 1 << 16;

#[derive(Default)]
pub struct Log {
    last: Mutex<VecDeque<String>>,
}

impl Log {
    /// Passes on and keeps until the end.
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

    /// The end of a sentence, or nothing where nothing was logged.
    pub fn last_words(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = last.iter().map(String::as_str).collect();
        if lines.is_empty() { String::new() } else { format!("; its log ends with: {}", lines.join(" | ")) }
    }
}
