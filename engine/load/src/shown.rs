//! Octets in a sentence, so that a person can read them.

use std::fmt::Write;

/// So many are shown of something long.
pub const LONG: usize = 120;

/// Text as it is, in backticks; what is no text, or cannot be printed, as `\x00`. Cut off after `most` octets.
pub fn shown(octets: &[u8], most: usize) -> String {
    let part = &octets[..octets.len().min(most)];
    let mut text = String::from("`");
    for chunk in part.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                other if other.is_control() => escape(other.to_string().as_bytes(), &mut text),
                other => text.push(other),
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    text.push('`');
    if part.len() < octets.len() {
        text.push_str("...");
    }
    text
}

fn escape(octets: &[u8], text: &mut String) {
    for octet in octets {
        let _ = write!(text, "\\x{octet:02x}"); // A String takes everything.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_printed_is_written_in_digits() {
        assert_eq!(shown("caf\u{e9}\n\u{1b}[1m".as_bytes(), LONG), "`caf\u{e9}\\n\\x1b[1m`");
        assert_eq!(shown(b"a\xff\x00b", LONG), "`a\\xff\\x00b`");
        assert_eq!(shown(b"abcdef", 3), "`abc`...");
    }
}
