//! WSDL 1.1 with an rpc/encoded binding, for clients that generate their code or read it at run time.

use std::collections::BTreeMap;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::NAMESPACE;
use super::envelope::ENCODING;
use super::schema::{Kind, Operation, Slot, operations};

type Page = Writer<Vec<u8>>;
type Written = std::io::Result<()>;

const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const SOAP: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
const TRANSPORT: &str = "http://schemas.xmlsoap.org/soap/http";

/// A schema within this very document.
const HERE: &str = "#";

/// The description of the service at `url`.
pub fn describe(url: &str) -> Option<String> {
    let mut page = Writer::new_with_indent(Vec::new(), b' ', 1);
    write(&mut page, url).ok()?;
    String::from_utf8(page.into_inner()).ok()
}

fn write(page: &mut Page, url: &str) -> Written {
    page.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
    let names = [
        ("name", "SpeedService"),
        ("targetNamespace", NAMESPACE),
        ("xmlns", WSDL),
        ("xmlns:tns", NAMESPACE),
        ("xmlns:soap", SOAP),
        ("xmlns:soapenc", ENCODING),
        ("xmlns:wsdl", WSDL),
        ("xmlns:xsd", SCHEMA),
    ];
    page.create_element("definitions").with_attributes(names).write_inner_content(|page| {
        types(page)?;
        operations().iter().try_for_each(|operation| messages(page, operation))?;
        port_type(page)?;
        binding(page)?;
        service(page, url)
    })?;
    Ok(())
}

/// Every record and array that an operation uses, by name.
fn used() -> BTreeMap<String, &'static Kind> {
    fn visit(kind: &'static Kind, found: &mut BTreeMap<String, &'static Kind>) {
        match kind {
            Kind::Simple(_) | Kind::Again(_) => return,
            Kind::Record(record) => record.fields.iter().for_each(|field| visit(&field.kind, found)),
            Kind::List(item) => visit(&item.kind, found),
        }
        found.insert(kind.local(), kind);
    }
    let mut found = BTreeMap::new();
    for operation in operations() {
        operation.parameters.iter().chain(&operation.result).for_each(|slot| visit(&slot.kind, &mut found));
    }
    found
}

fn types(page: &mut Page) -> Written {
    page.create_element("types").write_inner_content(|page| {
        encoding(page)?;
        let names = [("targetNamespace", NAMESPACE), ("xmlns", SCHEMA)];
        page.create_element("schema").with_attributes(names).write_inner_content(|page| {
            page.create_element("import").with_attributes([("namespace", ENCODING), ("schemaLocation", HERE)]).write_empty()?;
            used().into_iter().try_for_each(|(name, kind)| complex_type(page, &name, kind))
        })?;
        Ok(())
    })?;
    Ok(())
}

/// As much of the encoding's own schema as arrays need: clients that would fetch it from its address need not, and work without a network.
fn encoding(page: &mut Page) -> Written {
    let names = [("targetNamespace", ENCODING), ("xmlns", SCHEMA)];
    page.create_element("schema").with_attributes(names).write_inner_content(|page| {
        page.create_element("attribute").with_attributes([("name", "arrayType"), ("type", "xsd:string")]).write_empty()?;
        page.create_element("complexType").with_attribute(("name", "Array")).write_inner_content(|page| {
            page.create_element("sequence").write_inner_content(|page| {
                let any = [("namespace", "##any"), ("minOccurs", "0"), ("maxOccurs", "unbounded"), ("processContents", "lax")];
                page.create_element("any").with_attributes(any).write_empty()?;
                Ok(())
            })?;
            // Some clients download the whole schema if it refers to itself.
            page.create_element("anyAttribute").with_attributes([("namespace", "##any"), ("processContents", "lax")]).write_empty()?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn complex_type(page: &mut Page, name: &str, kind: &Kind) -> Written {
    page.create_element("complexType").with_attribute(("name", name)).write_inner_content(|page| match kind {
        Kind::Simple(_) | Kind::Again(_) => Ok(()),
        Kind::Record(record) => {
            page.create_element("sequence").write_inner_content(|page| record.fields.iter().try_for_each(|field| member(page, field)))?;
            Ok(())
        }
        Kind::List(item) => array(page, item),
    })?;
    Ok(())
}

fn member(page: &mut Page, field: &Slot) -> Written {
    let kind = field.kind.qualified("tns");
    let element = page.create_element("element").with_attributes([("name", field.name), ("type", &kind)]);
    let element = if field.optional { element.with_attribute(("minOccurs", "0")) } else { element };
    element.write_empty()?;
    Ok(())
}

fn array(page: &mut Page, item: &Slot) -> Written {
    page.create_element("complexContent").write_inner_content(|page| {
        page.create_element("restriction").with_attribute(("base", "soapenc:Array")).write_inner_content(|page| {
            let held = format!("{}[]", item.kind.qualified("tns"));
            page.create_element("attribute").with_attributes([("ref", "soapenc:arrayType"), ("wsdl:arrayType", &held)]).write_empty()?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn messages(page: &mut Page, operation: &Operation) -> Written {
    message(page, &format!("{}Request", operation.name), operation.parameters.iter())?;
    message(page, &format!("{}Response", operation.name), operation.result.iter())
}

fn message<'a>(page: &mut Page, name: &str, parts: impl Iterator<Item = &'a Slot>) -> Written {
    page.create_element("message").with_attribute(("name", name)).write_inner_content(|page| {
        for part in parts {
            let kind = part.kind.qualified("tns");
            page.create_element("part").with_attributes([("name", part.name), ("type", &kind)]).write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

fn port_type(page: &mut Page) -> Written {
    page.create_element("portType").with_attribute(("name", "SpeedServicePort")).write_inner_content(|page| {
        operations().iter().try_for_each(|operation| {
            let parameters: Vec<&str> = operation.parameters.iter().map(|it| it.name).collect();
            let attributes = [("name", operation.name), ("parameterOrder", &*parameters.join(" "))];
            let shown = if parameters.is_empty() { &attributes[..1] } else { &attributes };
            page.create_element("operation").with_attributes(shown.iter().copied()).write_inner_content(|page| {
                let (input, output) = (format!("tns:{}Request", operation.name), format!("tns:{}Response", operation.name));
                page.create_element("input").with_attribute(("message", &*input)).write_empty()?;
                page.create_element("output").with_attribute(("message", &*output)).write_empty()?;
                Ok(())
            })?;
            Ok(())
        })
    })?;
    Ok(())
}

fn binding(page: &mut Page) -> Written {
    let names = [("name", "SpeedServiceBinding"), ("type", "tns:SpeedServicePort")];
    page.create_element("binding").with_attributes(names).write_inner_content(|page| {
        page.create_element("soap:binding").with_attributes([("style", "rpc"), ("transport", TRANSPORT)]).write_empty()?;
        operations().iter().try_for_each(|operation| bound(page, operation.name))
    })?;
    Ok(())
}

fn bound(page: &mut Page, operation: &str) -> Written {
    page.create_element("operation").with_attribute(("name", operation)).write_inner_content(|page| {
        let action = format!("{NAMESPACE}#{operation}");
        page.create_element("soap:operation").with_attribute(("soapAction", &*action)).write_empty()?;
        for direction in ["input", "output"] {
            page.create_element(direction).write_inner_content(|page| {
                let attributes = [("use", "encoded"), ("namespace", NAMESPACE), ("encodingStyle", ENCODING)];
                page.create_element("soap:body").with_attributes(attributes).write_empty()?;
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn service(page: &mut Page, url: &str) -> Written {
    page.create_element("service").with_attribute(("name", "SpeedService")).write_inner_content(|page| {
        page.create_element("documentation")
            .write_text_content(BytesText::new("The one service that every stack of Callbench carries."))?;
        let names = [("name", "SpeedServicePort"), ("binding", "tns:SpeedServiceBinding")];
        page.create_element("port").with_attributes(names).write_inner_content(|page| {
            page.create_element("soap:address").with_attribute(("location", url)).write_empty()?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}
