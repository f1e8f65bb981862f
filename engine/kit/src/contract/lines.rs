//! Reads requests line by line on its own thread, so that the end of stdin is noticed during a drive.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use super::ending::StopSignal;
use super::event::{Event, Line};

/// The limit of a line without its LF.
pub(super) const MAX_LINE_BYTES: usize = 16 << 20;

pub(super) struct Lines {
    events: Receiver<Event>,
}

impl Lines {
    /// Starts to read `from`. At its end, earlier requests are still answered. Fails only if a thread cannot be created.
    pub(super) fn of(
        from: impl Read + Send + 'static,
        (events, received): (Sender<Event>, Receiver<Event>),
        stop: Arc<StopSignal>,
    ) -> io::Result<Self> {
        let reader = thread::Builder::new().name("requests".to_owned());
        reader.spawn(move || {
            let mut from = BufReader::new(from);
            while let Some(line) = next_line(&mut from) {
                if events.send(Event::Line(line)).is_err() {
                    return;
                }
            }
            if events.send(Event::End).is_ok() {
                stop.after_last_drive();
            }
        })?;
        Ok(Lines { events: received })
    }

    /// The next line. None at the end, or if answers can no longer be sent.
    pub(super) fn next(&self) -> Option<Line> {
        match self.events.recv() {
            Ok(Event::Line(line)) => Some(line),
            Ok(Event::End | Event::HandlerEnded) | Err(_) => None,
        }
    }
}

/// None at the end and after a read error. A last line without LF counts.
fn next_line(from: &mut impl BufRead) -> Option<Line> {
    let mut line = Vec::new();
    let read = from.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Some(Line::Whole(line));
    }
    if line.len() <= MAX_LINE_BYTES {
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
        text.extend(std::iter::repeat_n(b'x', MAX_LINE_BYTES));
        text.push(b'\n');
        text.extend(std::iter::repeat_n(b'y', MAX_LINE_BYTES + 1));
        text.extend(b"\nlast");
        let mut from = text.as_slice();
        assert_eq!(next_line(&mut from), Some(Line::Whole(b"one".to_vec())));
        assert_eq!(next_line(&mut from), Some(Line::Whole(Vec::new())));
        assert!(matches!(next_line(&mut from), Some(Line::Whole(line)) if line.len() == MAX_LINE_BYTES));
        assert_eq!(next_line(&mut from), Some(Line::TooLong));
        assert_eq!(next_line(&mut from), Some(Line::Whole(b"last".to_vec())));
        assert_eq!(next_line(&mut from), None);
    }
}
