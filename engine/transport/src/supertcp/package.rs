//! A package of `supertcp`: sixteen bytes, then its body. All numbers have their least byte first.
//!
//! | bytes | what |
//! |---|---|
//! | 0-3 | length of the body |
//! | 4 | kind |
//! | 5 | flags: 1 = bytes 12-15 hold an acknowledgement, 2 = this package wants one |
//! | 6-7 | zero |
//! | 8-11 | id: a request's own, counting up from 1; in an answer or a refusal that of its request |
//! | 12-15 | id of the other side's package that arrived |

use callbench_contract::Failure;

pub const HEADER: usize = 16;
/// The first bytes of a greeting: what it is, and the version of this form.
pub const GREETING: &[u8; 8] = b"CBTCP\0\0\x01";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The client's first package: `GREETING` and its GUID of 16 bytes. Wants acknowledgements if its flag says so.
    Hello = 1,
    /// The server's answer: the GUID again, and its limit of a package's body in 8 bytes.
    Welcome = 2,
    Request = 3,
    Answer = 4,
    /// Acknowledgements alone: the one in the header, and more ids in the body.
    Acknowledgement = 5,
    Ping = 6,
    Pong = 7,
    /// The server's "no" to a package beyond its limit, with a sentence.
    Refusal = 8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub length: usize,
    pub kind: Kind,
    pub acknowledged: Option<u32>,
    pub wants: bool,
    pub id: u32,
}

impl Header {
    pub fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&u32::try_from(self.length).unwrap_or(u32::MAX).to_le_bytes());
        bytes[4] = self.kind as u8;
        bytes[5] = u8::from(self.acknowledged.is_some()) | u8::from(self.wants) << 1;
        bytes[8..12].copy_from_slice(&self.id.to_le_bytes());
        bytes[12..].copy_from_slice(&self.acknowledged.unwrap_or(0).to_le_bytes());
        bytes
    }

    /// The header at the start of `bytes`, once it is there.
    pub fn decode(bytes: &[u8]) -> Result<Option<Header>, Failure> {
        let Some(bytes) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let kind = match bytes[4] {
            1 => Kind::Hello,
            2 => Kind::Welcome,
            3 => Kind::Request,
            4 => Kind::Answer,
            5 => Kind::Acknowledgement,
            6 => Kind::Ping,
            7 => Kind::Pong,
            8 => Kind::Refusal,
            other => return Err(Failure::protocol(format!("there is no package of kind {other}: the other side speaks something else"))),
        };
        if bytes[5] > 3 || bytes[6..8] != [0, 0] {
            return Err(Failure::protocol("a package has flags that this version does not know"));
        }
        let acknowledged = (bytes[5] & 1 != 0).then(|| number(12));
        Ok(Some(Header { length: number(0) as usize, kind, acknowledged, wants: bytes[5] & 2 != 0, id: number(8) }))
    }
}

/// All ids that a package acknowledges.
pub fn acknowledged<'a>(header: &Header, body: &'a [u8]) -> impl Iterator<Item = u32> + use<'a> {
    let more = if header.kind == Kind::Acknowledgement { body } else { &[] };
    header.acknowledged.into_iter().chain(more.as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id)))
}
