//! The tables that indices of header fields mean: the one of RFC 7541, Appendix A, and the one that a connection gathers behind it.

use std::collections::VecDeque;

/// How large a table is unless agreed otherwise, in octets as RFC 7541 counts them.
pub const SIZE: usize = 4096;
/// The index of the entry that was kept last.
pub const FIRST_DYNAMIC: usize = STATIC.len() + 1;

#[rustfmt::skip]
const STATIC: [(&str, &str); 61] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"),
    (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
    (":status", "404"), (":status", "500"), ("accept-charset", ""), ("accept-encoding", "gzip, deflate"), ("accept-language", ""),
    ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
    ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""),
    ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
    ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
];

/// The index of a field in the fixed table, and whether it stands for the value too.
#[must_use]
pub fn find(name: &[u8], value: Option<&[u8]>) -> Option<(usize, bool)> {
    let named = |(known, _): &(&str, &str)| known.as_bytes() == name;
    let whole = value.and_then(|value| STATIC.iter().position(|entry| named(entry) && entry.1.as_bytes() == value && !value.is_empty()));
    whole.map(|place| (place + 1, true)).or_else(|| STATIC.iter().position(named).map(|place| (place + 1, false)))
}

/// What an entry counts against the size of a table.
#[must_use]
pub fn entry_size(name: &[u8], value: &[u8]) -> usize {
    name.len() + value.len() + 32
}

type Octets = Box<[u8]>;

/// What a connection has gathered.
#[derive(Debug)]
pub struct Dynamic {
    /// Names and values, the newest first.
    entries: VecDeque<(Octets, Octets)>,
    used: usize,
    most: usize,
}

impl Default for Dynamic {
    fn default() -> Self {
        Dynamic { entries: VecDeque::new(), used: 0, most: SIZE }
    }
}

impl Dynamic {
    /// Name and value of an index of either table.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<(&[u8], &[u8])> {
        match index.checked_sub(1)? {
            place if place < STATIC.len() => Some((STATIC[place].0.as_bytes(), STATIC[place].1.as_bytes())),
            place => self.entries.get(place - STATIC.len()).map(|(name, value)| (&**name, &**value)),
        }
    }

    /// Keeps a field, and drops the oldest where there is no room. One that is larger than the table empties it.
    pub fn keep(&mut self, name: &[u8], value: &[u8]) {
        let size = entry_size(name, value);
        self.shrink(self.most.saturating_sub(size));
        if size <= self.most {
            self.entries.push_front((name.into(), value.into()));
            self.used += size;
        }
    }

    /// Whether it may have that size.
    pub fn resize(&mut self, most: usize) -> bool {
        if most > SIZE {
            return false;
        }
        self.most = most;
        self.shrink(most);
        true
    }

    fn shrink(&mut self, most: usize) {
        while self.used > most {
            let Some((name, value)) = self.entries.pop_back() else { return };
            self.used -= entry_size(&name, &value);
        }
    }
}
