//! Where requests go: the parts of a URL, and the address of its host.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use callbench_kit::{Failure, Kind};
use http::Uri;
use http::uri::{InvalidUri, PathAndQuery};

#[derive(Clone, Debug)]
pub struct Endpoint {
    pub address: SocketAddr,
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
        let name = authority.host().trim_matches(['[', ']']).to_owned();
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let address = match name.parse::<IpAddr>() {
            Ok(address) => SocketAddr::from((address, port)),
            Err(_) => looked_up(&name, port)?,
        };
        let target = parsed.path_and_query().map_or("/", PathAndQuery::as_str).to_owned();
        Ok(Endpoint { address, authority: authority.to_string(), name, secure, target })
    }
}

fn looked_up(name: &str, port: u16) -> Result<SocketAddr, Failure> {
    let unresolved = |why: &str| Failure::new(Kind::Unresolved, format!("the name {name} does not resolve: {why}"));
    let mut found = (name, port).to_socket_addrs().map_err(|error| unresolved(&error.to_string()))?;
    found.next().ok_or_else(|| unresolved("it has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart() {
        let plain = Endpoint::of("http://127.0.0.1:8080/a/b?c=d").expect("an endpoint");
        assert_eq!((plain.address.to_string().as_str(), plain.secure), ("127.0.0.1:8080", false));
        assert_eq!((plain.authority.as_str(), plain.target.as_str()), ("127.0.0.1:8080", "/a/b?c=d"));
        let six = Endpoint::of("https://[::1]").expect("an endpoint");
        assert_eq!((six.address.to_string().as_str(), six.authority.as_str(), six.name.as_str()), ("[::1]:443", "[::1]", "::1"));
        assert_eq!(six.target, "/");
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
