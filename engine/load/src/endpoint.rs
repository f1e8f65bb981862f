//! Where requests go: a URL, taken apart and looked up once.

use std::net::{SocketAddr, ToSocketAddrs};

use callbench_kit::{Failure, Kind};
use url::{Host, Url};

/// A server.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub address: SocketAddr,
    /// For `Host` and for TLS; without the brackets of IPv6 in `name`.
    pub authority: String,
    pub name: String,
    pub secure: bool,
    /// Path and query, as they are sent.
    pub target: String,
}

impl Endpoint {
    /// Of a URL. Fails as `bad-request` where it is none for HTTP, as `unresolved` where nobody knows the name.
    pub fn of(url: &str) -> Result<Self, Failure> {
        let refused =
            |why: String| Failure::new(Kind::BadRequest, format!("the URL {url}: {why}; one looks like http://127.0.0.1:8080/path"));
        let parsed = Url::parse(url).map_err(|error| refused(error.to_string()))?;
        let secure = match parsed.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(refused(format!("the scheme {other} is not http or https"))),
        };
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(refused("a name and password in it are not sent: give an Authorization header".to_owned()));
        }
        let host = parsed.host().ok_or_else(|| refused("it has no host".to_owned()))?;
        let port = parsed.port_or_known_default().ok_or_else(|| refused("it has no port".to_owned()))?;
        let address = match &host {
            Host::Ipv4(address) => SocketAddr::from((*address, port)),
            Host::Ipv6(address) => SocketAddr::from((*address, port)),
            Host::Domain(name) => looked_up(name, port)?,
        };
        let name = host.to_string().trim_matches(['[', ']']).to_owned();
        let authority = parsed.port().map_or_else(|| host.to_string(), |port| format!("{host}:{port}"));
        let target = parsed.query().map_or_else(|| parsed.path().to_owned(), |query| format!("{}?{query}", parsed.path()));
        Ok(Endpoint { address, authority, name, secure, target })
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
        for url in ["", "127.0.0.1:80", "ftp://127.0.0.1/", "http://", "http://me:secret@127.0.0.1/"] {
            let failure = Endpoint::of(url).expect_err("a refusal");
            assert_eq!(failure.kind, Kind::BadRequest, "{url}");
            assert!(failure.message.contains("looks like"), "{}", failure.message);
        }
        assert_eq!(Endpoint::of("http://no-such-name.invalid/").expect_err("no address").kind, Kind::Unresolved);
    }
}
