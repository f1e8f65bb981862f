//! A request as it is sent: fixed bytes, or a template whose variables every request fills anew.

use std::io::Write;

/// What a template can say of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The number of the request, from 0, over all clients.
    Number,
    /// The number of the client, from 0.
    Client,
    /// A whole number at random.
    Random,
}

const VARIABLES: [(&str, Variable); 3] = [("{number}", Variable::Number), ("{client}", Variable::Client), ("{random}", Variable::Random)];

/// What the variables stand for in one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    pub number: u64,
    pub client: u64,
    pub random: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Variable(Variable),
}

/// Text with variables. What stands in braces and is no variable stays as it is, so that JSON needs no care.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(Vec<Part>);

impl Template {
    #[must_use]
    pub fn fixed(bytes: &[u8]) -> Self {
        Template(vec![Part::Bytes(bytes.to_vec())])
    }

    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let (mut parts, mut plain, mut rest) = (Vec::new(), Vec::new(), bytes);
        while let Some((&first, after)) = rest.split_first() {
            if let Some((name, variable)) = VARIABLES.iter().find(|(name, _)| rest.starts_with(name.as_bytes())) {
                parts.push(Part::Bytes(std::mem::take(&mut plain)));
                parts.push(Part::Variable(*variable));
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
        self.0.iter().any(|part| matches!(part, Part::Variable(_)))
    }

    /// What it always is, where no variable is in it.
    #[must_use]
    pub fn constant(&self) -> Option<Vec<u8>> {
        let fill = || {
            let mut out = Vec::new();
            self.fill(&Values { number: 0, client: 0, random: 0 }, &mut out);
            out
        };
        (!self.varies()).then(fill)
    }

    /// Adds what it is with these values.
    pub fn fill(&self, values: &Values, out: &mut Vec<u8>) {
        for part in &self.0 {
            match part {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
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

/// A request to be sent again and again.
#[derive(Clone, Debug)]
pub struct Request {
    /// Everything before the length of the body.
    head: Template,
    body: Option<Template>,
    /// The whole, where no variable is in it.
    whole: Option<Vec<u8>>,
    /// Whether the answer to it has no body, whatever its head says.
    pub bodiless: bool,
}

impl Request {
    /// `head` is the request line and all headers but `Content-Length`, each line ended; it is followed by the body where there is one.
    #[must_use]
    pub fn new(head: Template, body: Option<Template>, bodiless: bool) -> Self {
        let mut request = Request { head, body, whole: None, bodiless };
        if !request.head.varies() && !request.body.as_ref().is_some_and(Template::varies) {
            let mut whole = Vec::new();
            request.write(&Values { number: 0, client: 0, random: 0 }, &mut whole);
            request.whole = Some(whole);
        }
        request
    }

    /// The bytes of every request, where they are the same.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        self.whole.as_deref()
    }

    /// Writes the request with these values.
    pub fn write(&self, values: &Values, out: &mut Vec<u8>) {
        self.head.fill(values, out);
        let Some(body) = &self.body else {
            out.extend_from_slice(b"\r\n");
            return;
        };
        let mut filled = Vec::new();
        body.fill(values, &mut filled);
        let _ = write!(out, "Content-Length: {}\r\n\r\n", filled.len()); // A Vec takes everything.
        out.extend_from_slice(&filled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALUES: Values = Values { number: 7, client: 2, random: 99 };

    fn written(head: &str, body: Option<&str>) -> String {
        let request = Request::new(Template::read(head.as_bytes()), body.map(|body| Template::read(body.as_bytes())), false);
        let mut out = Vec::new();
        request.write(&VALUES, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn variables_are_filled_and_the_length_is_of_what_is_sent() {
        assert_eq!(written("GET /{number} HTTP/1.1\r\n", None), "GET /7 HTTP/1.1\r\n\r\n");
        let post = written("POST / HTTP/1.1\r\n", Some(r#"{"id":{number},"of":"{client}","{other}":{}}"#));
        assert_eq!(post, "POST / HTTP/1.1\r\nContent-Length: 29\r\n\r\n{\"id\":7,\"of\":\"2\",\"{other}\":{}}".replace("29", "30"));
    }

    #[test]
    fn a_request_without_variables_is_written_once() {
        let fixed = Request::new(Template::read(b"GET / HTTP/1.1\r\n"), None, false);
        assert_eq!(fixed.whole(), Some(&b"GET / HTTP/1.1\r\n\r\n"[..]));
        assert_eq!(Request::new(Template::read(b"GET /{random} HTTP/1.1\r\n"), None, false).whole(), None);
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
