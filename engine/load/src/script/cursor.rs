//! The position of one client in the script, and the values that it has taken from answers.

use super::Script;

/// The position of a client.
#[derive(Debug, Default)]
pub struct Cursor {
    /// The current step.
    pub step: usize,
    /// The index of the request within the step.
    pub request: usize,
    /// Values taken from answers, by slot.
    pub values: Vec<Vec<u8>>,
    session: usize,
    /// By session: whether the steps that are made once are done.
    begun: Vec<bool>,
    /// Whether a session is in progress, so that the next call is its next step.
    within: bool,
}

/// What the clients of an event loop share: which session and which body is next.
#[derive(Debug, Default)]
pub struct Turns {
    starts: u64,
    /// By step: the index of the next request.
    next: Vec<usize>,
}

impl Turns {
    #[must_use]
    pub fn new<R>(script: &Script<R>) -> Self {
        Turns { starts: 0, next: vec![0; script.steps.len()] }
    }
}

impl Cursor {
    #[must_use]
    pub fn new<R>(script: &Script<R>) -> Self {
        let (values, begun) = (vec![Vec::new(); script.slots], vec![false; script.sessions.len()]);
        Cursor { values, begun, ..Cursor::default() }
    }

    /// Whether no session is in progress.
    #[must_use]
    pub fn is_between(&self) -> bool {
        !self.within
    }

    /// Begins a session: this one, with everything that is made once.
    pub fn enter<R>(&mut self, script: &Script<R>, session: usize) {
        self.begun[session] = false;
        self.start(script, session);
    }

    fn start<R>(&mut self, script: &Script<R>, session: usize) {
        let chosen = &script.sessions[session];
        self.session = session;
        self.step = if self.begun[session] || chosen.once.is_empty() { chosen.steps.start } else { chosen.once.start };
        self.within = true;
    }

    /// Chooses what is called next.
    #[inline]
    pub fn choose<R>(&mut self, script: &Script<R>, turns: &mut Turns) {
        if !self.within {
            self.start(script, script.pick(turns.starts));
            turns.starts = turns.starts.wrapping_add(1);
        }
        let requests = script.steps[self.step].requests.len();
        if requests == 1 {
            self.request = 0;
        } else {
            self.request = turns.next[self.step];
            turns.next[self.step] = (self.request + 1) % requests;
        }
    }

    /// After a call: continues with the next step. After an error, the session begins again, including the steps that are made once.
    #[inline]
    pub fn handle_event<R>(&mut self, script: &Script<R>, right: bool) {
        let session = &script.sessions[self.session];
        if !right {
            self.begun[self.session] = false;
            self.within = false;
            return;
        }
        self.step += 1;
        if self.step == session.once.end && !session.once.is_empty() {
            self.begun[self.session] = true;
            self.step = session.steps.start;
        } else if self.step == session.steps.end {
            // An event of its connection may come while nothing is called: the step is one that there is.
            self.step = session.steps.start;
            self.within = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected::Expected;
    use crate::script::{Session, Step};

    fn step(bodies: usize) -> Step<()> {
        Step { name: String::new(), requests: vec![(); bodies], expected: Expected::default(), takes: Vec::new() }
    }

    /// Steps 0 and 1 once, then 2 and 3 in turn; 3 has two bodies.
    fn script() -> Script<()> {
        let sessions = vec![Session { once: 0..2, steps: 2..4, until: 1.0 }];
        Script { steps: vec![step(1), step(1), step(1), step(2)], sessions, slots: 1 }
    }

    fn made(script: &Script<()>, cursor: &mut Cursor, turns: &mut Turns, right: bool) -> (usize, usize) {
        cursor.choose(script, turns);
        let at = (cursor.step, cursor.request);
        cursor.handle_event(script, right);
        at
    }

    #[test]
    fn what_is_made_once_comes_first_and_the_rest_in_turn() {
        let script = script();
        let (mut cursor, mut turns) = (Cursor::new(&script), Turns::new(&script));
        let calls: Vec<_> = (0..8).map(|_| made(&script, &mut cursor, &mut turns, true)).collect();
        assert_eq!(calls, [(0, 0), (1, 0), (2, 0), (3, 0), (2, 0), (3, 1), (2, 0), (3, 0)]);
        assert!(cursor.is_between());
    }

    #[test]
    fn a_failed_step_begins_the_session_again() {
        let script = script();
        let (mut cursor, mut turns) = (Cursor::new(&script), Turns::new(&script));
        let outcomes = [true, true, true, false, true, false, true, true, true];
        let steps: Vec<_> = outcomes.map(|right| made(&script, &mut cursor, &mut turns, right).0).to_vec();
        assert_eq!(steps, [0, 1, 2, 3, 0, 1, 0, 1, 2]);
    }

    #[test]
    fn a_session_that_is_entered_makes_everything() {
        let script = script();
        let (mut cursor, mut turns) = (Cursor::new(&script), Turns::new(&script));
        let begun = (0..4).map(|_| made(&script, &mut cursor, &mut turns, true).0);
        assert_eq!(begun.collect::<Vec<_>>(), [0, 1, 2, 3]);
        cursor.enter(&script, 0);
        assert_eq!(made(&script, &mut cursor, &mut turns, true), (0, 0));
    }
}
