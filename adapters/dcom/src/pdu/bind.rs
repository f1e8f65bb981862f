//! Negotiating presentation contexts: bind, `alter_context` and their answers (C706 12.6.4.1 to 12.6.4.5).

use super::{Header, LEAST_FRAGMENT, close, flag, kind};
use crate::ids::{Guid, NDR, NDR_VERSION};
use crate::ndr::{Malformed, Ndr, Reader, Writer};

/// Reasons of a `bind_nak` (C706 12.6.3.1; MS-RPCE 2.2.2).
pub mod refusal {
    pub const NOT_SPECIFIED: u16 = 0;
    pub const VERSION: u16 = 4;
    pub const AUTHENTICATION: u16 = 8;
}

/// An interface that the client wants to call, with the client's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    pub id: u16,
    pub interface: Guid,
    /// Major in the lower half.
    pub version: u32,
    /// Whether NDR is among the transfer syntaxes that it offers.
    pub offers_ndr: bool,
}

/// A bind or an `alter_context`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The largest PDU that this side sends, and takes.
    pub sends: u16,
    pub takes: u16,
    pub group: u32,
    pub contexts: Vec<Context>,
}

/// What a server says of one context: acceptance is 0, and the reason then too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub result: u16,
    pub reason: u16,
}

pub const ACCEPTED: Verdict = Verdict { result: 0, reason: 0 };
/// `provider_rejection`: `abstract_syntax_not_supported`, `proposed_transfer_syntaxes_not_supported`.
pub const NO_INTERFACE: Verdict = Verdict { result: 2, reason: 1 };
pub const NO_SYNTAX: Verdict = Verdict { result: 2, reason: 2 };

impl Bind {
    /// The whole PDU.
    pub fn put(&self, kind: u8, call: u32, out: &mut Vec<u8>) {
        let start = out.len();
        Header::of(kind, flag::WHOLE, call).put(out);
        let mut to = Writer::new(out);
        to.u16(self.sends);
        to.u16(self.takes);
        to.u32(self.group);
        to.octets(&[self.contexts.len() as u8, 0, 0, 0]);
        for context in &self.contexts {
            to.u16(context.id);
            to.octets(&[1, 0]);
            context.interface.put(&mut to);
            to.u32(context.version);
            NDR.put(&mut to);
            to.u32(NDR_VERSION);
        }
        close(out, start);
    }

    /// The part after the header.
    pub fn read(octets: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(octets);
        let (sends, takes, group) = (from.u16()?, from.u16()?, from.u32()?);
        let [count, ..] = from.array::<4>()?;
        let contexts = (0..count).map(|_| context(&mut from)).collect::<Result<_, _>>()?;
        Ok(Bind { sends: sends.max(LEAST_FRAGMENT), takes: takes.max(LEAST_FRAGMENT), group, contexts })
    }
}

fn context(from: &mut Reader<'_>) -> Result<Context, Malformed> {
    let id = from.u16()?;
    let [syntaxes, _] = from.array()?;
    let (interface, version) = (Guid::get(from)?, from.u32()?);
    let mut offers_ndr = false;
    for _ in 0..syntaxes {
        offers_ndr |= (Guid::get(from)?, from.u32()?) == (NDR, NDR_VERSION);
    }
    Ok(Context { id, interface, version, offers_ndr })
}

/// A `bind_ack` or an `alter_context_resp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub sends: u16,
    pub takes: u16,
    pub group: u32,
    /// The port, as text.
    pub address: String,
    pub verdicts: Vec<Verdict>,
}

impl Answer {
    pub fn put(&self, kind: u8, call: u32, out: &mut Vec<u8>) {
        let start = out.len();
        Header::of(kind, flag::WHOLE, call).put(out);
        let mut to = Writer::new(out);
        to.u16(self.sends);
        to.u16(self.takes);
        to.u32(self.group);
        // An alter_context_resp has no address (C706 12.6.4.2), and then no U+0000 either.
        let length = if self.address.is_empty() { 0 } else { self.address.len() + 1 };
        to.u16(length as u16);
        to.octets(self.address.as_bytes());
        to.room(usize::from(length > 0));
        to.align(4);
        to.octets(&[self.verdicts.len() as u8, 0, 0, 0]);
        for verdict in &self.verdicts {
            to.u16(verdict.result);
            to.u16(verdict.reason);
            let accepted = *verdict == ACCEPTED;
            if accepted { NDR } else { Guid::default() }.put(&mut to);
            to.u32(if accepted { NDR_VERSION } else { 0 });
        }
        close(out, start);
    }

    pub fn read(octets: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(octets);
        let (sends, takes, group) = (from.u16()?, from.u16()?, from.u32()?);
        let length = from.u16()?;
        let address = String::from_utf8_lossy(from.octets(usize::from(length))?).trim_end_matches('\0').to_owned();
        from.align(4);
        let [count, ..] = from.array::<4>()?;
        let mut verdicts = Vec::new();
        for _ in 0..count {
            verdicts.push(Verdict { result: from.u16()?, reason: from.u16()? });
            Guid::get(&mut from)?;
            from.u32()?;
        }
        Ok(Answer { sends: sends.max(LEAST_FRAGMENT), takes: takes.max(LEAST_FRAGMENT), group, address, verdicts })
    }
}

/// A `bind_nak`: the connection is not to be, for this reason; and the version that would be understood.
pub fn put_refusal(reason: u16, call: u32, out: &mut Vec<u8>) {
    let start = out.len();
    Header::of(kind::BIND_NAK, flag::WHOLE, call).put(out);
    out.extend_from_slice(&reason.to_le_bytes());
    // One version, 5.0, and fill to a multiple of four.
    out.extend_from_slice(&[1, 5, 0, 0, 0, 0]);
    close(out, start);
}

/// The reason of a `bind_nak`.
pub fn read_refusal(octets: &[u8]) -> Result<u16, Malformed> {
    Reader::new(octets).u16()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ACTIVATION, REM_UNKNOWN};
    use crate::pdu::HEADER;

    #[test]
    fn a_bind_comes_back_as_it_was() {
        let context = |id, interface| Context { id, interface, version: 0, offers_ndr: true };
        let bind = Bind { sends: 5840, takes: 4280, group: 3, contexts: vec![context(0, ACTIVATION), context(1, REM_UNKNOWN)] };
        let mut octets = Vec::new();
        bind.put(kind::BIND, 9, &mut octets);
        let header = Header::read(octets.first_chunk().expect("a header")).expect("a header");
        assert_eq!((usize::from(header.length), header.kind, header.call), (octets.len(), kind::BIND, 9));
        assert_eq!(Bind::read(&octets[HEADER..]), Ok(bind));
    }

    #[test]
    fn an_answer_comes_back_as_it_was() {
        for address in ["", "40001", "4000"] {
            let verdicts = vec![ACCEPTED, NO_INTERFACE, NO_SYNTAX];
            let answer = Answer { sends: 5840, takes: 5840, group: 3, address: address.to_owned(), verdicts };
            let mut octets = Vec::new();
            answer.put(kind::BIND_ACK, 9, &mut octets);
            assert_eq!(Answer::read(&octets[HEADER..]), Ok(answer));
        }
    }

    #[test]
    fn nobody_may_ask_for_fragments_of_nothing() {
        let mut octets = Vec::new();
        Bind { sends: 0, takes: 0, group: 0, contexts: Vec::new() }.put(kind::BIND, 1, &mut octets);
        assert_eq!(Bind::read(&octets[HEADER..]).map(|bind| bind.takes), Ok(LEAST_FRAGMENT));
    }
}
