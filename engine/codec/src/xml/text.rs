//! Text in XML 1.0: what must be escaped, and what cannot be written at all.

use std::borrow::Cow;

use super::super::trouble::Trouble;

/// How a byte of UTF-8 must be treated.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Plain,
    Escaped,
    /// A control that XML 1.0 has no place for, not even as a reference.
    Forbidden,
    /// The first byte of U+FFFE and U+FFFF, which are forbidden, and of much that is not.
    Suspect,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut control = 0;
    while control < 0x20 {
        classes[control] = Class::Forbidden;
        control += 1;
    }
    classes[b'\t' as usize] = Class::Plain;
    classes[b'\n' as usize] = Class::Plain;
    // A reader turns a bare carriage return into a line feed.
    classes[b'\r' as usize] = Class::Escaped;
    classes[b'<' as usize] = Class::Escaped;
    classes[b'>' as usize] = Class::Escaped;
    classes[b'&' as usize] = Class::Escaped;
    classes[0xef] = Class::Suspect;
    classes
};

/// Whether U+FFFE or U+FFFF begins here.
fn noncharacter(bytes: &[u8]) -> bool {
    matches!(bytes, [0xef, 0xbf, 0xbe | 0xbf, ..])
}

/// The first byte from `from` on that needs treatment.
fn next_special(bytes: &[u8], from: usize) -> Option<(usize, Class)> {
    let found = bytes[from..].iter().position(|byte| CLASSES[usize::from(*byte)] != Class::Plain)?;
    Some((from + found, CLASSES[usize::from(bytes[from + found])]))
}

/// The text as it stands between tags.
pub fn escape(text: &str) -> Result<Cow<'_, str>, Trouble> {
    let bytes = text.as_bytes();
    let mut escaped = String::new();
    let (mut copied, mut from) = (0, 0);
    while let Some((at, class)) = next_special(bytes, from) {
        from = at + 1;
        match class {
            Class::Forbidden => return Err(cannot_hold(text, at)),
            Class::Suspect if noncharacter(&bytes[at..]) => return Err(cannot_hold(text, at)),
            Class::Escaped => {
                escaped.push_str(&text[copied..at]);
                escaped.push_str(reference(bytes[at]));
                copied = from;
            }
            Class::Suspect | Class::Plain => {}
        }
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(text));
    }
    escaped.push_str(&text[copied..]);
    Ok(Cow::Owned(escaped))
}

fn reference(byte: u8) -> &'static str {
    match byte {
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'&' => "&amp;",
        _ => "&#13;",
    }
}

fn cannot_hold(text: &str, at: usize) -> Trouble {
    let unit = text[at..].chars().next().map_or(0, u32::from);
    Trouble::cannot_carry(format!("XML 1.0 cannot hold the character U+{unit:04X}"))
}

/// A similar text that is valid in XML: invalid characters are replaced by U+FFFD.
pub fn nearest(text: &str) -> String {
    text.chars().map(|it| if is_legal(it) { it } else { char::REPLACEMENT_CHARACTER }).collect()
}

pub fn is_legal(it: char) -> bool {
    matches!(it, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..)
}

/// Refuses text with characters that an XML document must not contain.
pub fn check(text: &str) -> Result<(), Trouble> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some((at, class)) = next_special(bytes, from) {
        from = at + 1;
        if class == Class::Forbidden || (class == Class::Suspect && noncharacter(&bytes[at..])) {
            return Err(Trouble::protocol(cannot_hold(text, at).into_message()));
        }
    }
    Ok(())
}
