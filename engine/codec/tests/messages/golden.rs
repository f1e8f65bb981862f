//! Compares the output of each message with `contract/golden/messages`. `CALLBENCH_BLESS=1` writes the files; check the difference before you keep
//! it.

use std::fs;
use std::path::PathBuf;

use callbench_codec::{Message, all};
use callbench_service::generate::{person, search_response, structure};
use callbench_service::{Answer, Call, Fault, Octets};

fn cases() -> Vec<(&'static str, Call, Result<Answer, Fault>)> {
    let persons = (0..2).map(person).collect();
    let fault = Fault { message: "n is -1: it must be from 0 to 1000000".to_owned() };
    vec![
        ("empty", Call::Empty, Ok(Answer::Nothing)),
        ("sum", Call::Sum { a: 2, b: 3 }, Ok(Answer::Number(5))),
        ("persons", Call::GetPersons { n: 2 }, Ok(Answer::Persons(persons))),
        ("fault", Call::GetPersons { n: -1 }, Err(fault)),
        ("binary", Call::GetBinaryData { size: 4, fill: "article".to_owned() }, Ok(Answer::Octets(Octets(vec![0, 1, 254, 255])))),
        ("structure", Call::EchoStructure(structure(1).into()), Ok(Answer::Structure(structure(1).into()))),
        ("string", Call::EchoString("a <&> ä €".to_owned()), Ok(Answer::Text("a <&> ä €".to_owned()))),
        ("items", Call::FindItems { n: 1 }, Ok(Answer::Found(Box::new(search_response(1))))),
    ]
}

fn folder(message: &dyn Message) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../contract/golden/messages").join(message.name())
}

fn hold(message: &dyn Message, file: &str, written: &[u8]) {
    let path = folder(message).join(file);
    if std::env::var_os("CALLBENCH_BLESS").is_some() {
        fs::create_dir_all(folder(message)).unwrap();
        fs::write(&path, written).unwrap();
    }
    let golden = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(String::from_utf8_lossy(written), String::from_utf8_lossy(&golden), "{}", path.display());
    assert_eq!(written, golden, "{}", path.display());
}

#[test]
fn every_message_writes_what_it_always_wrote() {
    for message in all() {
        for (name, call, answer) in cases() {
            let mut written = Vec::new();
            message.encode_request(&call, &mut written).unwrap();
            hold(&*message, &format!("{name}.request"), &written);
            let (reply, read) = message.decode_request(&written);
            assert_eq!(read, Ok(call));
            written.clear();
            message.encode_answer(&reply, &answer, &mut written);
            hold(&*message, &format!("{name}.answer"), &written);
        }
    }
}

#[test]
fn the_description_names_every_operation() {
    let soap = crate::message("soap");
    let (_, text) = soap.description("http://localhost:8099/soap").expect("SOAP describes itself");
    hold(&*soap, "service.wsdl", text.as_bytes());
    for operation in callbench_service::call::OPERATIONS {
        assert!(text.contains(&format!("<operation name=\"{operation}\"")), "{operation}");
    }
}
