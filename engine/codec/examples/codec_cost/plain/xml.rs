//! The same document through quick-xml's own events, for the two messages that are XML.

use std::hint::black_box;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use callbench_service::Person;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

use super::{Data, Plain};

type Page = Writer<Vec<u8>>;

/// How a form names what stands around its values.
pub struct Form {
    write: fn(Data) -> Vec<u8>,
    /// Whether an element is named after its type, and the name is text of its own.
    is_typed: bool,
}

pub const SOAP: Form = Form { write: write_soap, is_typed: false };
pub const XMLRPC: Form = Form { write: write_xmlrpc, is_typed: true };

fn event(page: &mut Page, event: Event) {
    page.write_event(event).expect("memory takes it");
}

fn open(page: &mut Page, name: &str, attributes: &[(&str, &str)]) {
    event(page, Event::Start(BytesStart::new(name).with_attributes(attributes.iter().copied())));
}

fn close(page: &mut Page, name: &str) {
    event(page, Event::End(BytesEnd::new(name)));
}

fn leaf(page: &mut Page, name: &str, attributes: &[(&str, &str)], text: &str) {
    open(page, name, attributes);
    event(page, Event::Text(BytesText::new(text)));
    close(page, name);
}

fn start() -> Page {
    let mut page = Writer::new(Vec::new());
    event(&mut page, Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)));
    page
}

const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

fn write_soap(data: Data) -> Vec<u8> {
    let mut page = start();
    let names = [
        ("xmlns:SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/"),
        ("xmlns:SOAP-ENC", ENCODING),
        ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
        ("xmlns:xsd", "http://www.w3.org/2001/XMLSchema"),
        ("xmlns:ns1", "urn:SpeedLibrary-SpeedService"),
    ];
    open(&mut page, "SOAP-ENV:Envelope", &names);
    open(&mut page, "SOAP-ENV:Body", &[("SOAP-ENV:encodingStyle", ENCODING)]);
    let operation = match data {
        Data::Sum(..) => "ns1:Sum",
        Data::Persons(_) => "ns1:GetPersonsResponse",
        Data::Octets(_) => "ns1:GetBinaryDataResponse",
    };
    let (int, string) = ([("xsi:type", "xsd:int")], [("xsi:type", "xsd:string")]);
    open(&mut page, operation, &[]);
    match data {
        Data::Sum(a, b) => {
            leaf(&mut page, "a", &int, &a.to_string());
            leaf(&mut page, "b", &int, &b.to_string());
        }
        Data::Octets(octets) => leaf(&mut page, "Result", &[("xsi:type", "xsd:base64Binary")], &BASE64.encode(octets)),
        Data::Persons(persons) => {
            let count = format!("ns1:Person[{}]", persons.len());
            open(&mut page, "Result", &[("xsi:type", "SOAP-ENC:Array"), ("SOAP-ENC:arrayType", &count)]);
            for person in persons {
                open(&mut page, "item", &[("xsi:type", "ns1:Person")]);
                leaf(&mut page, "ID", &int, &person.id.to_string());
                leaf(&mut page, "FirstName", &string, &person.first_name);
                leaf(&mut page, "LastName", &string, &person.last_name);
                close(&mut page, "item");
            }
            close(&mut page, "Result");
        }
    }
    for name in [operation, "SOAP-ENV:Body", "SOAP-ENV:Envelope"] {
        close(&mut page, name);
    }
    page.into_inner()
}

fn value(page: &mut Page, kind: &str, text: &str) {
    open(page, "value", &[]);
    leaf(page, kind, &[], text);
    close(page, "value");
}

fn member(page: &mut Page, name: &str, kind: &str, text: &str) {
    open(page, "member", &[]);
    leaf(page, "name", &[], name);
    value(page, kind, text);
    close(page, "member");
}

fn write_xmlrpc(data: Data) -> Vec<u8> {
    let mut page = start();
    if let Data::Sum(a, b) = data {
        open(&mut page, "methodCall", &[]);
        leaf(&mut page, "methodName", &[], "SpeedService.Sum");
        open(&mut page, "params", &[]);
        for number in [a, b] {
            open(&mut page, "param", &[]);
            value(&mut page, "int", &number.to_string());
            close(&mut page, "param");
        }
        for name in ["params", "methodCall"] {
            close(&mut page, name);
        }
        return page.into_inner();
    }
    for name in ["methodResponse", "params", "param"] {
        open(&mut page, name, &[]);
    }
    match data {
        Data::Octets(octets) => value(&mut page, "base64", &BASE64.encode(octets)),
        Data::Persons(persons) => {
            for name in ["value", "array", "data"] {
                open(&mut page, name, &[]);
            }
            for person in persons {
                for name in ["value", "struct"] {
                    open(&mut page, name, &[]);
                }
                member(&mut page, "ID", "int", &person.id.to_string());
                member(&mut page, "FirstName", "string", &person.first_name);
                member(&mut page, "LastName", "string", &person.last_name);
                for name in ["struct", "value"] {
                    close(&mut page, name);
                }
            }
            for name in ["data", "array", "value"] {
                close(&mut page, name);
            }
        }
        Data::Sum(..) => {}
    }
    for name in ["param", "params", "methodResponse"] {
        close(&mut page, name);
    }
    page.into_inner()
}

/// Reads the document's leaves: `each` gets the name that a text belongs to, and the text.
fn leaves(bytes: &[u8], is_typed: bool, mut each: impl FnMut(&str, &str)) {
    let mut reader = Reader::from_str(std::str::from_utf8(bytes).expect("it is UTF-8"));
    let (mut element, mut name) = (String::new(), String::new());
    loop {
        match reader.read_event().expect("it is well-formed") {
            Event::Start(start) => {
                element.clear();
                element.push_str(start.local_name().as_ref());
            }
            // XML-RPC writes a member's name as text, and the type as the element.
            Event::Text(text) if is_typed && element == "name" => {
                name.clear();
                name.push_str(&text.xml10_content());
            }
            Event::Text(text) => each(if name.is_empty() { &element } else { &name }, &text.xml10_content()),
            Event::Eof => return,
            _ => {}
        }
    }
}

fn read(data: Data, bytes: &[u8], is_typed: bool) {
    match data {
        Data::Sum(..) => {
            let (mut numbers, mut next) = ([0_i32; 2], 0);
            leaves(bytes, is_typed, |name, text| match name {
                "methodName" => assert_eq!(text, "SpeedService.Sum"),
                "a" => numbers[0] = text.parse().expect("it is a number"),
                "b" => numbers[1] = text.parse().expect("it is a number"),
                _ => {
                    numbers[next] = text.parse().expect("it is a number");
                    next += 1;
                }
            });
            black_box(numbers);
        }
        Data::Octets(_) => leaves(bytes, is_typed, |_, text| drop(black_box(BASE64.decode(text).expect("it is base64")))),
        Data::Persons(expected) => {
            let (mut persons, mut person) = (Vec::new(), Person::default());
            leaves(bytes, is_typed, |name, text| match name {
                "ID" => person.id = text.parse().expect("it is a number"),
                "FirstName" => text.clone_into(&mut person.first_name),
                _ => {
                    text.clone_into(&mut person.last_name);
                    persons.push(std::mem::take(&mut person));
                }
            });
            assert_eq!(persons.len(), expected.len());
            black_box(persons);
        }
    }
}

pub fn of<'a>(data: Data<'a>, bytes: &'a [u8], form: &'static Form) -> Plain<'a> {
    assert_eq!(String::from_utf8_lossy(&(form.write)(data)), String::from_utf8_lossy(bytes));
    Plain {
        encode: Box::new(move || drop(black_box((form.write)(black_box(data))))),
        decode: Box::new(move || read(data, black_box(bytes), form.is_typed)),
    }
}
