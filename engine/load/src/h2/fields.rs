//! The header fields of an answer that matter for its check.

use std::sync::Arc;

use callbench_kit::Failure;

use crate::hpack::Decoder;

/// The number of remembered blocks. Servers repeat a few blocks.
const MAX_REMEMBERED: usize = 4;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    pub status: Option<u16>,
    /// The length of the body.
    pub length: Option<u64>,
    pub content_type: Vec<u8>,
    /// The target of a redirect.
    pub location: Option<Vec<u8>>,
    pub grpc_status: Option<String>,
    pub grpc_message: Vec<u8>,
    /// Name and value of the headers that later requests use.
    pub kept: Vec<(String, Vec<u8>)>,
}

/// Decodes the header blocks of one connection.
#[derive(Debug, Default)]
pub struct Reader {
    decoder: Decoder,
    /// The names of the headers that are kept, in lower case.
    wanted: Arc<[Vec<u8>]>,
    /// Blocks that do not change the table keep their meaning until another block changes it.
    known: Vec<(Vec<u8>, Fields)>,
    next: usize,
    last: Fields,
}

impl Reader {
    /// Keeps the headers with these names, in lower case, from now on.
    pub fn keep(&mut self, wanted: &Arc<[Vec<u8>]>) {
        self.wanted = Arc::clone(wanted);
        self.known.clear();
    }

    /// Decodes a block. An error concerns the whole connection.
    pub fn read(&mut self, block: &[u8]) -> Result<&Fields, Failure> {
        if let Some(place) = self.known.iter().position(|(known, _)| known == block) {
            return Ok(&self.known[place].1);
        }
        let mut fields = Fields::default();
        let changed = self.decoder.read(block, |name, value| {
            if self.wanted.iter().any(|wanted| wanted == name) {
                fields.kept.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
            }
            fields.take(name, value)
        })?;
        if changed {
            self.known.clear();
            self.last = fields;
            return Ok(&self.last);
        }
        let place = self.next % MAX_REMEMBERED;
        self.next = self.next.wrapping_add(1);
        if place < self.known.len() {
            let (known, its) = &mut self.known[place];
            known.clear();
            known.extend_from_slice(block);
            *its = fields;
            return Ok(its);
        }
        self.known.push((block.to_vec(), fields));
        Ok(&self.known[self.known.len() - 1].1)
    }
}

impl Fields {
    fn take(&mut self, name: &[u8], value: &[u8]) -> Result<(), Failure> {
        let text = || std::str::from_utf8(value).unwrap_or_default();
        let digits = || !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        match name {
            b":status" => {
                let status = (digits() && value.len() == 3).then(|| text().parse().ok()).flatten();
                self.status = Some(status.ok_or_else(|| Failure::protocol("the answer has a status that is not a number"))?);
            }
            b"content-length" => {
                let length = digits().then(|| text().parse().ok()).flatten();
                let length: u64 = length.ok_or_else(|| Failure::protocol("the answer has a content-length that is not a number"))?;
                if self.length.is_some_and(|other| other != length) {
                    return Err(Failure::protocol("the answer has two content-lengths that differ"));
                }
                self.length = Some(length);
            }
            b"content-type" => self.content_type = value.to_vec(),
            b"location" => self.location = Some(value.to_vec()),
            b"grpc-status" => self.grpc_status = Some(text().to_owned()),
            b"grpc-message" => self.grpc_message = value.to_vec(),
            _ if name.first() == Some(&b':') || name.iter().any(u8::is_ascii_uppercase) => {
                let name = String::from_utf8_lossy(name);
                return Err(Failure::protocol(format!("the answer has a header {name}, which HTTP/2 does not allow")));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_means_what_the_table_says_at_its_time() {
        let mut reader = Reader::default();
        // Stores a length, uses the same index twice, then stores another length at that index.
        assert_eq!(reader.read(b"\x88\x5c\x015").expect("fields").length, Some(5));
        for _ in 0..2 {
            let fields = reader.read(b"\x88\xbe").expect("fields");
            assert_eq!((fields.status, fields.length), (Some(200), Some(5)));
        }
        assert_eq!(reader.read(b"\x88\x5c\x016").expect("fields").length, Some(6));
        assert_eq!(reader.read(b"\x88\xbe").expect("fields").length, Some(6));
    }

    #[test]
    fn more_blocks_than_are_remembered_are_read_as_they_are() {
        let mut reader = Reader::default();
        for length in (b'0'..=b'9').cycle().take(40) {
            assert_eq!(reader.read(&[0x0f, 0x0d, 1, length]).expect("fields").length, Some(u64::from(length - b'0')));
        }
    }

    #[test]
    fn what_http_2_does_not_allow_is_refused() {
        for block in [&b"\x00\x01A\x00"[..], b"\x00\x02:x\x00", b"\x48\x02ab", b"\x0f\x0d\x01x", b"\x0f\x0d\x015\x0f\x0d\x016"] {
            assert!(Reader::default().read(block).is_err(), "{block:?}");
        }
    }
}
