//! Where requests go: the parts of a URL, and the addresses of its host.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use callbench_kit::{Failure, Kind};
use http::Uri;
use http::uri::{InvalidUri, PathAndQuery};

use crate::addresses::Addresses;

#[derive(Clone, Debug)]
pub struct Endpoint {
    pub addresses: Addresses,
    /// For the `Host` header and for TLS. In `name`, IPv6 addresses have no brackets.
    pub authority: String,
    pub name: String,
    pub secure: bool,
    /// Path and query as they are sent.
    pub target: String,
}

impl Endpoint {
    /// Parses a URL. Fails with `bad-request` if it is not an HTTP URL, with `unresolved` if the host name is unknown.
    pub fn of(url: &str) -> Result<Self, Failure> {
        let refused =
            |why: String| Failure::new(Kind::BadRequest, format!("the URL {url}: {why}; one looks like http://127.0.0.1:8080/path"));
        let parsed: Uri = url.parse().map_err(|error: InvalidUri| refused(error.to_string()))?;
        let secure = match parsed.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(other) => return Err(refused(format!("the scheme {other} is not http or https"))),
            None => return Err(refused("it has no scheme".to_owned())),
        };
        let named = parsed.authority().filter(|authority| !authority.host().is_empty());
        let authority = named.ok_or_else(|| refused("it has no host".to_owned()))?;
        if authority.as_str().contains('@') {
            return Err(refused("a name and password in it are not sent: give an Authorization header".to_owned()));
        }
        // RFC 6874 writes the zone of an address behind `%25`, and curl takes `%` too.
        let name = authority.host().trim_matches(['[', ']']).replacen("%25", "%", 1);
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let addresses = match name.parse::<IpAddr>() {
            Ok(address) => Addresses::of([SocketAddr::from((address, port))]),
            Err(_) => looked_up(&name, port)?,
        };
        let addresses =
            addresses.ok_or_else(|| Failure::new(Kind::Unresolved, format!("the name {name} does not resolve: it has no address")))?;
        let target = target(parsed.path_and_query().map_or("/", PathAndQuery::as_str));
        Ok(Endpoint { addresses, authority: without_zone(authority.as_str()), name, secure, target })
    }
}

/// A host and its port as they are sent: a zone means something on this machine only.
fn without_zone(authority: &str) -> String {
    match (authority.find('%'), authority.find(']')) {
        (Some(zone), Some(end)) if zone < end => format!("{}{}", &authority[..zone], &authority[end..]),
        _ => authority.to_owned(),
    }
}

/// Path and query as they are sent. An empty path is sent as `/`.
fn target(path_and_query: &str) -> String {
    let encoded = percent_encoded(path_and_query);
    if encoded.starts_with('/') { encoded } else { format!("/{encoded}") }
}

/// A path with its query, in which octets beyond ASCII are percent-encoded, as browsers send them. What is encoded already stays as it is.
pub fn percent_encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii() {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}"); // A text takes whatever is written.
        }
    }
    encoded
}

fn looked_up(name: &str, port: u16) -> Result<Option<Addresses>, Failure> {
    let addresses = (name, port).to_socket_addrs();
    let unresolved = |error: std::io::Error| Failure::new(Kind::Unresolved, format!("the name {name} does not resolve: {error}"));
    addresses.map(Addresses::of).map_err(unresolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(endpoint: &Endpoint) -> String {
        endpoint.addresses.all()[0].to_string()
    }

    #[test]
    fn what_is_sent_begins_with_a_slash_and_has_no_fragment() {
        for (url, target) in [
            ("http://127.0.0.1:81?x=1", "/?x=1"),
            ("http://127.0.0.1:81?", "/?"),
            ("http://127.0.0.1:81", "/"),
            ("http://127.0.0.1:81#top", "/"),
            ("http://127.0.0.1:81?x=1#top", "/?x=1"),
            ("http://[::1]:81?x=/y", "/?x=/y"),
            ("HTTP://127.0.0.1/a?b#c", "/a?b"),
            ("http://127.0.0.1/caf\u{e9}%20?q=\u{20ac}", "/caf%C3%A9%20?q=%E2%82%AC"),
        ] {
            assert_eq!(Endpoint::of(url).expect("an endpoint").target, target, "{url}");
        }
    }

    #[test]
    fn a_url_is_taken_apart() {
        let plain = Endpoint::of("http://127.0.0.1:8080/a/b?c=d").expect("an endpoint");
        assert_eq!((address(&plain).as_str(), plain.secure), ("127.0.0.1:8080", false));
        assert_eq!((plain.authority.as_str(), plain.target.as_str()), ("127.0.0.1:8080", "/a/b?c=d"));
        let six = Endpoint::of("https://[::1]").expect("an endpoint");
        assert_eq!((address(&six).as_str(), six.authority.as_str(), six.name.as_str()), ("[::1]:443", "[::1]", "::1"));
        assert_eq!(six.target, "/");
    }

    /// RFC 6874: a zone is for this machine, and is not sent.
    #[test]
    fn an_address_can_have_a_zone() {
        for zone in ["%25lo", "%lo", "%251", "%1"] {
            let endpoint = Endpoint::of(&format!("http://[fe80::2{zone}]:81/")).expect("an endpoint");
            assert_eq!((address(&endpoint).as_str(), endpoint.authority.as_str()), ("[fe80::2%1]:81", "[fe80::2]:81"), "{zone}");
        }
    }

    #[test]
    fn what_is_no_url_for_http_is_refused_in_a_sentence() {
        for url in ["", "127.0.0.1:80", "ftp://127.0.0.1/", "http://", "http://:80/", "http://a b/", "http://me:secret@127.0.0.1/"] {
            let failure = Endpoint::of(url).expect_err("a refusal");
            assert_eq!(failure.kind, Kind::BadRequest, "{url}");
            assert!(failure.message.contains("looks like"), "{}", failure.message);
        }
        assert_eq!(Endpoint::of("http://no-such-name.invalid/").expect_err("no address").kind, Kind::Unresolved);
    }
}
