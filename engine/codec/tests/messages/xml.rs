//! SOAP and XML-RPC as other parties write them, and as they must not.

use callbench_codec::Refusal;
use callbench_service::{Answer, Call, Octets, Person, Value};

use crate::message;
use crate::refused::refusal;

const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// A SOAP request around a body.
fn soap(body: &str) -> String {
    format!("<E:Envelope xmlns:E=\"{ENVELOPE}\"><E:Body>{body}</E:Body></E:Envelope>")
}

fn read(name: &str, document: &str) -> Result<Call, String> {
    message(name).decode_request(document.as_bytes()).1.map_err(|fault| fault.message)
}

const SUM: Call = Call::Sum { a: 2, b: 3 };

#[test]
fn soap_takes_any_way_to_write_it() {
    let documents = [
        soap("<Sum><a>2</a><b>3</b></Sum>"),
        soap("<m:Sum xmlns:m=\"urn:SpeedLibrary-SpeedService\"><b>3</b><a>2</a></m:Sum>"),
        soap("<Sum xmlns=\"urn:SpeedLibrary-SpeedService\"><a xmlns=\"\"> 2\n</a><b><![CDATA[3]]></b></Sum>"),
        soap("<!-- a --><?b c?> <Sum> <a>&#50;</a> <!-- < --> <c><d>4</d></c><b>&#x33;</b> </Sum> "),
        format!(
            "\u{feff}<?xml version='1.0' encoding='UTF-8'?><Envelope xmlns='{ENVELOPE}'><Body><Sum><a>2</a><b>3</b></Sum></Body></Envelope>\n<!-- end -->"
        ),
        format!(
            "<s:Envelope xmlns:s='{ENVELOPE}'><s:Header><x s:mustUnderstand='0'><y/></x></s:Header><s:Body><Sum><a>2</a><b>3</b></Sum></s:Body></s:Envelope>"
        ),
    ];
    for document in documents {
        assert_eq!(read("soap", &document), Ok(SUM), "{document}");
    }
}

#[test]
fn soap_reads_what_stands_in_strings() {
    let call = |value: &str| read("soap", &soap(&format!("<EchoString><value>{value}</value></EchoString>")));
    let text = |text: &str| Ok(Call::EchoString(text.to_owned()));
    assert_eq!(call(""), text(""));
    assert_eq!(call(" a  b "), text(" a  b "));
    assert_eq!(call("a&lt;&gt;&amp;&apos;&quot;<![CDATA[<&]]>&#13;<!-- c -->b\r\nc"), text("a<>&'\"<&\rb\nc"));
    assert!(call("&#0;").is_err());
    assert!(call("\u{1}").is_err());
    assert!(call("&nbsp;").is_err());
    assert!(call("a<b/>").is_err());
}

#[test]
fn soap_reads_absent_and_null_members() {
    let null = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:nil='true'";
    let array = |value: &str| read("soap", &soap(&format!("<SendStringArray>{value}</SendStringArray>")));
    assert_eq!(array(&format!("<value {null}/>")), Ok(Call::Send(Value::Texts(vec![]))));
    assert_eq!(array("<value/>"), Ok(Call::Send(Value::Texts(vec![]))));
    assert!(array(&format!("<value><item {null}/></value>")).unwrap_err().contains("nil"));
    let object = "<SendObject><value><LastName>b</LastName><FirstName>a</FirstName><ID>1</ID></value></SendObject>";
    let person = Person { id: 1, first_name: "a".to_owned(), last_name: "b".to_owned() };
    assert_eq!(read("soap", &soap(object)), Ok(Call::Send(Value::Object(person.into()))));
}

#[test]
fn soap_refuses_what_it_must() {
    let refused = |document: &str| refusal(&*message("soap"), document.as_bytes());
    let bomb = "<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>";
    assert!(refused(&format!("{bomb}{}", soap("<EchoString><value>&b;</value></EchoString>"))).1.contains("document type"));
    assert!(refused(&soap("<Sum><a href='#1'/><b>3</b></Sum>")).1.contains("href"));
    let deep = format!("<Sum><c>{}{}</c><a>2</a><b>3</b></Sum>", "<d>".repeat(100_000), "</d>".repeat(100_000));
    assert!(refused(&soap(&deep)).1.contains("deeper"));
    assert_eq!(refused(&soap("<Sum><a>2</a></Sum>")).0, Refusal::BadParameters);
    assert_eq!(refused(&soap("<Sum><a>2</a><b>x</b></Sum>")).0, Refusal::BadParameters);
    assert_eq!(refused(&soap("<Sum><a>2</a><a>2</a><b>3</b></Sum>")).0, Refusal::BadParameters);
    assert_eq!(refused(&soap("")).0, Refusal::NoRequest);
    assert_eq!(
        refused(&soap("<Sum><a>2</a><b>3</b></Sum>").replace(ENVELOPE, "http://www.w3.org/2003/05/soap-envelope")).0,
        Refusal::Version
    );
    let demand = format!("<s:Header xmlns:s='{ENVELOPE}'><x s:mustUnderstand='1'/></s:Header><E:Body>");
    assert_eq!(refused(&soap("<Sum/>").replace("<E:Body>", &demand)).0, Refusal::Demand);
    assert_eq!(refused(&soap("<Sum><a>2</a><b>3</b></Sum><x>").replace("<x></E:Body>", "</E:Body><")).0, Refusal::BadParameters);
    assert_eq!(refused(&format!("<?xml version='1.0' encoding='latin-1'?>{}", soap("<Hello/>"))).0, Refusal::Unreadable);
    assert_eq!(refused(&format!("{}<more/>", soap("<Hello/>"))).0, Refusal::BadParameters);
}

/// An XML-RPC request with these values.
fn xmlrpc(method: &str, values: &str) -> String {
    format!("<?xml version='1.0'?><methodCall><methodName>{method}</methodName><params>{values}</params></methodCall>")
}

#[test]
fn xmlrpc_takes_any_way_to_write_it() {
    let two = "<param><value><int>2</int></value></param>";
    let three = "<param> <value> <i4>3</i4> </value> <!-- 3 --></param>";
    for method in ["SpeedService.Sum", "Sum"] {
        assert_eq!(read("xmlrpc", &xmlrpc(method, &format!("{two}{three}"))), Ok(SUM));
    }
    for document in [xmlrpc("Hello", ""), "<methodCall><methodName>Hello</methodName></methodCall>".to_owned()] {
        assert_eq!(read("xmlrpc", &document), Ok(Call::Hello));
    }
    for value in ["<string>a &amp; b</string>", "a &amp; b", "<![CDATA[a & b]]>"] {
        let document = xmlrpc("EchoString", &format!("<param><value>{value}</value></param>"));
        assert_eq!(read("xmlrpc", &document), Ok(Call::EchoString("a & b".to_owned())));
    }
    for value in ["", "<string/>", "<string></string>"] {
        let document = xmlrpc("EchoString", &format!("<param><value>{value}</value></param>"));
        assert_eq!(read("xmlrpc", &document), Ok(Call::EchoString(String::new())));
    }
    let octets = xmlrpc("SendByteArray", "<param><value><base64>\nAQ\nI=\n</base64></value></param>");
    assert_eq!(read("xmlrpc", &octets), Ok(Call::Send(Value::Bytes(Octets(vec![1, 2])))));
}

#[test]
fn xmlrpc_refuses_what_it_must() {
    let refused = |document: &str| refusal(&*message("xmlrpc"), document.as_bytes()).0;
    let int = "<param><value><int>2</int></value></param>";
    assert_eq!(refused(&xmlrpc("Sum", int)), Refusal::BadParameters);
    assert_eq!(refused(&xmlrpc("Sum", &int.repeat(3))), Refusal::BadParameters);
    assert_eq!(refused(&xmlrpc("Sum", &int.replace("int", "string").repeat(2))), Refusal::BadParameters);
    assert_eq!(refused(&xmlrpc("Sum", &int.replace('2', "2147483648").repeat(2))), Refusal::BadParameters);
    assert_eq!(refused(&xmlrpc("Sun", int)), Refusal::NoOperation);
    assert_eq!(refused(&format!("<!DOCTYPE a>{}", xmlrpc("Hello", ""))), Refusal::Unreadable);
    assert_eq!(refused("<methodCall/>"), Refusal::Unreadable);
}

/// `<nil/>` means that an optional member is absent.
#[test]
fn xmlrpc_reads_nil_for_an_absent_member() {
    let found = callbench_service::generate::search_response(1);
    let mut bytes = Vec::new();
    let reply = callbench_codec::Reply { operation: "FindItems", ..Default::default() };
    message("xmlrpc").encode_answer(&reply, &Ok(Answer::Found(Box::new(found.clone()))), &mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let nil = text.replace("<name>gift</name><value><boolean>0</boolean></value>", "<name>gift</name><value><nil/></value>");
    assert_ne!(nil, text);
    let mut expected = found;
    expected.search_result.item[0].listing_info.gift = None;
    assert_eq!(message("xmlrpc").decode_answer(&Call::FindItems { n: 1 }, nil.as_bytes()), Ok(Answer::Found(Box::new(expected))));
}
