//! Which certificates a TLS connection trusts.
//!
//! `pinned` trusts exactly the given certificate of a server, and `failure` explains why TLS failed.

use std::path::Path;
use std::sync::Arc;

use callbench_kit::{Failure, Kind};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

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
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(format!("TLS cannot be set up: {error}")))?;
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        Trust::Anyone => Arc::new(AcceptAll(provider)),
        Trust::Machine => trusting(rustls_native_certs::load_native_certs().certs, provider)?,
        Trust::File(path) => trusting(file(path)?, provider)?,
    };
    let mut config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from(endpoint.name.clone())
        .map_err(|_| refused(format!("{} is not a host name that a certificate can have", endpoint.name)))?;
    Ok(Tls { config: Arc::new(config), name })
}

fn refused(why: String) -> Failure {
    Failure::new(Kind::BadRequest, why)
}

/// Trusts these certificates, and certificates signed by them.
fn trusting(certificates: Vec<CertificateDer<'static>>, provider: Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, Failure> {
    let mut roots = RootCertStore::empty();
    // The machine's store often contains a few certificates that cannot be read. They are ignored.
    roots.add_parsable_certificates(certificates.iter().cloned());
    if roots.is_empty() {
        return Err(refused(
            "no certificate is trusted on this machine: name some with --certificates, or accept any with --insecure".to_owned(),
        ));
    }
    let signed = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| refused(format!("TLS cannot be set up: {error}")))?;
    Ok(Arc::new(pinned::Pinned { certificates, signed }))
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

/// Accepts every certificate. The signatures of the handshake are still checked.
#[derive(Debug)]
struct AcceptAll(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAll {
    fn verify_server_cert(
        &self,
        _end: &CertificateDer<'_>,
        _between: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
