//! What the two directions of a TLS connection know together: how its records are protected, and whether its handshake is over.

use crate::count::Toward;

/// The type of a handshake message.
const SERVER_HELLO: u8 = 2;
const HANDSHAKE: u8 = 22;
const APPLICATION: u8 = 23;
const CHANGE_CIPHER: u8 = 20;
/// The extension that says which version the server chose (RFC 8446, section 4.2.1).
const SUPPORTED_VERSIONS: u16 = 43;
const TLS_1_3: u16 = 0x0304;
/// No `ServerHello` is longer: it has no certificate.
const LONGEST_HELLO: usize = 1024;

/// The bytes of a record's body that only protect it, before and after its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    pub before: usize,
    pub after: usize,
}

/// What a record carries, as far as it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    pub application: bool,
    pub protection: Protection,
}

#[derive(Clone, Copy, Debug)]
struct Chosen {
    protection: Protection,
    tls_1_3: bool,
}

/// One connection. Without its `ServerHello`, records are not divided.
#[derive(Clone, Debug, Default)]
pub struct Session {
    chosen: Option<Chosen>,
    /// Plain bytes of the server's first handshake records, until the `ServerHello` is complete.
    hello: Vec<u8>,
    /// Whether a direction has sent an encrypted record (TLS 1.3) or changed its cipher (TLS 1.2).
    changed: [bool; 2],
}

impl Session {
    /// Whether the server's plain bytes are still of use.
    pub fn listens(&self, kind: u8, toward: Toward) -> bool {
        kind == HANDSHAKE && toward == Toward::Client && self.chosen.is_none() && self.hello.len() < LONGEST_HELLO
    }

    /// Takes plain bytes of a handshake record of the server.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.hello.extend_from_slice(bytes);
        if let Some(chosen) = chosen(&self.hello) {
            self.chosen = Some(chosen);
            self.hello = Vec::new();
        }
    }

    /// The content of a record of this type that begins now.
    ///
    /// In TLS 1.3, the handshake is encrypted and looks like data. But its order is fixed: the server has sent its part when the client sends its
    /// first encrypted record, and that one is the client's `Finished` (or its certificate). Session tickets and alerts follow and look like data.
    pub fn record(&mut self, kind: u8, toward: Toward) -> Content {
        let own = toward.index();
        let Some(Chosen { protection, tls_1_3 }) = self.chosen else {
            return Content { application: kind == APPLICATION, protection: Protection::default() };
        };
        let open = Protection::default();
        if kind == CHANGE_CIPHER {
            self.changed[own] |= !tls_1_3;
            return Content { application: false, protection: open };
        }
        if !tls_1_3 {
            return Content { application: kind == APPLICATION, protection: if self.changed[own] { protection } else { open } };
        }
        if kind != APPLICATION {
            return Content { application: false, protection: open };
        }
        let application = self.changed[Toward::Server.index()];
        self.changed[own] = true;
        Content { application, protection }
    }
}

/// Reads a `ServerHello`. None if it is incomplete or none.
fn chosen(hello: &[u8]) -> Option<Chosen> {
    let number = |at: usize| Some(u16::from_be_bytes([*hello.get(at)?, *hello.get(at + 1)?]));
    if *hello.first()? != SERVER_HELLO {
        return None;
    }
    let end = 4 + usize::from(*hello.get(1)?) * 65_536 + usize::from(number(2)?);
    if hello.len() < end {
        return None;
    }
    // After type, length, version and random value.
    let suite_at = 4 + 2 + 32 + 1 + usize::from(*hello.get(38)?);
    let suite = number(suite_at)?;
    let mut at = suite_at + 2 + 1 + 2;
    let mut tls_1_3 = false;
    while at + 4 <= end {
        tls_1_3 |= number(at)? == SUPPORTED_VERSIONS && number(at + 4) == Some(TLS_1_3);
        at += 4 + usize::from(number(at + 2)?);
    }
    Some(Chosen { protection: if tls_1_3 { in_1_3(suite) } else { in_1_2(suite) }, tls_1_3 })
}

/// A tag, and one byte with the type of the content (RFC 8446, section 5.2).
fn in_1_3(suite: u16) -> Protection {
    const AES_128_CCM_8: u16 = 0x1305;
    Protection { before: 0, after: 1 + if suite == AES_128_CCM_8 { 8 } else { 16 } }
}

/// Of suites with authenticated encryption. Others pad the content, so it cannot be separated.
fn in_1_2(suite: u16) -> Protection {
    match suite {
        // AES-GCM (RFC 5288 and RFC 5289), AES-CCM (RFC 6655 and RFC 7251), and AES-CCM with short tags.
        0x009c..=0x00a1 | 0xc02b..=0xc032 | 0xc09c..=0xc09f | 0xc0ac | 0xc0ad => Protection { before: 8, after: 16 },
        0xc0a0..=0xc0a3 | 0xc0ae | 0xc0af => Protection { before: 8, after: 8 },
        // ChaCha20-Poly1305: RFC 7905.
        0xcca8..=0xccae => Protection { before: 0, after: 16 },
        _ => Protection::default(),
    }
}
