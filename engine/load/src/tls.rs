//! Which certificates a TLS connection trusts.
//!
//! `pinned` trusts exactly the given certificate of a server, and `failure` explains why TLS failed.

use std::path::Path;
use std::sync::Arc;

use callbench_kit::{Failure, Kind};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};

use crate::endpoint::Endpoint;
use crate::wire::Tls;

pub mod failure;
mod pinned;

/// Which certificates are trusted.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those that the machine trusts.
    Machine,
    /// Those in a file.
    File(String),
    /// All of them: for test servers.
    Anyone,
}

/// The TLS settings for `endpoint`, with the ALPN name of a protocol.
pub fn settings(endpoint: &Endpoint, trust: &Trust, protocol: &str) -> Result<Tls, Failure> {
    let config = match trust {
        Trust::Anyone => callbench_tls::client(&[protocol], |_| Ok(())),
        Trust::Machine => trusting(rustls_native_certs::load_native_certs().certs, protocol),
        Trust::File(path) => trusting(file(path)?, protocol),
    }?;
    let name = ServerName::try_from(endpoint.name.clone())
        .map_err(|_| refused(format!("{} is not a host name that a certificate can have", endpoint.name)))?;
    Ok(Tls { config: Arc::new(config), name })
}

fn refused(why: String) -> Failure {
    Failure::new(Kind::BadRequest, why)
}

/// Trusts these certificates, and certificates signed by them.
fn trusting(certificates: Vec<CertificateDer<'static>>, protocol: &str) -> Result<ClientConfig, Failure> {
    let mut roots = RootCertStore::empty();
    // The machine's store often contains a few certificates that cannot be read. They are ignored.
    roots.add_parsable_certificates(certificates.iter().cloned());
    if roots.is_empty() {
        return Err(refused(
            "no certificate is trusted on this machine: name some with --certificates, or accept any with --insecure".to_owned(),
        ));
    }
    let signed = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(ring::default_provider()))
        .build()
        .map_err(|error| callbench_tls::unusable(&error))?;
    let pinned = pinned::Pinned { certificates, signed };
    callbench_tls::client(&[protocol], move |shown| pinned.accept(shown))
}

fn file(path: &str) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let wrong = |why: String| refused(format!("the certificates {path}: {why}"));
    let found = CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| wrong(error.to_string()))?;
    let all: Result<Vec<_>, _> = found.collect();
    let all = all.map_err(|error| wrong(error.to_string()))?;
    if all.is_empty() {
        return Err(wrong("it contains no certificate".to_owned()));
    }
    // All certificates of a given file must be valid.
    let mut roots = RootCertStore::empty();
    for certificate in &all {
        roots.add(certificate.clone()).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(all)
}
