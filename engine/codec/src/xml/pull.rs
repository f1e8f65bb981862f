//! A reader over quick-xml's events: elements and their text, and nothing that can be turned against a server.
//!
//! A document type is refused, so that no entity can be declared and no bomb be built; only the five entities of XML itself and character
//! references are resolved. Comments and processing instructions are passed over, `CDATA` is text.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};

use super::super::DEPTH;
use super::super::trouble::Trouble;
use super::text::is_legal;

pub struct Pull<'de> {
    reader: Reader<&'de [u8]>,
    depth: usize,
}

/// The content of an element.
pub enum Content<'de> {
    Text(Cow<'de, str>),
    /// The first child; the element's own end is still to come.
    Child(BytesStart<'de>),
}

#[cold]
fn ill(error: impl std::fmt::Display) -> Trouble {
    Trouble::protocol(error.to_string())
}

impl<'de> Pull<'de> {
    pub fn new(bytes: &'de [u8]) -> Result<Self, Trouble> {
        let text = std::str::from_utf8(bytes).map_err(|_| Trouble::protocol("the document is not UTF-8"))?;
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Ok(Pull { reader, depth: 0 })
    }

    /// The next relevant event: no comments, processing instructions and declarations. Always inlined, so that the event is not copied.
    #[expect(clippy::inline_always, reason = "moving events costs as much as looking at them")]
    #[inline(always)]
    fn event(&mut self) -> Result<Event<'de>, Trouble> {
        loop {
            match self.reader.read_event() {
                Ok(event @ Event::End(_)) => {
                    self.depth -= 1;
                    return Ok(event);
                }
                Ok(event @ Event::Start(_)) => {
                    self.depth += 1;
                    return if self.depth > DEPTH { Err(too_deep()) } else { Ok(event) };
                }
                Ok(Event::Comment(_) | Event::PI(_)) => {}
                Ok(Event::Decl(declaration)) => check_declaration(&declaration)?,
                Ok(Event::DocType(_)) => return Err(Trouble::protocol("a document type is refused here")),
                Ok(Event::Eof) if self.depth > 0 => return Err(Trouble::protocol("the document ends within an element")),
                Ok(event) => return Ok(event),
                Err(error) => return Err(ill(error)),
            }
        }
    }

    /// The next child's start, or None at the end of the open element (at the end of the document if none is open).
    #[inline]
    pub fn child(&mut self) -> Result<Option<BytesStart<'de>>, Trouble> {
        loop {
            match self.event()? {
                Event::Start(start) => return Ok(Some(start)),
                Event::End(_) | Event::Eof => return Ok(None),
                Event::Text(text) if is_blank(&text) => {}
                _ => return Err(Trouble::protocol("text stands where only elements can")),
            }
        }
    }

    /// A child that must be there.
    pub fn expect(&mut self, name: &str) -> Result<BytesStart<'de>, Trouble> {
        match self.child()? {
            Some(start) if is_named(&start, name) => Ok(start),
            Some(start) => Err(Trouble::protocol(format!("{name} was expected, not {}", shortened(start.local_name().as_ref())))),
            None => Err(Trouble::protocol(format!("{name} is missing"))),
        }
    }

    /// The end of the element that is open, or of the document.
    pub fn end(&mut self) -> Result<(), Trouble> {
        match self.child()? {
            None => Ok(()),
            Some(start) => Err(Trouble::protocol(format!("{} is one element too many", shortened(start.local_name().as_ref())))),
        }
    }

    /// The content of the element that was just opened: text up to its end, or the first child.
    #[inline]
    pub fn content(&mut self) -> Result<Content<'de>, Trouble> {
        let event = self.event()?;
        self.content_from(Cow::Borrowed(""), event)
    }

    /// The content of which this text was read, and this event.
    fn content_from(&mut self, mut text: Cow<'de, str>, mut event: Event<'de>) -> Result<Content<'de>, Trouble> {
        loop {
            let piece = match event {
                Event::End(_) => return Ok(Content::Text(text)),
                Event::Start(start) if is_blank(&text) => return Ok(Content::Child(start)),
                Event::Start(_) | Event::Empty(_) => return Err(Trouble::protocol("an element stands within text")),
                Event::Text(piece) => piece.xml10_content(),
                Event::CData(piece) => piece.xml10_content(),
                Event::GeneralRef(reference) => Cow::Owned(resolve(&reference)?.to_string()),
                _ => return Err(Trouble::protocol("something stands within text that is none")),
            };
            if text.is_empty() {
                text = piece;
            } else {
                text.to_mut().push_str(&piece);
            }
            event = self.event()?;
        }
    }

    /// The text up to the end of the element that was just opened.
    #[inline]
    pub fn text(&mut self) -> Result<Cow<'de, str>, Trouble> {
        // Most text is in one piece, which is handed on as it comes.
        let (text, event) = match self.event()? {
            Event::Text(piece) => match self.event()? {
                Event::End(_) => return Ok(piece.xml10_content()),
                event => (piece.xml10_content(), event),
            },
            event => (Cow::Borrowed(""), event),
        };
        match self.content_from(text, event)? {
            Content::Text(text) => Ok(text),
            Content::Child(start) => {
                Err(Trouble::protocol(format!("{} stands where only text can", shortened(start.local_name().as_ref()))))
            }
        }
    }

    /// Passes over the rest of the element that is open.
    pub fn skip(&mut self) -> Result<(), Trouble> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            self.event()?;
        }
        Ok(())
    }

    /// Passes over the rest of the document, in which nothing may follow the outermost element.
    pub fn finish(&mut self) -> Result<(), Trouble> {
        while self.depth > 0 {
            self.event()?;
        }
        self.end()
    }
}

#[cold]
fn too_deep() -> Trouble {
    Trouble::protocol(format!("the document nests deeper than {DEPTH} elements"))
}

/// Whether this is the element's local name. Without a prefix, no search is necessary.
#[inline]
pub fn is_named(start: &BytesStart, name: &str) -> bool {
    start.name().as_ref() == name || start.local_name().as_ref() == name
}

#[inline]
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// A name as far as an error need show it.
pub fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}

/// The declaration that nearly everybody writes, of which nothing need be taken apart.
const PLAIN: &str = r#"xml version="1.0" encoding="utf-8""#;

#[inline]
fn check_declaration(declaration: &BytesDecl) -> Result<(), Trouble> {
    if declaration.eq_ignore_ascii_case(PLAIN) { Ok(()) } else { check_encoding(declaration) }
}

fn check_encoding(declaration: &BytesDecl) -> Result<(), Trouble> {
    match declaration.encoding() {
        None => Ok(()),
        Some(Ok(encoding)) if encoding.eq_ignore_ascii_case("utf-8") || encoding.eq_ignore_ascii_case("us-ascii") => Ok(()),
        Some(Ok(encoding)) => Err(Trouble::protocol(format!("the document is in {}: only utf-8 is read", shortened(&encoding)))),
        Some(Err(error)) => Err(ill(error)),
    }
}

/// The character of a reference.
fn resolve(reference: &BytesRef) -> Result<char, Trouble> {
    if let Some(character) = reference.resolve_char_ref().map_err(ill)? {
        return if is_legal(character) {
            Ok(character)
        } else {
            Err(Trouble::protocol("a reference to a character that XML does not have"))
        };
    }
    match &**reference {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "apos" => Ok('\''),
        "quot" => Ok('"'),
        other => Err(Trouble::protocol(format!("the entity {} is not declared", shortened(other)))),
    }
}
