//! TLS for the channels that have it: rustls on both sides, TLS 1.3 as both offer it.
//!
//! The server makes its certificate when it starts, for as long as it lives. Its endpoint ends with the certificate's fingerprint, by which
//! the client knows it: no file and no authority lies between them. A client of somebody else's accepts it as one that signed itself.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use callbench_contract::endpoint::Options;
use callbench_contract::{Failure, Kind};
use callbench_tls::{alpn, unusable};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CertificateError, ClientConfig, Error, ServerConfig};
use sha2::{Digest as _, Sha256};

use super::key_log::KeyFile;
use super::line::closed;

/// What stands between an endpoint and the fingerprint of its certificate.
pub const MARK: &str = "#sha256=";

/// A server's side, and its certificate's fingerprint.
pub fn server(host: SocketAddr, protocols: &[&str]) -> Result<(Arc<ServerConfig>, String), Failure> {
    let names = vec!["localhost".to_owned(), host.ip().to_string()];
    let made = rcgen::generate_simple_self_signed(names).map_err(|error| unusable(&error))?;
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).map_err(|error| unusable(&error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .map_err(|error| unusable(&error))?;
    config.alpn_protocols = alpn(protocols);
    Ok((Arc::new(config), fingerprint(&certificate)))
}

/// A client's side, which accepts the one certificate with this fingerprint, whatever name it has.
pub fn client(fingerprint: &str, protocols: &[&str], options: &Options) -> Result<Arc<ClientConfig>, Failure> {
    let fingerprint = fingerprint.to_owned();
    let mut config = callbench_tls::client(protocols, move |shown| {
        if self::fingerprint(shown.certificate) == fingerprint {
            return Ok(());
        }
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    })?;
    if let Some(file) = KeyFile::read(options)? {
        config.key_log = Arc::new(file);
    }
    Ok(Arc::new(config))
}

/// An endpoint without the fingerprint behind it, and the fingerprint.
pub fn parted(endpoint: &str) -> Option<(&str, &str)> {
    endpoint.split_once(MARK)
}

/// Why a handshake failed: the certificate, what is no TLS, or the connection.
pub fn failure(error: &std::io::Error) -> Failure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(_)) => Failure::new(
            Kind::Certificate,
            "the server has another certificate than its endpoint says: connect to the endpoint that it names",
        ),
        Some(other) => Failure::protocol(format!("TLS: {other}")),
        None => closed(),
    }
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    hexadecimal(&Sha256::digest(certificate))
}

/// Two digits a byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
