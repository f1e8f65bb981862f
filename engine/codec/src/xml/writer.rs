//! Elements as events of quick-xml's writer, without an allocation an element.

use std::fmt::{Display, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::super::trouble::Trouble;
use super::text::{escape, nearest};

/// An element's start tag, ready to be written: its name, and its name with its attributes.
pub struct Tag {
    content: String,
    name: usize,
}

impl Tag {
    pub fn new(name: &str, attributes: &str) -> Self {
        Tag { content: format!("{name}{attributes}"), name: name.len() }
    }

    pub fn name(&self) -> &str {
        &self.content[..self.name]
    }
}

pub struct XmlWriter<'a> {
    to: Writer<&'a mut Vec<u8>>,
    scratch: String,
}

impl<'a> XmlWriter<'a> {
    /// A document begins.
    pub fn new(out: &'a mut Vec<u8>) -> Result<Self, Trouble> {
        let mut xml = XmlWriter { to: Writer::new(out), scratch: String::new() };
        xml.event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
        Ok(xml)
    }

    fn event(&mut self, event: Event) -> Result<(), Trouble> {
        self.to.write_event(event).map_err(|error| Trouble::cannot_carry(error.to_string()))
    }

    pub fn open(&mut self, tag: &Tag) -> Result<(), Trouble> {
        self.event(Event::Start(BytesStart::from_content(tag.content.as_str(), tag.name)))
    }

    /// Opens a tag whose last attribute contains a count, with the text before and after the count.
    pub fn open_counted(&mut self, tag: &Tag, count: usize, rest: &str) -> Result<(), Trouble> {
        let mut content = std::mem::take(&mut self.scratch);
        content.clear();
        // Writing to a string does not fail.
        let _ = write!(content, "{}{count}{rest}", tag.content);
        self.event(Event::Start(BytesStart::from_content(content.as_str(), tag.name)))?;
        self.scratch = content;
        Ok(())
    }

    /// Opens an element without attributes.
    pub fn open_bare(&mut self, name: &str) -> Result<(), Trouble> {
        self.event(Event::Start(BytesStart::new(name)))
    }

    pub fn close(&mut self, name: &str) -> Result<(), Trouble> {
        self.event(Event::End(BytesEnd::new(name)))
    }

    /// Text that needs no escapes.
    pub fn raw(&mut self, text: &str) -> Result<(), Trouble> {
        self.event(Event::Text(BytesText::from_escaped(text)))
    }

    pub fn text(&mut self, text: &str) -> Result<(), Trouble> {
        let escaped = escape(text)?;
        self.event(Event::Text(BytesText::from_escaped(escaped)))
    }

    /// Text as near to `text` as XML allows.
    pub fn nearest(&mut self, text: &str) -> Result<(), Trouble> {
        self.text(&nearest(text))
    }

    /// A number.
    pub fn shown(&mut self, number: impl Display) -> Result<(), Trouble> {
        self.scratched(|scratch| {
            // Writing to a string does not fail.
            let _ = write!(scratch, "{number}");
        })
    }

    pub fn base64(&mut self, octets: &[u8]) -> Result<(), Trouble> {
        self.scratched(|scratch| BASE64.encode_string(octets, scratch))
    }

    fn scratched(&mut self, fill: impl FnOnce(&mut String)) -> Result<(), Trouble> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        fill(&mut scratch);
        let written = self.raw(&scratch);
        self.scratch = scratch;
        written
    }
}
