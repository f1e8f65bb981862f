//! The tables of header fields: the static one of RFC 7541, Appendix A, and the dynamic one of a connection.

use std::collections::VecDeque;

/// The initial size of a table, in bytes as RFC 7541 counts them.
pub const SIZE: usize = 4096;
/// The index of the newest entry of the dynamic table.
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

/// The index of a field in the static table, and whether the entry includes the value.
#[must_use]
pub fn find(name: &[u8], value: Option<&[u8]>) -> Option<(usize, bool)> {
    let named = |(known, _): &(&str, &str)| known.as_bytes() == name;
    let whole = value.and_then(|value| STATIC.iter().position(|entry| named(entry) && entry.1.as_bytes() == value && !value.is_empty()));
    whole.map(|place| (place + 1, true)).or_else(|| STATIC.iter().position(named).map(|place| (place + 1, false)))
}

/// The size of an entry, as RFC 7541 counts it.
#[must_use]
pub fn entry_size(name: &[u8], value: &[u8]) -> usize {
    name.len() + value.len() + 32
}

type Bytes = Box<[u8]>;

/// The dynamic table.
#[derive(Debug)]
pub struct Dynamic {
    /// Names and values, the newest first.
    entries: VecDeque<(Bytes, Bytes)>,
    used: usize,
    most: usize,
}

impl Default for Dynamic {
    fn default() -> Self {
        Dynamic { entries: VecDeque::new(), used: 0, most: SIZE }
    }
}

impl Dynamic {
    /// The name and the value at an index of either table.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<(&[u8], &[u8])> {
        match index.checked_sub(1)? {
            place if place < STATIC.len() => Some((STATIC[place].0.as_bytes(), STATIC[place].1.as_bytes())),
            place => self.entries.get(place - STATIC.len()).map(|(name, value)| (&**name, &**value)),
        }
    }

    /// Adds a field and removes the oldest ones if there is not enough space. A field that is larger than the table empties it.
    pub fn keep(&mut self, name: &[u8], value: &[u8]) {
        let size = entry_size(name, value);
        self.shrink(self.most.saturating_sub(size));
        if size <= self.most {
            self.entries.push_front((name.into(), value.into()));
            self.used += size;
        }
    }

    /// Sets the size. False if it is not allowed.
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
