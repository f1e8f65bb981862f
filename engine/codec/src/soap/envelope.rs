//! The envelope: what stands around a call and an answer.

use std::sync::LazyLock;

use callbench_kit::Failure;
use quick_xml::events::BytesStart;
use quick_xml::name::PrefixDeclaration;

use super::super::Refusal;
use super::super::trouble::Trouble;
use super::super::xml::pull::Pull;
use super::super::xml::scalar;
use super::super::xml::writer::{Tag, XmlWriter};
use super::NAMESPACE;

pub const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";
pub const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

static ENVELOPE_TAG: LazyLock<Tag> = LazyLock::new(|| {
    let attributes = format!(
        " xmlns:SOAP-ENV=\"{ENVELOPE}\" xmlns:SOAP-ENC=\"{ENCODING}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:ns1=\"{NAMESPACE}\""
    );
    Tag::new("SOAP-ENV:Envelope", &attributes)
});

static BODY_TAG: LazyLock<Tag> = LazyLock::new(|| Tag::new("SOAP-ENV:Body", &format!(" SOAP-ENV:encodingStyle=\"{ENCODING}\"")));

/// Begins a document, up to the body's start.
pub fn open(out: &mut Vec<u8>) -> Result<XmlWriter<'_>, Trouble> {
    let mut xml = XmlWriter::new(out)?;
    xml.open(&ENVELOPE_TAG)?;
    xml.open(&BODY_TAG)?;
    Ok(xml)
}

/// Ends what `open` began.
pub fn close(xml: &mut XmlWriter) -> Result<(), Trouble> {
    xml.close(BODY_TAG.name())?;
    xml.close(ENVELOPE_TAG.name())
}

/// Reads up to the first element of the body.
pub fn open_body<'de>(pull: &mut Pull<'de>) -> Result<BytesStart<'de>, (Refusal, Trouble)> {
    let unreadable = |trouble| (Refusal::Unreadable, trouble);
    let envelope = pull.expect("Envelope").map_err(unreadable)?;
    if !is_soap(&envelope).map_err(unreadable)? {
        return Err((Refusal::Version, Trouble::protocol(format!("only SOAP 1.1 is spoken here: {ENVELOPE}"))));
    }
    loop {
        let part = pull.child().map_err(unreadable)?.ok_or_else(|| unreadable(Trouble::protocol("Body is missing")))?;
        match part.local_name().as_ref() {
            "Header" => pass_header(pull)?,
            "Body" => {
                let first = pull.child().map_err(unreadable)?;
                return first.ok_or_else(|| (Refusal::NoRequest, Trouble::protocol("the body is empty")));
            }
            _ => return Err(unreadable(Trouble::protocol("an envelope holds a header and a body"))),
        }
    }
}

/// Whether the document's first element is in SOAP's namespace, which can be declared nowhere but there.
fn is_soap(start: &BytesStart) -> Result<bool, Trouble> {
    let prefix = start.name().prefix();
    if is_first_binding(start.attributes_raw(), prefix.as_ref().map(AsRef::as_ref)).is_some() {
        return Ok(true);
    }
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| Trouble::protocol(error.to_string()))?;
        let is_ours = match (attribute.key.as_namespace_binding(), prefix) {
            (Some(PrefixDeclaration::Default), None) => true,
            (Some(PrefixDeclaration::Named(declared)), Some(prefix)) => declared == prefix.as_ref(),
            _ => false,
        };
        if is_ours {
            return Ok(attribute.value == ENVELOPE);
        }
    }
    Ok(false)
}

/// Some where the first attribute binds the prefix to SOAP's namespace, as nearly everybody writes it: nothing need be taken apart then.
fn is_first_binding(attributes: &str, prefix: Option<&str>) -> Option<()> {
    let name = attributes.trim_ascii_start().strip_prefix("xmlns")?;
    let rest = if let Some(prefix) = prefix { name.strip_prefix(':')?.strip_prefix(prefix)? } else { name };
    rest.strip_prefix("=\"")?.strip_prefix(ENVELOPE)?.strip_prefix('"').map(|_| ())
}

/// Passes over header entries, unless one must be understood.
fn pass_header(pull: &mut Pull) -> Result<(), (Refusal, Trouble)> {
    let unreadable = |trouble| (Refusal::Unreadable, trouble);
    while let Some(entry) = pull.child().map_err(unreadable)? {
        for attribute in entry.attributes() {
            let attribute = attribute.map_err(|error| unreadable(Trouble::protocol(error.to_string())))?;
            if attribute.key.local_name().as_ref() == "mustUnderstand" && scalar::boolean(&attribute.value).map_err(unreadable)? {
                return Err((Refusal::Demand, Trouble::protocol("a header entry must be understood and is not")));
            }
        }
        pull.skip().map_err(unreadable)?;
    }
    Ok(())
}

/// Reads the content of a `Fault` element that was just opened.
pub fn read_fault(pull: &mut Pull) -> Result<Failure, Trouble> {
    let mut message = None;
    while let Some(member) = pull.child()? {
        if member.local_name().as_ref() == "faultstring" {
            message = Some(pull.text()?.into_owned());
        } else {
            pull.skip()?;
        }
    }
    message.map(Failure::fault).ok_or_else(|| Trouble::protocol("a fault has a faultstring"))
}

/// SOAP's code for why a request was turned down.
pub fn fault_code(refusal: Option<Refusal>) -> &'static str {
    match refusal {
        None => "SOAP-ENV:Server",
        Some(Refusal::Version) => "SOAP-ENV:VersionMismatch",
        Some(Refusal::Demand) => "SOAP-ENV:MustUnderstand",
        Some(_) => "SOAP-ENV:Client",
    }
}
