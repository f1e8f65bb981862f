//! Requests, responses and faults (C706 12.6.4.9, 12.6.4.10, 12.6.4.7), cut into fragments and put together again.

use super::{HEADER, Header, ODD, close, flag, kind};
use crate::ids::Guid;
use crate::ndr::Malformed;

/// Octets before the stub data of a request that names an object, of one that does not, and of a response.
pub const OBJECT_REQUEST: usize = 40;
pub const PLAIN_REQUEST: usize = 24;
pub const RESPONSE: usize = 24;

/// A request's own header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub context: u16,
    pub opnum: u16,
    pub object: Option<Guid>,
}

impl Request {
    /// The request in one fragment, and its stub data.
    pub fn read<'a>(header: &Header, pdu: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (fixed, rest) = pdu.get(HEADER..).and_then(|body| body.split_first_chunk::<8>()).ok_or(ODD)?;
        let [_, _, _, _, c0, c1, o0, o1] = *fixed;
        let (object, stub) = match header.flags & flag::OBJECT {
            0 => (None, rest),
            _ => rest.split_first_chunk::<16>().map(|(object, stub)| (Some(Guid(*object)), stub)).ok_or(ODD)?,
        };
        Ok((Request { context: u16::from_le_bytes([c0, c1]), opnum: u16::from_le_bytes([o0, o1]), object }, stub))
    }

    /// Octets before its stub data.
    #[must_use]
    pub fn before_stub(&self) -> usize {
        if self.object.is_some() { OBJECT_REQUEST } else { PLAIN_REQUEST }
    }

    /// Begins a PDU. Stub data is appended, and then [`cut`] divides it.
    pub fn begin(&self, call: u32, out: &mut Vec<u8>) {
        let object = if self.object.is_some() { flag::OBJECT } else { 0 };
        Header::of(kind::REQUEST, flag::WHOLE | object, call).put(out);
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.context.to_le_bytes());
        out.extend_from_slice(&self.opnum.to_le_bytes());
        if let Some(object) = self.object {
            out.extend_from_slice(&object.0);
        }
    }
}

/// Begins a response.
pub fn begin_response(context: u16, call: u32, out: &mut Vec<u8>) {
    Header::of(kind::RESPONSE, flag::WHOLE, call).put(out);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&context.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
}

/// The stub data of a response in one fragment.
pub fn response_stub(pdu: &[u8]) -> Result<&[u8], Malformed> {
    pdu.get(RESPONSE..).ok_or(ODD)
}

/// A complete fault.
pub fn put_fault(context: u16, status: u32, call: u32, out: &mut Vec<u8>) {
    let start = out.len();
    // Every status that this server sends is for a call that was not executed.
    Header::of(kind::FAULT, flag::WHOLE | flag::NOT_EXECUTED, call).put(out);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&context.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(&status.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    close(out, start);
}

/// The status of a fault.
pub fn fault_status(pdu: &[u8]) -> Result<u32, Malformed> {
    pdu.get(RESPONSE..).and_then(|rest| rest.first_chunk()).map(|status| u32::from_le_bytes(*status)).ok_or(ODD)
}

/// Completes the PDU in `whole`, whose stub data follows `before` bytes of header. If it is longer than `most`, it is divided into fragments with the
/// whole header each, which are written to `fragments`. Returns the bytes to send.
pub fn cut<'a>(whole: &'a mut [u8], before: usize, most: u16, fragments: &'a mut Vec<u8>) -> &'a [u8] {
    let stub = whole.len() - before;
    put_hint(whole, stub);
    if whole.len() <= usize::from(most) {
        close(whole, 0);
        return whole;
    }
    // All fragments except the last are a multiple of eight bytes, as authentication requires (MS-RPCE 2.2.2.11) and Windows does.
    let part = (usize::from(most) - before) & !7;
    fragments.clear();
    fragments.reserve(whole.len() + (stub / part + 1) * before);
    let (head, body) = whole.split_at(before);
    let parts = body.len().div_ceil(part);
    for (place, piece) in body.chunks(part).enumerate() {
        let start = fragments.len();
        fragments.extend_from_slice(head);
        fragments.extend_from_slice(piece);
        let first = if place == 0 { flag::FIRST } else { 0 };
        let last = if place + 1 == parts { flag::LAST } else { 0 };
        fragments[start + 3] = (head[3] & !flag::WHOLE) | first | last;
        put_hint(&mut fragments[start..], stub - place * part);
        close(fragments, start);
    }
    fragments
}

/// How much stub data is still to come, this fragment's included.
fn put_hint(pdu: &mut [u8], stub: usize) {
    pdu[HEADER..HEADER + 4].copy_from_slice(&u32::try_from(stub).unwrap_or(u32::MAX).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fragments_together_are_the_whole(length in 0_usize..20_000, most in 1432_u16..6000) {
            let request = Request { context: 3, opnum: 4, object: Some(Guid([7; 16])) };
            let stub: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut whole = Vec::new();
            request.begin(8, &mut whole);
            whole.extend_from_slice(&stub);
            let (mut together, mut fragments) = (Vec::new(), Vec::new());
            let mut sent = cut(&mut whole, request.before_stub(), most, &mut fragments);
            let mut flags = Vec::new();
            while !sent.is_empty() {
                let header = Header::read(sent.first_chunk().expect("a header")).expect("a header");
                prop_assert!(header.length <= most && header.call == 8);
                let (pdu, rest) = sent.split_at(usize::from(header.length));
                let (read, part) = Request::read(&header, pdu).expect("a request");
                prop_assert_eq!(read, request);
                flags.push(header.flags);
                together.extend_from_slice(part);
                sent = rest;
            }
            prop_assert_eq!(together, stub);
            prop_assert_eq!(flags.iter().filter(|flags| *flags & flag::FIRST != 0).count(), 1);
            prop_assert!(flags[0] & flag::FIRST != 0 && flags[flags.len() - 1] & flag::LAST != 0);
            prop_assert!(flags.iter().all(|flags| flags & flag::OBJECT != 0));
        }
    }
}
