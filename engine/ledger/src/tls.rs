//! TLS records in a stream, counted without being read: type, version and length stand open (RFC 8446, section 5.1).

use std::collections::BTreeMap;

use serde::Serialize;

const HEADER: usize = 5;
/// The longest ciphertext of a record, of TLS 1.2 (RFC 5246, section 6.2.3): TLS 1.3 allows less.
const LONGEST: usize = (1 << 14) + 2048;
/// How much may wait for what is missing before it; a capture with larger holes says nothing of records.
const PATIENCE: usize = 4 << 20;

/// What the records of a stream add up to, in bytes unless it says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Records {
    /// How many.
    pub records: u64,
    /// Their headers, 5 bytes each.
    pub headers: u64,
    /// Bodies of application data: encrypted, so with padding and authentication, and in TLS 1.3 with what else is encrypted.
    pub application: u64,
    /// Bodies of handshake, change of cipher and alerts.
    pub handshake: u64,
}

impl Records {
    pub(crate) fn add(&mut self, other: Self) {
        self.records += other.records;
        self.headers += other.headers;
        self.application += other.application;
        self.handshake += other.handshake;
    }
}

/// Follows one direction of a stream.
#[derive(Clone, Debug)]
pub enum Follower {
    /// Everything before `next` has been looked at; of a body, `body` bytes are still to come.
    Following { next: u64, header: Vec<u8>, body: usize, application: bool, waiting: BTreeMap<u64, Vec<u8>>, held: usize },
    /// The stream is not TLS, began before the capture, or has holes.
    Lost,
}

impl Follower {
    /// Begins where the stream's first byte is.
    pub fn at(next: u64) -> Self {
        Self::Following { next, header: Vec::new(), body: 0, application: false, waiting: BTreeMap::new(), held: 0 }
    }

    /// Takes a piece of the stream, in any order, as often as it comes. Returns what it adds.
    pub fn take(&mut self, at: u64, bytes: &[u8]) -> Records {
        let mut found = Records::default();
        let Self::Following { next, waiting, held, .. } = self else {
            return found;
        };
        if at > *next {
            if *held + bytes.len() > PATIENCE {
                *self = Self::Lost;
            } else if waiting.get(&at).is_none_or(|known| known.len() < bytes.len()) {
                let replaced = waiting.insert(at, bytes.to_vec()).map_or(0, |known| known.len());
                *held = *held + bytes.len() - replaced;
            }
            return found;
        }
        self.walk(at, bytes, &mut found);
        while let Self::Following { next, waiting, held, .. } = self {
            let Some((&at, _)) = waiting.range(..=*next).next() else { break };
            let piece = waiting.remove(&at).unwrap_or_default();
            *held -= piece.len();
            self.walk(at, &piece, &mut found);
        }
        found
    }

    /// Looks at what of a piece has not been looked at.
    fn walk(&mut self, at: u64, bytes: &[u8], found: &mut Records) {
        let Self::Following { next, header, body, application, .. } = self else {
            return;
        };
        let Some(mut rest) = usize::try_from(*next - at).ok().and_then(|seen| bytes.get(seen..)) else {
            return;
        };
        *next += rest.len() as u64;
        while !rest.is_empty() {
            if *body > 0 {
                let taken = rest.len().min(*body);
                *if *application { &mut found.application } else { &mut found.handshake } += taken as u64;
                *body -= taken;
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
                *body = usize::from(u16::from_be_bytes([header[3], header[4]]));
                *application = header[0] == 23;
                found.records += 1;
                found.headers += HEADER as u64;
                header.clear();
            }
        }
    }
}

/// Whether the bytes so far can begin a record: a known type, version 3.x, a length within bounds.
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

    const WHOLE: Records = Records { records: 3, headers: 15, application: 260, handshake: 8 };

    #[test]
    fn leaves_other_streams_alone() {
        let mut follower = Follower::at(7);
        assert_eq!(follower.take(7, b"POST / HTTP/1.1\r\n"), Records::default());
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
            let (mut follower, mut sum) = (Follower::at(100), Records::default());
            for (start, end) in pieces {
                sum.add(follower.take(100 + start as u64, &bytes[start..end]));
            }
            prop_assert_eq!(sum, WHOLE);
        }
    }
}
