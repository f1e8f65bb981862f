//! gRPC on top of HTTP/2: a message after its length, and a status at the end.

use callbench_kit::{Failure, Kind};

/// The bytes before a message: the flag for compression, and the length.
pub const PREFIX: usize = 5;

const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The message with its prefix.
pub fn wrapped(message: &[u8]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend_from_slice(&(message.len() as u32).to_be_bytes());
    out.extend_from_slice(message);
    out
}

/// Finds the only message of an answer, in pieces of any size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwrapping {
    prefix: [u8; PREFIX],
    partial: usize,
    /// The received bytes of the message itself.
    seen: u64,
}

impl Unwrapping {
    /// The part of this piece that belongs to the message.
    pub fn take<'p>(&mut self, piece: &'p [u8]) -> Result<&'p [u8], Failure> {
        let wanted = (PREFIX - self.partial).min(piece.len());
        let (prefix, message) = piece.split_at(wanted);
        self.prefix[self.partial..self.partial + wanted].copy_from_slice(prefix);
        self.partial += wanted;
        if self.partial == PREFIX && self.prefix[0] != 0 {
            return Err(Failure::protocol("the message of the answer is compressed, although this was not requested"));
        }
        self.seen += message.len() as u64;
        if self.seen > self.length() {
            return Err(Failure::protocol("bytes follow the message of the answer: its length is wrong, or the call is not unary"));
        }
        Ok(message)
    }

    /// Why this is not exactly one complete message.
    pub fn wrong(&self) -> Option<Failure> {
        if self.partial < PREFIX {
            return Some(Failure::protocol("the status of the answer is OK, but it has no message"));
        }
        let (seen, length) = (self.seen, self.length());
        (seen != length).then(|| Failure::protocol(format!("the message of the answer has {seen} bytes, but its prefix says {length}")))
    }

    fn length(&self) -> u64 {
        let [_, a, b, c, d] = self.prefix;
        u64::from(u32::from_be_bytes([a, b, c, d]))
    }
}

/// Why an answer with this status is wrong. `request` is its method and path. A status other than 0 is an error that the server reports.
pub fn wrong_status(request: &str, status: Option<&str>, message: &[u8]) -> Option<Failure> {
    match status {
        Some("0") => None,
        Some(status) => {
            let name = status.parse().ok().and_then(|code: usize| CODES.get(code)).map_or(String::new(), |name| format!(" ({name})"));
            let why = if message.is_empty() { String::new() } else { format!(": {}", unescaped(message)) };
            Some(Failure::fault(format!("{request} was answered with the grpc-status {status}{name}{why}")))
        }
        None => Some(Failure::new(Kind::Protocol, "the answer ends without a grpc-status: the server does not speak gRPC at this URL")),
    }
}

/// Decodes text in which other bytes are written as a percent sign and two digits.
fn unescaped(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let escaped = (first == b'%').then(|| after.get(..2)).flatten().and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_message_is_found_however_it_is_cut(message in prop::collection::vec(any::<u8>(), 0..40), cut in 0_usize..46, more in 0_usize..2) {
            let mut bytes = wrapped(&message);
            bytes.truncate(bytes.len() - more.min(message.len()));
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            let mut unwrapping = Unwrapping::default();
            let mut found = unwrapping.take(first).expect("a piece").to_vec();
            found.extend_from_slice(unwrapping.take(second).expect("a piece"));
            let whole = more.min(message.len()) == 0;
            prop_assert_eq!(unwrapping.wrong().is_none(), whole);
            prop_assert_eq!(found == message, whole);
            if whole {
                prop_assert!(unwrapping.take(b"x").is_err());
            }
        }
    }

    #[test]
    fn statuses_are_told_with_their_names() {
        assert_eq!(wrong_status("POST /x", Some("0"), b""), None);
        let failure = wrong_status("POST /x", Some("5"), b"no caf%C3%A9 %zz").expect("a failure");
        assert_eq!(failure.kind, Kind::Fault);
        assert_eq!(failure.message, "POST /x was answered with the grpc-status 5 (NOT_FOUND): no café %zz");
        assert_eq!(wrong_status("POST /x", None, b"").map(|it| it.kind), Some(Kind::Protocol));
    }

    #[test]
    fn nobody_asked_for_a_compressed_message() {
        assert!(Unwrapping::default().take(&[1, 0, 0, 0, 0]).is_err());
    }
}
