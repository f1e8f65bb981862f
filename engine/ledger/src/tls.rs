//! Counts TLS records in a stream without decrypting them: type, version and length are not encrypted (RFC 8446, section 5.1).
//! `tls_session` says what a record carries.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::count::Toward;
use crate::tls_session::{Content, Protection, Session};

const HEADER: usize = 5;
/// The longest ciphertext of a record, of TLS 1.2 (RFC 5246, section 6.2.3): TLS 1.3 allows less.
const LONGEST: usize = (1 << 14) + 2048;
/// The limit of bytes that wait for missing bytes before them. A capture with larger gaps has no records.
const PATIENCE: usize = 4 << 20;

/// The sums over the records of a stream, in bytes unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Records {
    /// The number of records.
    pub records: u64,
    /// Their headers, 5 bytes each.
    pub headers: u64,
    /// What protects records inside their bodies: tags, nonces of TLS 1.2, and the type that TLS 1.3 encrypts. 0 if the `ServerHello` was not
    /// captured, or the suite pads its content.
    pub tags: u64,
    /// Data: what is inside records of application data. Session tickets and alerts of TLS 1.3 look the same and are included.
    pub application: u64,
    /// Handshake, change of cipher, and alerts of TLS 1.2.
    pub handshake: u64,
}

impl Records {
    pub(crate) fn add(&mut self, other: Self) {
        self.records += other.records;
        self.headers += other.headers;
        self.tags += other.tags;
        self.application += other.application;
        self.handshake += other.handshake;
    }
}

/// What is missing of a record's body, in the order of its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Body {
    kind: u8,
    application: bool,
    before: usize,
    content: usize,
    after: usize,
}

impl Body {
    fn new(kind: u8, length: usize, Content { application, protection: Protection { before, after } }: Content) -> Self {
        let (before, after) = if before + after <= length { (before, after) } else { (0, 0) };
        Self { kind, application, before, content: length - before - after, after }
    }

    fn missing(&self) -> bool {
        self.before + self.content + self.after > 0
    }

    /// Takes the next bytes of one purpose. Returns how many.
    fn take(&mut self, bytes: &[u8], found: &mut Records) -> usize {
        let (part, sum) = if self.before > 0 {
            (&mut self.before, &mut found.tags)
        } else if self.content > 0 {
            (&mut self.content, if self.application { &mut found.application } else { &mut found.handshake })
        } else {
            (&mut self.after, &mut found.tags)
        };
        let taken = bytes.len().min(*part);
        *part -= taken;
        *sum += taken as u64;
        taken
    }
}

/// Finds the records of one direction.
#[derive(Clone, Debug)]
pub enum Follower {
    /// Everything before `next` has been processed; pieces after a gap wait.
    Following { next: u64, header: Vec<u8>, body: Body, waiting: BTreeMap<u64, Vec<u8>>, pending: usize },
    /// The stream is not TLS, began before the capture, or has gaps.
    Lost,
}

impl Follower {
    /// Begins at the position of the stream's first byte.
    pub fn at(next: u64) -> Self {
        Self::Following { next, header: Vec::new(), body: Body::default(), waiting: BTreeMap::new(), pending: 0 }
    }

    /// Adds a piece of the stream. The order does not matter, and pieces may be repeated. Returns the new records.
    pub fn take(&mut self, at: u64, bytes: &[u8], toward: Toward, session: &mut Session) -> Records {
        let mut found = Records::default();
        let Self::Following { next, waiting, pending, .. } = self else {
            return found;
        };
        if at > *next {
            if *pending + bytes.len() > PATIENCE {
                *self = Self::Lost;
            } else if waiting.get(&at).is_none_or(|known| known.len() < bytes.len()) {
                let replaced = waiting.insert(at, bytes.to_vec()).map_or(0, |known| known.len());
                *pending = *pending + bytes.len() - replaced;
            }
            return found;
        }
        self.walk(at, bytes, toward, session, &mut found);
        while let Self::Following { next, waiting, pending, .. } = self {
            let Some((&at, _)) = waiting.range(..=*next).next() else { break };
            let piece = waiting.remove(&at).unwrap_or_default();
            *pending -= piece.len();
            self.walk(at, &piece, toward, session, &mut found);
        }
        found
    }

    /// Processes the part of a piece that follows `next`.
    fn walk(&mut self, at: u64, bytes: &[u8], toward: Toward, session: &mut Session, found: &mut Records) {
        let Self::Following { next, header, body, .. } = self else {
            return;
        };
        let Some(mut rest) = usize::try_from(*next - at).ok().and_then(|seen| bytes.get(seen..)) else {
            return;
        };
        *next += rest.len() as u64;
        while !rest.is_empty() {
            if body.missing() {
                let taken = body.take(rest, found);
                if session.listens(body.kind, toward) {
                    session.hear(&rest[..taken]);
                }
                rest = &rest[taken..];
                continue;
            }
            header.push(rest[0]);
            rest = &rest[1..];
            if !plausible(header) {
                *self = Self::Lost;
                return;
            }
            if header.len() == HEADER {
                let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
                *body = Body::new(header[0], length, session.record(header[0], toward));
                found.records += 1;
                found.headers += HEADER as u64;
                header.clear();
            }
        }
    }
}

/// Whether the bytes can be the beginning of a record: a known type, version 3.x, a valid length.
fn plausible(header: &[u8]) -> bool {
    let long = |high: u8, low: u8| usize::from(u16::from_be_bytes([high, low])) <= LONGEST;
    match *header {
        [kind] => (20..=24).contains(&kind),
        [_, major] => major == 3,
        [_, _, minor] => minor <= 4,
        [_, _, _, high] => long(high, 0),
        [_, _, _, high, low] => long(high, low),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stream() -> Vec<u8> {
        let mut bytes = vec![22, 3, 1, 0, 7];
        bytes.extend([1; 7]);
        bytes.extend([20, 3, 3, 0, 1, 1]);
        bytes.extend([23, 3, 3, 1, 4]);
        bytes.extend([9; 260]);
        bytes
    }

    const WHOLE: Records = Records { records: 3, headers: 15, tags: 0, application: 260, handshake: 8 };

    #[test]
    fn leaves_other_streams_alone() {
        let mut follower = Follower::at(7);
        assert_eq!(follower.take(7, b"POST / HTTP/1.1\r\n", Toward::Server, &mut Session::default()), Records::default());
        assert!(matches!(follower, Follower::Lost));
    }

    proptest! {
        #[test]
        fn counts_alike_however_it_is_cut(cuts in prop::collection::btree_set(1_usize..283, 0..12), order in any::<u64>()) {
            let bytes = stream();
            let ends: Vec<usize> = cuts.iter().copied().chain([bytes.len()]).collect();
            let mut pieces: Vec<(usize, usize)> = std::iter::once(0).chain(cuts.iter().copied()).zip(ends).collect();
            let turn = (order as usize) % pieces.len();
            pieces.rotate_left(turn);
            pieces.push(pieces[0]);
            let (mut follower, mut session, mut sum) = (Follower::at(100), Session::default(), Records::default());
            for (start, end) in pieces {
                sum.add(follower.take(100 + start as u64, &bytes[start..end], Toward::Server, &mut session));
            }
            prop_assert_eq!(sum, WHOLE);
        }
    }
}
