//! Formats bytes for error messages.

use std::fmt::Write;

/// The usual limit of shown bytes.
pub const MAX_PRINTED: usize = 120;

/// Formats bytes as text in backticks. Invalid or unprintable bytes become `\x00`. The text is cut after `most` bytes.
pub fn printable(bytes: &[u8], most: usize) -> String {
    let part = &bytes[..bytes.len().min(most)];
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
    if part.len() < bytes.len() {
        text.push_str("...");
    }
    text
}

fn escape(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        let _ = write!(text, "\\x{byte:02x}"); // A String takes everything.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_printed_is_written_in_digits() {
        assert_eq!(printable("caf\u{e9}\n\u{1b}[1m".as_bytes(), MAX_PRINTED), "`caf\u{e9}\\n\\x1b[1m`");
        assert_eq!(printable(b"a\xff\x00b", MAX_PRINTED), "`a\\xff\\x00b`");
        assert_eq!(printable(b"abcdef", 3), "`abc`...");
    }
}
