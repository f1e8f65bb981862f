//! The frames of HTTP/2 (RFC 9113).

use callbench_kit::Failure;

/// The length of a frame's head in bytes.
pub const HEAD: usize = 9;
/// The largest payload of a frame. It is the protocol's default.
pub const MOST: usize = 16_384;
/// What a client sends first.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The initial window of a stream or connection, and the largest possible window.
pub const WINDOW: i64 = 65_535;
pub const LARGEST_WINDOW: i64 = 0x7fff_ffff;
pub const LAST_STREAM: u32 = 0x7fff_ffff;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 0x1;
pub const ACK: u8 = 0x1;
pub const END_HEADERS: u8 = 0x4;
pub const PADDED: u8 = 0x8;
pub const PRIORITY: u8 = 0x20;

pub const HEADER_TABLE_SIZE: u16 = 1;
pub const ENABLE_PUSH: u16 = 2;
pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;
pub const MAX_FRAME_SIZE: u16 = 5;

pub const NO_ERROR: u32 = 0;
pub const CANCEL: u32 = 8;

const CODES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

pub fn code_name(code: u32) -> String {
    CODES.get(code as usize).map_or_else(|| format!("the code {code}"), |name| (*name).to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub length: usize,
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
}

impl Head {
    /// Parses the head of a frame. None if there are fewer than nine bytes.
    #[inline]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let [a, b, c, kind, flags, stream @ ..] = bytes.first_chunk::<HEAD>()?;
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        Some(Head { length, kind: *kind, flags: *flags, stream: u32::from_be_bytes(*stream) & LAST_STREAM })
    }

    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    #[inline]
    pub fn write(self, out: &mut Vec<u8>) {
        let length = self.length as u32;
        let [a, b, c, d] = self.stream.to_be_bytes();
        out.extend_from_slice(&[(length >> 16) as u8, (length >> 8) as u8, length as u8, self.kind, self.flags, a, b, c, d]);
    }
}

#[inline]
pub fn write(kind: u8, flags: u8, stream: u32, payload: &[u8], out: &mut Vec<u8>) {
    Head { length: payload.len(), kind, flags, stream }.write(out);
    out.extend_from_slice(payload);
}

/// The payload without padding and priority.
pub fn unwrapped(head: Head, mut payload: &[u8]) -> Result<&[u8], Failure> {
    let short = || Failure::protocol("a frame of the answer is shorter than its padding");
    let mut padding = 0;
    if head.has(PADDED) {
        let (&length, rest) = payload.split_first().ok_or_else(short)?;
        (padding, payload) = (usize::from(length), rest);
    }
    if head.kind == HEADERS && head.has(PRIORITY) {
        payload = payload.get(5..).ok_or_else(short)?;
    }
    let length = payload.len().checked_sub(padding).ok_or_else(short)?;
    Ok(&payload[..length])
}

/// The payload as a number.
pub fn number(payload: &[u8]) -> Result<u32, Failure> {
    let bytes: [u8; 4] = payload.try_into().map_err(|_| Failure::protocol("a frame of the server has a wrong length"))?;
    Ok(u32::from_be_bytes(bytes))
}
