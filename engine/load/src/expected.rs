//! What an answer must be so that its call counts.

use callbench_kit::{Failure, Kind};

use crate::checks::Checks;
use crate::printable::{MAX_PRINTED, printable};
use crate::script::take::Field;

/// The properties of a correct answer.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Any of these; if empty: any from 200 to 299.
    pub status: Vec<u16>,
    /// The exact body; None: any.
    pub body: Option<Vec<u8>>,
    /// What the body must contain.
    pub checks: Checks,
    /// Whether the body of an answer is kept until it is requested.
    pub keep_body: bool,
    /// Fields of an answer's head that are kept for later requests.
    pub fields: Vec<Field>,
    /// Method and path of the request, for error messages.
    pub request: String,
}

impl Expected {
    /// Why an answer with this status is wrong. `location`: the target of a redirect, if the answer names one.
    pub fn wrong_status(&self, status: u16, location: Option<&[u8]>) -> Option<Failure> {
        let right = if self.status.is_empty() { (200..300).contains(&status) } else { self.status.contains(&status) };
        if right {
            return None;
        }
        let wanted: Vec<String> = self.status.iter().map(u16::to_string).collect();
        let wanted = if wanted.is_empty() { String::new() } else { format!(", not {}", wanted.join(" or ")) };
        let hint = match status {
            304 => " (the client's copy is still right: leave out If-None-Match and If-Modified-Since, or say --expect-status 304)",
            405 => " (the server does not allow this method there)",
            _ => "",
        };
        let message = format!("{} was answered with the status {status}{wanted}{hint}", self.request);
        if status == 304 || !(300..400).contains(&status) {
            return Some(Failure::new(Kind::Status, message));
        }
        let target = location.map_or_else(String::new, |target| format!(" to {}", printable(target, MAX_PRINTED)));
        Some(Failure::new(Kind::Redirect, format!("{message} (a redirect{target}, which is not followed: name its target)")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        let any = Expected::default();
        assert!(any.wrong_status(204, None).is_none());
        let redirect = any.wrong_status(302, Some(b"/login")).expect("a failure");
        assert_eq!(redirect.kind, Kind::Redirect);
        assert!(redirect.message.contains("a redirect to `/login`, which is not followed"), "{}", redirect.message);
        assert_eq!(any.wrong_status(500, None).map(|it| it.kind), Some(Kind::Status));
        let unchanged = any.wrong_status(304, None).expect("a failure");
        assert_eq!(unchanged.kind, Kind::Status, "it names no other target");
        assert!(unchanged.message.contains("If-None-Match") && !unchanged.message.contains("redirect"), "{}", unchanged.message);
        let one = Expected { status: vec![404, 410], request: "PUT /x".to_owned(), ..Expected::default() };
        assert!(one.wrong_status(404, None).is_none());
        assert_eq!(
            one.wrong_status(200, None).map(|it| it.message),
            Some("PUT /x was answered with the status 200, not 404 or 410".to_owned())
        );
        assert_eq!(
            one.wrong_status(405, None).map(|it| it.message),
            Some("PUT /x was answered with the status 405, not 404 or 410 (the server does not allow this method there)".to_owned())
        );
    }
}
