//! Reads requests line by line, on a thread of its own so that the end of stdin is noticed while a drive runs.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use super::ending::Stopping;
use super::event::{Event, Line};

/// No line is longer, its LF not counted.
pub(super) const LONGEST: usize = 16 << 20;

pub(super) struct Lines {
    events: Receiver<Event>,
}

impl Lines {
    /// Starts reading `from`; at its end, what was asked is answered first.
    pub(super) fn of(
        from: impl Read + Send + 'static,
        (events, received): (Sender<Event>, Receiver<Event>),
        stopping: Arc<Stopping>,
    ) -> Self {
        thread::spawn(move || {
            let mut from = BufReader::new(from);
            while let Some(line) = next_line(&mut from) {
                if events.send(Event::Line(line)).is_err() {
                    return;
                }
            }
            if events.send(Event::End).is_ok() {
                stopping.after_last_drive();
            }
        });
        Lines { events: received }
    }

    /// The next line; None at the end, or where nobody is left to answer it.
    pub(super) fn next(&self) -> Option<Line> {
        match self.events.recv() {
            Ok(Event::Line(line)) => Some(line),
            Ok(Event::End | Event::Gone) | Err(_) => None,
        }
    }
}

/// None at the end, and where reading fails. A last line without LF counts.
fn next_line(from: &mut impl BufRead) -> Option<Line> {
    let mut line = Vec::new();
    let read = from.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Some(Line::Whole(line));
    }
    if line.len() <= LONGEST {
        return Some(Line::Whole(line));
    }
    drop(line);
    from.skip_until(b'\n').ok()?;
    Some(Line::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_and_too_long_ones_are_passed_over() {
        let mut text = b"one\n\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', LONGEST));
        text.push(b'\n');
        text.extend(std::iter::repeat_n(b'y', LONGEST + 1));
        text.extend(b"\nlast");
        let mut from = text.as_slice();
        assert_eq!(next_line(&mut from), Some(Line::Whole(b"one".to_vec())));
        assert_eq!(next_line(&mut from), Some(Line::Whole(Vec::new())));
        assert!(matches!(next_line(&mut from), Some(Line::Whole(line)) if line.len() == LONGEST));
        assert_eq!(next_line(&mut from), Some(Line::TooLong));
        assert_eq!(next_line(&mut from), Some(Line::Whole(b"last".to_vec())));
        assert_eq!(next_line(&mut from), None);
    }
}
