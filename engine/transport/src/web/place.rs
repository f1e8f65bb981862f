//! What lies below HTTP on both sides: listening, and what an endpoint says.

use std::net::SocketAddr;
use std::sync::Arc;

use callbench_contract::Failure;
use callbench_contract::endpoint::Listen;
use rustls::ServerConfig;
use tokio::net::{TcpListener, UnixListener};

use super::super::{network, rendezvous, tls};
use super::{Carries, Place, Version, Web};

/// Where a server listens.
pub enum Listener {
    Tcp(TcpListener),
    Tls(TcpListener, Arc<ServerConfig>),
    Unix(UnixListener),
}

/// Listens. To be called in the server's runtime.
///
/// # Returns
/// Where, and the URL before the paths.
pub fn listen(web: Web, at: Listen) -> Result<(Listener, String), Failure> {
    if web.place == Place::Unix {
        let (name, listener) = rendezvous::listen(web.name)?;
        listener.set_nonblocking(true)?;
        return Ok((Listener::Unix(UnixListener::from_std(listener)?), format!("{}{}", scheme(web), name.trim_start_matches('@'))));
    }
    let listener = network::listen(at)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let listener = TcpListener::from_std(listener)?;
    let base = format!("{}{address}", scheme(web));
    if web.place == Place::Tcp {
        return Ok((Listener::Tcp(listener), base));
    }
    let (config, fingerprint) = tls::server(address, &[protocol(web.version)])?;
    Ok((Listener::Tls(listener, config), format!("{base}{}{fingerprint}", tls::MARK)))
}

/// The name of HTTP's version in TLS.
pub fn protocol(version: Version) -> &'static str {
    match version {
        Version::One => "http/1.1",
        Version::Two => "h2",
    }
}

/// What an endpoint begins with. That of gRPC is a plain target, as its libraries have it.
fn scheme(web: Web) -> &'static str {
    match web.place {
        _ if web.carries == Carries::Grpc => "",
        Place::Tcp => "http://",
        Place::Tls => "https://",
        Place::Unix => "http+unix://",
    }
}

/// An endpoint, taken apart.
#[derive(Debug, PartialEq)]
pub struct Endpoint {
    pub to: To,
    /// With its slash.
    pub path: String,
}

/// Where a client connects to.
#[derive(Clone, Debug, PartialEq)]
pub enum To {
    Tcp(SocketAddr),
    /// And the certificate's fingerprint.
    Tls(SocketAddr, String),
    /// An abstract socket's name, as `rendezvous` has it.
    Unix(String),
}

impl Endpoint {
    /// Reads `SCHEME://PLACE/PATH`, with the certificate's fingerprint behind it where there is TLS.
    pub fn read(web: Web, endpoint: &str, otherwise: &str) -> Option<Self> {
        let rest = endpoint.strip_prefix(scheme(web))?;
        let (rest, fingerprint) = tls::parted(rest).map_or((rest, None), |(rest, print)| (rest, Some(print)));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = format!("/{}", if path.is_empty() { otherwise } else { path });
        let to = match web.place {
            Place::Tcp => To::Tcp(authority.parse().ok()?),
            Place::Tls => To::Tls(authority.parse().ok()?, fingerprint?.to_owned()),
            Place::Unix => To::Unix(format!("@{authority}")),
        };
        Some(Endpoint { to, path })
    }
}

impl To {
    /// What stands in the request as the host.
    pub fn authority(&self) -> String {
        match self {
            To::Tcp(address) | To::Tls(address, _) => address.to_string(),
            To::Unix(_) => "localhost".to_owned(),
        }
    }

    pub fn scheme(&self) -> &'static str {
        if matches!(self, To::Tls(..)) { "https" } else { "http" }
    }
}

/// A path on a server whose base is `base`: before the fingerprint, where it has one.
pub fn within(base: &str, path: &str) -> String {
    match tls::parted(base) {
        Some((base, fingerprint)) => format!("{base}/{path}{}{fingerprint}", tls::MARK),
        None => format!("{base}/{path}"),
    }
}
