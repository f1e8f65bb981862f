//! A request: fixed bytes, or a template whose variables are replaced in each request.

use std::io::Write;

use crate::script::Uses;

/// A variable of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The number of the request, from 0, over all clients.
    Number,
    /// The number of the client, from 0.
    Client,
    /// A random integer.
    Random,
}

const VARIABLES: [(&str, Variable); 3] = [("{number}", Variable::Number), ("{client}", Variable::Client), ("{random}", Variable::Random)];

/// The values of the variables in one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    pub number: u64,
    pub client: u64,
    pub random: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Variable(Variable),
    /// A value that a client has taken from an answer, by its slot.
    Taken(usize),
}

/// A name in braces that stands for a value taken from an answer, and the slot of that value.
pub type Name = (String, usize);

/// Text with variables. Braces that do not contain the name of a variable stay as they are, so JSON needs no escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(Vec<Part>);

impl Template {
    #[must_use]
    pub fn fixed(bytes: &[u8]) -> Self {
        Template(vec![Part::Bytes(bytes.to_vec())])
    }

    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        Template::named(bytes, true, &[])
    }

    /// With the variables, where they are wanted, and with names for values taken from answers.
    #[must_use]
    pub fn named(bytes: &[u8], variables: bool, names: &[Name]) -> Self {
        let own: &[(&str, Variable)] = if variables { &VARIABLES } else { &[] };
        let (mut parts, mut plain, mut rest) = (Vec::new(), Vec::new(), bytes);
        while let Some((&first, after)) = rest.split_first() {
            let variable = || own.iter().find(|(name, _)| rest.starts_with(name.as_bytes())).map(|(name, it)| (*name, Part::Variable(*it)));
            let taken = || names.iter().find(|(name, _)| rest.starts_with(name.as_bytes())).map(|(name, it)| (&**name, Part::Taken(*it)));
            if first != b'{' {
                plain.push(first);
                rest = after;
            } else if let Some((name, part)) = taken().or_else(variable) {
                parts.push(Part::Bytes(std::mem::take(&mut plain)));
                parts.push(part);
                rest = &rest[name.len()..];
            } else {
                plain.push(first);
                rest = after;
            }
        }
        parts.push(Part::Bytes(plain));
        parts.retain(|part| *part != Part::Bytes(Vec::new()));
        Template(parts)
    }

    fn varies(&self) -> bool {
        !self.0.iter().all(|part| matches!(part, Part::Bytes(_)))
    }

    /// The text, if it contains no variables.
    #[must_use]
    pub fn constant(&self) -> Option<Vec<u8>> {
        let fill = || {
            let mut out = Vec::new();
            self.fill(&Values { number: 0, client: 0, random: 0 }, &mut out);
            out
        };
        (!self.varies()).then(fill)
    }

    /// Whether the value of this slot is in it.
    #[must_use]
    pub fn uses(&self, slot: usize) -> bool {
        self.0.contains(&Part::Taken(slot))
    }

    /// Whether a value that was taken from an answer is in it.
    #[must_use]
    pub fn uses_any(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Taken(_)))
    }

    /// Appends the text with these values.
    pub fn fill(&self, values: &Values, out: &mut Vec<u8>) {
        self.fill_with(values, &[], out);
    }

    /// Adds what it is with these values, and with those taken from answers, by slot.
    pub fn fill_with(&self, values: &Values, taken: &[Vec<u8>], out: &mut Vec<u8>) {
        for part in &self.0 {
            match part {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Taken(slot) => out.extend_from_slice(taken.get(*slot).map_or(&[], Vec::as_slice)),
                Part::Variable(variable) => {
                    let value = match variable {
                        Variable::Number => values.number,
                        Variable::Client => values.client,
                        Variable::Random => values.random,
                    };
                    let _ = write!(out, "{value}"); // A Vec takes everything.
                }
            }
        }
    }
}

/// A request that is sent repeatedly.
#[derive(Clone, Debug)]
pub struct Request {
    /// Everything before the length of the body.
    head: Template,
    body: Option<Template>,
    /// The whole request, if it contains no variables.
    whole: Option<Vec<u8>>,
    /// Whether the answer to this request never has a body.
    pub bodiless: bool,
    /// Whether sending it twice asks for no more than sending it once (RFC 9110, 9.2.2).
    pub idempotent: bool,
    /// Whether this request says that it is the last one of its connection.
    pub closes: bool,
}

impl Request {
    /// `head` is the request line and all headers except `Content-Length`, each with its line end. The body follows, if there is one.
    #[must_use]
    pub fn new(head: Template, body: Option<Template>, method: &str) -> Self {
        let idempotent = matches!(method, "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE");
        let mut request = Request { head, body, whole: None, bodiless: method == "HEAD", idempotent, closes: false };
        if !request.head.varies() && !request.body.as_ref().is_some_and(Template::varies) {
            let mut whole = Vec::new();
            request.write(&Values { number: 0, client: 0, random: 0 }, &[], &mut whole);
            request.whole = Some(whole);
        }
        request
    }

    /// The bytes of the request, if they are always the same.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        self.whole.as_deref()
    }

    /// Writes the request with these values, and with those taken from answers, by slot.
    pub fn write(&self, values: &Values, taken: &[Vec<u8>], out: &mut Vec<u8>) {
        self.head.fill_with(values, taken, out);
        let Some(body) = &self.body else {
            out.extend_from_slice(b"\r\n");
            return;
        };
        let mut filled = Vec::new();
        body.fill_with(values, taken, &mut filled);
        let _ = write!(out, "Content-Length: {}\r\n\r\n", filled.len()); // A Vec takes everything.
        out.extend_from_slice(&filled);
    }
}

impl Uses for Request {
    fn in_path(&self, slot: usize) -> bool {
        let of_line = |part: &&Part| !matches!(part, Part::Bytes(bytes) if bytes.contains(&b'\n'));
        self.head.0.iter().take_while(of_line).any(|part| *part == Part::Taken(slot))
    }

    fn in_head(&self, slot: usize) -> bool {
        self.head.uses(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALUES: Values = Values { number: 7, client: 2, random: 99 };

    fn written(head: &str, body: Option<&str>) -> String {
        let request = Request::new(Template::read(head.as_bytes()), body.map(|body| Template::read(body.as_bytes())), "GET");
        let mut out = Vec::new();
        request.write(&VALUES, &[], &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn variables_are_filled_and_the_length_is_of_what_is_sent() {
        assert_eq!(written("GET /{number} HTTP/1.1\r\n", None), "GET /7 HTTP/1.1\r\n\r\n");
        let post = written("POST / HTTP/1.1\r\n", Some(r#"{"id":{number},"of":"{client}","{other}":{}}"#));
        assert_eq!(post, "POST / HTTP/1.1\r\nContent-Length: 29\r\n\r\n{\"id\":7,\"of\":\"2\",\"{other}\":{}}".replace("29", "30"));
    }

    #[test]
    fn values_taken_from_answers_are_filled_by_name() {
        let names = [("{token}".to_owned(), 1)];
        let read = |text: &str, variables| Template::named(text.as_bytes(), variables, &names);
        let mut out = Vec::new();
        read("a {token} {number} {other}", false).fill_with(&VALUES, &[b"x".to_vec(), b"yz".to_vec()], &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "a yz {number} {other}");
        assert!(read("{token}", true).uses(1) && !read("{number}", true).uses(1));
        assert_eq!(read("{token}", true).constant(), None);
    }

    #[test]
    fn a_request_without_variables_is_written_once() {
        let fixed = Request::new(Template::read(b"GET / HTTP/1.1\r\n"), None, "GET");
        assert_eq!(fixed.whole(), Some(&b"GET / HTTP/1.1\r\n\r\n"[..]));
        assert_eq!(Request::new(Template::read(b"GET /{random} HTTP/1.1\r\n"), None, "GET").whole(), None);
    }

    proptest! {
        #[test]
        fn what_names_no_variable_is_sent_as_it_is(text in "[ -~]{0,60}") {
            prop_assume!(!VARIABLES.iter().any(|(name, _)| text.contains(name)));
            let mut out = Vec::new();
            Template::read(text.as_bytes()).fill(&VALUES, &mut out);
            prop_assert_eq!(out, text.into_bytes());
        }
    }
}
